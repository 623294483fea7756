import { decryptGcm, encryptGcm } from "./aes-gcm.ts";
import { contentKeyUnavailable, contentUnreadable } from "./content-errors.ts";
import type { ContentKeys } from "./content-keys.ts";
import { Nonces } from "./random-bytes.ts";

/** Where content is stored: it can be opened at this place only. */
export interface ContentPlace {
  readonly tenantId: string;
  /** The names that identify the place within the tenant, beginning with the kind of content. */
  readonly parts: readonly (string | number)[];
}

/**
 * Encrypts content on its way into a store, and decrypts it on its way out. Names, ids and times are not content. All
 * methods throw `CONTENT_KEY_UNAVAILABLE`; those that open also throw `CONTENT_UNREADABLE`. Content that was stored
 * before encryption was on is returned as it is.
 */
export interface ContentSealer {
  /** Whether new content is encrypted. */
  readonly isSealing: boolean;
  /** The text must not begin with `fl1.`, as no JSON does. */
  sealText(text: string, place: ContentPlace): string;
  openText(text: string, place: ContentPlace): string;
  sealBytes(bytes: Uint8Array, place: ContentPlace): Uint8Array;
  /** The bytes that `sealBytes` returned: unlike text, bytes do not show whether they are sealed. */
  openBytes(sealed: Uint8Array, place: ContentPlace): Uint8Array;
}

const MARK = "fl1.";

/** Stores content as it is. */
export const plainContent: ContentSealer = {
  isSealing: false,
  sealText: (text) => text,
  openText: (text, { tenantId }) => {
    if (text.startsWith(MARK)) throw contentKeyUnavailable(tenantId);
    return text;
  },
  sealBytes: (bytes) => bytes,
  openBytes: (_, { tenantId }) => {
    throw contentKeyUnavailable(tenantId);
  },
};

const LENGTH_BYTES = 2;

/**
 * Envelope encryption with AES-256-GCM: sealed content is the length of the wrapped data key, that key, the nonce, the
 * tag and the ciphertext. The place is authenticated with it. Nonces are random: a data key is used for a day, by one
 * process. Methods throw `MissingContentKey` for keys that are not in memory.
 */
export class EnvelopeSealer implements ContentSealer {
  readonly isSealing = true;
  readonly #keys: ContentKeys;
  readonly #nonces = new Nonces();

  constructor(keys: ContentKeys) {
    this.#keys = keys;
  }

  sealText(text: string, place: ContentPlace): string {
    return MARK + this.#seal(Buffer.from(text, "utf8"), place).toString("base64url");
  }

  openText(text: string, place: ContentPlace): string {
    if (!text.startsWith(MARK)) return text;
    return this.#open(Buffer.from(text.slice(MARK.length), "base64url"), place).toString("utf8");
  }

  sealBytes(bytes: Uint8Array, place: ContentPlace): Uint8Array {
    return this.#seal(bytes, place);
  }

  openBytes(sealed: Uint8Array, place: ContentPlace): Uint8Array {
    return this.#open(Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength), place);
  }

  #seal(plain: Uint8Array, { tenantId, parts }: ContentPlace): Buffer {
    const { wrapped, key } = this.#keys.newest(tenantId);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(wrapped.length);
    const encrypted = encryptGcm(key, plain, { nonce: this.#nonces.next(), authenticated: placeText(tenantId, parts) });
    return Buffer.concat([length, wrapped, ...encrypted]);
  }

  #open(sealed: Buffer, { tenantId, parts }: ContentPlace): Buffer {
    const wrappedEnd = LENGTH_BYTES + (sealed.length < LENGTH_BYTES ? 0 : sealed.readUInt16BE());
    if (sealed.length < wrappedEnd) throw contentUnreadable(tenantId);
    const { key } = this.#keys.get(tenantId, sealed.subarray(LENGTH_BYTES, wrappedEnd));
    const plain = decryptGcm(key, sealed.subarray(wrappedEnd), placeText(tenantId, parts));
    if (plain === undefined) throw contentUnreadable(tenantId);
    return plain;
  }
}

/** The place as one text, distinct for distinct places. */
function placeText(tenantId: string, parts: readonly (string | number)[]): string {
  return JSON.stringify([tenantId, ...parts]);
}
