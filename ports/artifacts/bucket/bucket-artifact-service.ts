import { unpackArtifact } from "#kit/artifacts/artifact-content.ts";
import { assertArtifactKey, assertReadArtifact, toArtifactVersion } from "#kit/artifacts/artifact-key.ts";
import type {
  ArtifactDescription,
  ArtifactKey,
  ArtifactService,
  ArtifactVersion,
  ListArtifactsResponse,
  ListArtifactVersionsResponse,
  ReadArtifactRequest,
  SaveArtifactRequest,
} from "#kit/artifacts/artifact-service.ts";
import { isReservedArtifactName } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import { assertSessionKey } from "#kit/names/identifiers.ts";
import { pageOfNames } from "#kit/names/name-pages.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type ContentSealer, plainContent } from "#ports/encryption/content-sealer.ts";
import { type ByteRange, openRange, sealedRange } from "#ports/encryption/sealed-blocks.ts";
import {
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  sumOf,
} from "#ports/storage-limits/metered-amounts.ts";
import type { StorageCount, StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import { readDataPage } from "#ports/tenants/data-pages.ts";
import type { DeleteOldRequest, ListOldRequest, OldData, OldPage } from "#ports/tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { artifactPlace } from "../artifact-place.ts";
import { oldVersionsOf } from "../old-artifacts.ts";
import { type ArtifactLayout, type ArtifactScope, fairleadLayout } from "./artifact-layout.ts";
import { BucketStorageMeter } from "./bucket-storage-meter.ts";
import { NO_GENERATION, type ObjectBucket } from "./object-bucket.ts";
import { deleteNames, deleteVersions, type OnDeleted } from "./object-deletion.ts";
import {
  hasBytes,
  isSealed,
  isTombstone,
  type ObjectPlaces,
  type ObjectResource,
  type PackedObject,
  packObject,
  readRecord,
  SAVE_ID,
  sealObject,
  type VersionRecord,
} from "./object-metadata.ts";
import { isVersionBefore, oldObjects } from "./old-objects.ts";
import { deleteOwnedObjects, type OwnedPlaces, ownedObjects } from "./owned-objects.ts";
import { metadataBytes, sizeOfObject } from "./stored-objects.ts";
import { fits, maxVersion, objectName, type StoredVersion, splitObjectName, versionsUnder } from "./version-objects.ts";

export interface BucketArtifactServiceOptions {
  readonly objects: ObjectBucket;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The kit's own layout by default. */
  readonly layout?: ArtifactLayout;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

/**
 * Attempts at a free number. An attempt is lost only to another process, because this one queues its saves of one name.
 */
const MAX_ATTEMPTS = 100;

/**
 * Artifacts in a bucket of any technology, one object for each version, which is created once and never changed.
 *
 * A save lists the numbers of its name and creates the next object on the condition that it does not exist; if another
 * save was faster, it tries the next number. A delete keeps the number in use: the newest version, and any whose number
 * a save in progress may try, is replaced by an empty object (see object-deletion.ts). So no object is changed often,
 * and no number is used twice.
 */
export class BucketArtifactService implements ArtifactService, MeteredStore, TenantData, OldData {
  readonly #objects: ObjectBucket;
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #layout: ArtifactLayout;
  readonly #queue = new KeyedMutex();
  readonly #sealer: ContentSealer;
  readonly #meter: BucketStorageMeter;

  constructor(options: BucketArtifactServiceOptions) {
    const { objects, clock, ids, layout = fairleadLayout, sealer = plainContent, storage } = options;
    this.#sealer = sealer;
    this.#meter = new BucketStorageMeter({ objects, ids, layout, limits: storage });
    this.#objects = objects;
    this.#clock = clock;
    this.#ids = ids;
    this.#layout = layout;
  }

  async saveArtifact(request: SaveArtifactRequest): Promise<ArtifactVersion> {
    assertArtifactKey(request);
    const prefixes = this.#layout.versionPrefixes(request);
    const [prefix] = prefixes;
    if (!fits(prefix)) throw nameTooLong();
    const saveId = this.#ids.next();
    const packed = packObject(request, this.#clock.now(), saveId);
    // What is reserved stays reserved if the save fails, because the version may exist then.
    await this.#reserve(request, packed);
    const number = await this.#queue.run(prefix, () => this.#create(request, prefixes, packed));
    return toArtifactVersion(request, number, packed.record);
  }

  async loadArtifact(key: ArtifactKey, version?: number): Promise<Part | undefined> {
    for (const name of await this.#candidates(key, version)) {
      const stored = await this.#objects.read(name);
      if (stored === undefined || isTombstone(stored.resource)) continue;
      const { resource, bytes } = stored;
      const record = this.#readRecord(key, resource);
      if (!hasBytes(record)) return unpackArtifact({ part: record.part });
      const range = { from: 0, bytes: contentBytesOf(record, resource) };
      return unpackArtifact({ part: record.part, bytes: this.#open(key, { resource, record, bytes }, range) });
    }
    return undefined;
  }

  async describeArtifact(key: ArtifactKey, version?: number): Promise<ArtifactDescription | undefined> {
    const found = await this.#find(key, version);
    if (found === undefined) return undefined;
    const { number, record, resource } = found;
    return {
      version: number,
      part: record.part,
      contentBytes: hasBytes(record) ? contentBytesOf(record, resource) : undefined,
    };
  }

  async readArtifact(request: ReadArtifactRequest): Promise<Uint8Array | undefined> {
    assertReadArtifact(request);
    const found = await this.#find(request, request.version);
    if (found === undefined || !hasBytes(found.record)) return undefined;
    const { record, resource } = found;
    const range = { from: request.from, bytes: request.bytes };
    const contentBytes = contentBytesOf(record, resource);
    if (range.bytes === 0 || range.from >= contentBytes) return new Uint8Array();
    const { blocks } = record;
    const stored = blocks === undefined ? range : sealedRange(range, blocks);
    const bytes = await this.#objects.readRange(resource, stored);
    return bytes && this.#open(request, { resource, record, bytes }, range);
  }

  async listArtifactKeys(session: SessionKey, after?: string): Promise<ListArtifactsResponse> {
    assertSessionKey(session);
    const [own, shared] = await Promise.all([
      this.#filenames(this.#layout.sessionScope(session)),
      this.#filenames(this.#layout.userScope(session)),
    ]);
    const names = [...own, ...shared].filter((name) => !isReservedArtifactName(name));
    return { filenames: pageOfNames(names, after) };
  }

  async listVersions(key: ArtifactKey, after?: number): Promise<ListArtifactVersionsResponse> {
    const versions = (await this.#liveVersions(key)).map(({ number }) => number);
    return { versions: pageOfNames(versions, after) };
  }

  async listArtifactVersions(key: ArtifactKey): Promise<readonly ArtifactVersion[]> {
    const versions = await this.#liveVersions(key, { withMetadata: true });
    return versions.map(({ number, resource }) => toArtifactVersion(key, number, this.#readRecord(key, resource)));
  }

  async getArtifactVersion(key: ArtifactKey, version?: number): Promise<ArtifactVersion | undefined> {
    const found = await this.#find(key, version);
    return found && toArtifactVersion(key, found.number, found.record);
  }

  async deleteArtifact(key: ArtifactKey): Promise<void> {
    assertArtifactKey(key);
    await this.#deleteVersions(key, () => {});
  }

  async deleteSessionArtifacts(session: SessionKey): Promise<void> {
    assertSessionKey(session);
    const { prefix } = this.#layout.sessionScope(session);
    if (!fits(prefix)) return;
    for await (const page of this.#objects.list(prefix, { withMetadata: this.#meter.isMetering }))
      await this.#releasing(session, (onDeleted) => deleteNames(this.#objects, page, onDeleted));
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#meter.readStored(counts);
  }

  async #reserve(key: ArtifactKey, packed: PackedObject): Promise<void> {
    if (!this.#meter.isMetering) return;
    // The number of the version does not change the length.
    const { bytes, attributes } = this.#sealer.isSealing ? sealObject(packed, this.#sealer, placesOf(key, 0)) : packed;
    await this.#meter.reserve(key.session, { items: 1, bytes: bytes.length + metadataBytes(attributes.metadata) });
  }

  /** Releases what was deleted, also if the deletion fails after a part of it. */
  async #releasing(session: SessionKey, remove: (onDeleted: OnDeleted) => Promise<void>): Promise<void> {
    let deleted = NOTHING_METERED;
    try {
      await remove((resource) => {
        deleted = sumOf(deleted, sizeOfObject(resource));
      });
    } finally {
      await this.#meter.release(session, deleted);
    }
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => ownedObjects(this.#owned, request, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const step = await deleteOwnedObjects(this.#owned, request, this.#meter);
    if (step.isDone) await this.#meter.forget(request);
    return step;
  }

  listOldData(request: ListOldRequest): Promise<OldPage> {
    return oldObjects(this.#owned, request);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    let deleted = 0;
    for (const { key, versions } of oldVersionsOf(request)) {
      assertArtifactKey(key);
      const count: OnDeleted = (resource) => {
        if (!isTombstone(resource)) deleted += 1;
      };
      const isMeant = ({ number, resource }: StoredVersion) =>
        versions.has(number) && isVersionBefore(resource, request.before);
      await this.#deleteVersions(key, count, isMeant);
    }
    return deleted;
  }

  async #deleteVersions(key: ArtifactKey, count: OnDeleted, isMeant?: (version: StoredVersion) => boolean) {
    const withMetadata = this.#meter.isMetering;
    const versions = await this.#allVersions(this.#layout.versionPrefixes(key), { withMetadata });
    const now = this.#clock.now();
    await this.#releasing(key.session, (release) => {
      const onDeleted: OnDeleted = (resource) => {
        count(resource);
        release(resource);
      };
      return deleteVersions(this.#objects, versions, { now, onDeleted, isMeant });
    });
  }

  get #owned(): OwnedPlaces {
    return { objects: this.#objects, layout: this.#layout };
  }

  /**
   * The name of the object whose bytes are the version's, or the newest one's; undefined if the version does not exist, has no
   * bytes or is encrypted.
   */
  protected async plainObject(key: ArtifactKey, version: number | undefined): Promise<string | undefined> {
    for (const name of await this.#candidates(key, version)) {
      const resource = await this.#objects.resource(name);
      if (resource === undefined || isTombstone(resource) || isSealed(resource)) continue;
      if (hasBytes(this.#readRecord(key, resource))) return name;
    }
    return undefined;
  }

  /** Returns the number under which the object was created. */
  async #create(key: ArtifactKey, prefixes: readonly [string, ...string[]], packed: PackedObject): Promise<number> {
    const saveId = packed.attributes.metadata[SAVE_ID];
    const first = maxVersion(await this.#allVersions(prefixes)) + 1;
    for (let number = first; number < first + MAX_ATTEMPTS; number += 1) {
      const name = objectName(prefixes[0], number);
      const { bytes, attributes } = this.#sealer.isSealing
        ? sealObject(packed, this.#sealer, placesOf(key, number))
        : packed;
      if (await this.#objects.write({ name, bytes, attributes, generation: NO_GENERATION })) return number;
      // The number is taken, unless an attempt of this same save took it and its answer was lost.
      if ((await this.#objects.resource(name))?.metadata?.[SAVE_ID] === saveId) return number;
    }
    throw new PlatformError(
      "STORE_UNAVAILABLE",
      "The artifact could not be stored: too many concurrent saves of one name. Try again.",
    );
  }

  #readRecord(key: ArtifactKey, resource: ObjectResource): VersionRecord {
    return readRecord(resource, (text) => this.#sealer.openText(text, placesOf(key, numberOf(resource)).metadata));
  }

  /** The version's object, or the newest one's. */
  async #find(key: ArtifactKey, version: number | undefined): Promise<FoundVersion | undefined> {
    for (const name of await this.#candidates(key, version)) {
      const resource = await this.#objects.resource(name);
      const number = splitObjectName(name)?.number;
      if (resource === undefined || number === undefined || isTombstone(resource)) continue;
      return { number, resource, record: this.#readRecord(key, resource) };
    }
    return undefined;
  }

  /** The range of the content, of which `bytes` are the stored form. */
  #open(key: ArtifactKey, { resource, record, bytes }: StoredRange, range: ByteRange): Uint8Array {
    if (record.blocks === undefined) return bytes;
    const place = placesOf(key, numberOf(resource)).data;
    return openRange(bytes, range, record.blocks, { sealer: this.#sealer, place });
  }

  /** Names of the objects that may be the version, or the newest one. */
  async #candidates(key: ArtifactKey, version: number | undefined): Promise<readonly string[]> {
    if (version === undefined) {
      const newest = (await this.#liveVersions(key)).at(-1);
      return newest === undefined ? [] : [newest.resource.name];
    }
    assertArtifactKey(key);
    if (!Number.isSafeInteger(version) || version < 0) return [];
    return this.#layout
      .versionPrefixes(key)
      .filter(fits)
      .map((prefix) => objectName(prefix, version));
  }

  /** Ascending. */
  async #liveVersions(key: ArtifactKey, options: { withMetadata?: boolean } = {}): Promise<readonly StoredVersion[]> {
    assertArtifactKey(key);
    const live = new Map<number, StoredVersion>();
    for (const version of await this.#allVersions(this.#layout.versionPrefixes(key), options)) {
      if (!isTombstone(version.resource) && !live.has(version.number)) live.set(version.number, version);
    }
    return [...live.values()].sort((left, right) => left.number - right.number);
  }

  async #allVersions(
    prefixes: readonly string[],
    options: { withMetadata?: boolean } = {},
  ): Promise<readonly StoredVersion[]> {
    return (await Promise.all(prefixes.map((prefix) => versionsUnder(this.#objects, prefix, options)))).flat();
  }

  /** Names in the scope that have a version. */
  async #filenames({ prefix, toFilename }: ArtifactScope): Promise<Iterable<string>> {
    const paths = new Set<string>();
    if (!fits(prefix)) return paths;
    for await (const page of this.#objects.list(prefix)) collectPaths(page, prefix, paths);
    return new Set([...paths].map(toFilename).filter((filename) => filename !== undefined));
  }
}

interface FoundVersion {
  readonly number: number;
  readonly resource: ObjectResource;
  readonly record: VersionRecord;
}

interface StoredRange extends Omit<FoundVersion, "number"> {
  readonly bytes: Uint8Array;
}

function contentBytesOf({ blocks }: VersionRecord, { size }: ObjectResource): number {
  return blocks?.contentBytes ?? Number(size ?? 0);
}

function placesOf(key: ArtifactKey, version: number): ObjectPlaces {
  return {
    data: artifactPlace(key, "artifact-data", version),
    metadata: artifactPlace(key, "artifact", version),
  };
}

function numberOf({ name }: ObjectResource): number {
  return splitObjectName(name)?.number ?? -1;
}

function collectPaths(page: readonly ObjectResource[], prefix: string, paths: Set<string>): void {
  for (const resource of page) {
    const path = isTombstone(resource) ? undefined : splitObjectName(resource.name.slice(prefix.length))?.path;
    if (path !== undefined) paths.add(path);
  }
}

function nameTooLong(): PlatformError {
  return new PlatformError(
    "INVALID_IDENTIFIER",
    "filename is too long for this store together with the app's, user's and session's ids, in which each byte other than a letter, digit or one of @=+,._- counts three times. Choose a shorter name.",
    { details: { field: "filename" } },
  );
}
