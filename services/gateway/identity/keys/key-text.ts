import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { secretText } from "#ports/api-keys/secret-text.ts";

/** How each key begins, so that people and scanners of repositories recognise it. */
export const KEY_PREFIX = "fl_";

const FORM = /^fl_([0-9a-z]{16,64})_([A-Za-z0-9_-]{43})([0-9a-z]{7})$/;

/** A key as its owner sends it, in its parts. */
export interface ParsedKey {
  readonly id: string;
  /** SHA-256 of the secret. */
  readonly digest: Buffer;
}

export interface NewKey {
  readonly id: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly digest: string;
  /** The only copy of the whole key. */
  readonly text: string;
}

/** `fl_<id>_<secret><checksum>`. The id sorts by the time of creation. */
export function newKey(ids: IdGenerator): NewKey {
  const id = ids.next().replaceAll("-", "");
  const secret = secretText();
  const text = `${KEY_PREFIX}${id}_${secret}${checksumOf(id, secret)}`;
  return { id, digest: hash("sha256", secret), text };
}

/** The parts of a key; undefined for a text that is none, which the checksum finds without a look at the store. */
export function parseKey(text: string): ParsedKey | undefined {
  const [, id, secret, checksum] = FORM.exec(text) ?? [];
  if (id === undefined || secret === undefined || checksum !== checksumOf(id, secret)) return undefined;
  // Converted through hexadecimal: Node allocates each buffer of a hash outside of its pool, which costs more than both
  // conversions.
  return { id, digest: Buffer.from(hash("sha256", secret, "hex"), "hex") };
}

/** Finds typing errors and texts that only resemble a key; it is not a secret. 32 bits are 7 digits in base 36. */
function checksumOf(id: string, secret: string): string {
  return crc32(`${id}_${secret}`).toString(36).padStart(7, "0");
}
