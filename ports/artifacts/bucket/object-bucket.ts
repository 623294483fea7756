import type { ByteRange } from "#ports/encryption/sealed-blocks.ts";
import type { ObjectAttributes, ObjectResource } from "./object-metadata.ts";

export interface WriteObjectRequest {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly attributes: ObjectAttributes;
  /** The generation to replace; `NO_GENERATION` if the object must not exist. */
  readonly generation: string;
}

/** The generation of an object that does not exist. */
export const NO_GENERATION = "0";

export interface StoredObject {
  readonly resource: ObjectResource;
  readonly bytes: Uint8Array;
}

/**
 * Objects of one bucket, which are written and read whole or in ranges, and replaced under a condition. Each call has a
 * deadline. Each failure is a `PlatformError` that does not name the bucket or an object: `STORE_UNAVAILABLE` for a fault
 * of the service.
 */
export interface ObjectBucket {
  /**
   * Pages of the objects whose names have the prefix, in the order of their names. Without metadata, resources have no
   * size, and the content type is certain only if it is `TOMBSTONE`'s. The first object is the one after the name
   * `after`, if it is given.
   */
  list(
    prefix: string,
    options?: { readonly withMetadata?: boolean; readonly after?: string | undefined },
  ): AsyncGenerator<readonly ObjectResource[], void, undefined>;
  /** The parts of names that follow the prefix, up to a slash, in their order. */
  folders(prefix: string): AsyncGenerator<string, void, undefined>;
  /** False if the object does not have that generation. Also false if the write succeeded and its answer was lost. */
  write(request: WriteObjectRequest): Promise<boolean>;
  resource(name: string): Promise<ObjectResource | undefined>;
  /** The object with its bytes; undefined if it does not exist, or was deleted during the call. */
  read(name: string): Promise<StoredObject | undefined>;
  download(name: string): Promise<Uint8Array | undefined>;
  /** A range of an object's bytes, fewer at its end; undefined if it is not this object any more. */
  readRange(resource: ObjectResource, range: ByteRange): Promise<Uint8Array | undefined>;
  /**
   * Succeeds if the object no longer exists, or no longer has that generation. Returns whether this call removed it;
   * false also if it did and its answer was lost.
   */
  remove(resource: ObjectResource): Promise<boolean>;
}
