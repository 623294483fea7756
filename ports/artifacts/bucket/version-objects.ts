import type { ObjectBucket } from "./object-bucket.ts";
import type { ObjectResource } from "./object-metadata.ts";

/** One version's object, possibly of a deleted version. */
export interface StoredVersion {
  readonly number: number;
  readonly resource: ObjectResource;
}

/** Bytes of UTF-8, for the whole name. */
const MAX_OBJECT_NAME_BYTES = 1024;
/** Digits reserved for a version's number. */
const MAX_VERSION_DIGITS = 10;
const VERSION = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Whether an object can be named under the prefix. Otherwise nothing exists under it, and the service refuses to list
 * it.
 */
export function fits(prefix: string): boolean {
  return Buffer.byteLength(prefix) <= MAX_OBJECT_NAME_BYTES - MAX_VERSION_DIGITS;
}

export function objectName(prefix: string, version: number): string {
  return `${prefix}${version}`;
}

/** The part before the last slash, and the version after it; undefined if that is not a version. */
export function splitObjectName(name: string): { readonly path: string; readonly number: number } | undefined {
  const slash = name.lastIndexOf("/");
  const number = toVersionNumber(name.slice(slash + 1));
  return slash < 0 || number === undefined ? undefined : { path: name.slice(0, slash), number };
}

/** All versions directly under the prefix, unordered. */
export async function versionsUnder(
  objects: ObjectBucket,
  prefix: string,
  options: { withMetadata?: boolean } = {},
): Promise<readonly StoredVersion[]> {
  const versions: StoredVersion[] = [];
  if (!fits(prefix)) return versions;
  for await (const page of objects.list(prefix, options)) {
    for (const resource of page) {
      const number = toVersionNumber(resource.name.slice(prefix.length));
      if (number !== undefined) versions.push({ number, resource });
    }
  }
  return versions;
}

/** -1 if there is none. */
export function maxVersion(versions: readonly StoredVersion[]): number {
  return versions.reduce((max, { number }) => Math.max(max, number), -1);
}

function toVersionNumber(text: string): number | undefined {
  return VERSION.test(text) ? Number(text) : undefined;
}
