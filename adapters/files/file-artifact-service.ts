import { basename, join } from "node:path";
import { packArtifact, unpackArtifact } from "#kit/artifacts/artifact-content.ts";
import {
  assertArtifactKey,
  assertReadArtifact,
  isUserArtifact,
  toArtifactVersion,
} from "#kit/artifacts/artifact-key.ts";
import {
  type ArtifactDescription,
  type ArtifactKey,
  type ArtifactService,
  type ArtifactVersion,
  type ListArtifactsResponse,
  type ListArtifactVersionsResponse,
  type ReadArtifactRequest,
  type SaveArtifactRequest,
  USER_FILE_PREFIX,
} from "#kit/artifacts/artifact-service.ts";
import { isReservedArtifactName } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import { assertSessionKey } from "#kit/names/identifiers.ts";
import { allNames, pageOfNames } from "#kit/names/name-pages.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { isAbsent } from "#kit/platform/file-errors.ts";
import { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { artifactPlace } from "#ports/artifacts/artifact-place.ts";
import { oldVersionsOf } from "#ports/artifacts/old-artifacts.ts";
import { type ContentSealer, plainContent } from "#ports/encryption/content-sealer.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { ProcessStorageMeter } from "#ports/storage-limits/process-storage-meter.ts";
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
import { listArtifacts, NAME_FILE, nextNumber, readNextVersion, versionsIn } from "./artifact-folder.ts";
import { removeCounted, removeUserCounted, removeVersions } from "./artifact-removal.ts";
import { sizeOfScope, storedArtifacts } from "./artifact-sizes.ts";
import {
  claimName,
  listNames,
  makeFolder,
  mayExist,
  readIfPresent,
  readRangeIfPresent,
  removeIfPresent,
  removeTree,
  replaceFile,
  syncFolder,
  TemporaryNames,
  writeTemporary,
} from "./durable-files.ts";
import { isHashedSegment, toFileSegment } from "./file-segment.ts";
import { oldArtifacts, savedAt } from "./old-artifacts.ts";
import { deleteOwnedArtifacts, ownedArtifacts } from "./owned-artifacts.ts";
import { tenantFolder } from "./tenant-folder.ts";
import { openData, sealData, storedRange, type VersionRecord } from "./version-data.ts";

export interface FileArtifactServiceOptions {
  /** The folder for the files, which only this service may use; created if missing. */
  readonly root: string;
  readonly clock: Clock;
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
 * Artifacts as files: `{app}/{user}/s/{session}/{filename}/` and, for files of the user, `{app}/{user}/u/{filename}/`,
 * in which version `n` is `n.data` (the raw bytes) and `n.json` (its metadata). Those of tenants other than `default` are
 * below `.tenants/{tenant}`.
 *
 * A save claims a version's number by linking its data file, which fails if the number is taken; the version exists
 * once its record exists. So an interrupted save leaves at most an unused number. A delete first stores the next
 * number.
 */
export class FileArtifactService implements ArtifactService, MeteredStore, TenantData, OldData {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #temporary: TemporaryNames;
  readonly #mutex = new KeyedMutex();
  readonly #sealer: ContentSealer;
  readonly #meter: ProcessStorageMeter;

  constructor({ root, clock, sealer = plainContent, storage }: FileArtifactServiceOptions) {
    this.#meter = new ProcessStorageMeter({
      kind: "artifacts",
      limits: storage,
      load: (tenant) => storedArtifacts(tenantFolder(root, tenant)),
      nameOf: toFileSegment,
    });
    this.#sealer = sealer;
    this.#root = root;
    this.#clock = clock;
    this.#temporary = new TemporaryNames(join(root, ".tmp"));
  }

  async saveArtifact(request: SaveArtifactRequest): Promise<ArtifactVersion> {
    assertArtifactKey(request);
    const content = packArtifact(request.artifact);
    const { bytes, sealed } = sealData(content.bytes, request, this.#sealer);
    const record: VersionRecord = {
      createTime: this.#clock.now(),
      customMetadata: request.customMetadata ?? {},
      mimeType: content.mimeType,
      part: content.part,
      contentBytes: content.bytes?.byteLength,
      sealed,
    };
    await this.#meter.ready(request.session);
    const size = { items: 1, bytes: bytes.byteLength + this.#recordBytes(request, record) };
    this.#meter.reserve(request.session, size);
    const folder = this.#folderOf(request);
    let isStored = false;
    try {
      const data = await this.#writeTemporary(bytes);
      const number = await this.#mutex.run(this.#lockOf(request), async () => {
        const stored = await this.#store(folder, request, { data, record });
        ({ isStored } = stored);
        if (stored.kind === "failed") throw stored.error;
        return stored.number;
      });
      return toArtifactVersion(request, number, record);
    } finally {
      if (!isStored) this.#meter.release(request.session, size);
    }
  }

  async loadArtifact(key: ArtifactKey, version?: number): Promise<Part | undefined> {
    assertArtifactKey(key);
    const found = await this.#find(key, version);
    if (found === undefined) return undefined;
    const { part, contentBytes } = found.record;
    if (contentBytes === undefined) return part;
    const data = await readIfPresent(this.#dataFile(key, found.number));
    // The version was deleted between the two reads.
    if (data === undefined) return undefined;
    const bytes = openData(data, { from: 0, bytes: contentBytes }, found.record, { key, sealer: this.#sealer });
    return unpackArtifact({ part, bytes });
  }

  async describeArtifact(key: ArtifactKey, version?: number): Promise<ArtifactDescription | undefined> {
    assertArtifactKey(key);
    const found = await this.#find(key, version);
    if (found === undefined) return undefined;
    const { part, contentBytes } = found.record;
    return { version: found.number, part, contentBytes };
  }

  async readArtifact(request: ReadArtifactRequest): Promise<Uint8Array | undefined> {
    assertReadArtifact(request);
    const found = await this.#find(request, request.version);
    if (found?.record.contentBytes === undefined) return undefined;
    const range = { from: request.from, bytes: request.bytes };
    const data = await readRangeIfPresent(this.#dataFile(request, found.number), storedRange(range, found.record));
    return data && openData(data, range, found.record, { key: request, sealer: this.#sealer });
  }

  async listArtifactKeys(session: SessionKey, after?: string): Promise<ListArtifactsResponse> {
    assertSessionKey(session);
    const [own, shared] = await Promise.all([
      listArtifacts(this.#sessionFolder(session), isReservedArtifactName),
      listArtifacts(this.#userFolder(session), () => false),
    ]);
    return { filenames: pageOfNames([...own, ...shared.map((filename) => USER_FILE_PREFIX + filename)], after) };
  }

  async listVersions(key: ArtifactKey, after?: number): Promise<ListArtifactVersionsResponse> {
    assertArtifactKey(key);
    return { versions: pageOfNames(versionsIn(await listNames(this.#folderOf(key))), after) };
  }

  async listArtifactVersions(key: ArtifactKey): Promise<readonly ArtifactVersion[]> {
    const versions = await Array.fromAsync(
      allNames(async (after?: number) => (await this.listVersions(key, after)).versions),
    );
    const found = await Promise.all(versions.map((version) => this.getArtifactVersion(key, version)));
    return found.filter((version) => version !== undefined);
  }

  async getArtifactVersion(key: ArtifactKey, version?: number): Promise<ArtifactVersion | undefined> {
    assertArtifactKey(key);
    const found = await this.#find(key, version);
    return found === undefined ? undefined : toArtifactVersion(key, found.number, found.record);
  }

  async deleteArtifact(key: ArtifactKey): Promise<void> {
    assertArtifactKey(key);
    await this.#meter.ready(key.session);
    await this.#deleteVersions(key, () => true);
  }

  async deleteSessionArtifacts(session: SessionKey): Promise<void> {
    assertSessionKey(session);
    const folder = this.#sessionFolder(session);
    if (!this.#meter.isMetering) return removeTree(folder);
    await this.#meter.ready(session);
    await this.#mutex.run(folder, () =>
      removeCounted(folder, sizeOfScope, (size) => this.#meter.release(session, size)),
    );
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#meter.readStored(counts);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => ownedArtifacts(this.#root, request, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const tenant = inTenant(request.tenantId);
    await this.#meter.ready(tenant);
    return deleteOwnedArtifacts(this.#root, request, async (user) => {
      if (!this.#meter.isMetering) return removeTree(user.path);
      await removeUserCounted(user.path, this.#mutex, (size) =>
        this.#meter.releaseStored(tenant, { appName: user.app, userId: user.user, ...size }),
      );
    });
  }

  listOldData(request: ListOldRequest): Promise<OldPage> {
    return oldArtifacts(this.#root, request);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    let deleted = 0;
    for (const { key, versions } of oldVersionsOf(request)) {
      assertArtifactKey(key);
      await this.#meter.ready(key.session);
      const isOld = async (number: number) =>
        versions.has(number) && ((await savedAt(this.#folderOf(key), number)) ?? request.before) < request.before;
      deleted += await this.#deleteVersions(key, isOld);
    }
    return deleted;
  }

  /** Returns how many versions were deleted. */
  #deleteVersions(key: ArtifactKey, isMeant: (number: number) => boolean | Promise<boolean>): Promise<number> {
    const write = (text: string) => this.#writeTemporary(text);
    const release = this.#meter.isMetering
      ? (size: MeteredAmounts) => this.#meter.release(key.session, size)
      : undefined;
    return this.#mutex
      .run(this.#lockOf(key), () => removeVersions(this.#folderOf(key), { isMeant, write, release }))
      .catch((error: unknown) => {
        // The session was deleted in the meantime, together with the folder.
        if (!isAbsent(error)) throw error;
        return 0;
      });
  }

  /** A failed save leaves no file, so that refused data takes no space of a full disk. */
  async #store(
    folder: string,
    key: ArtifactKey,
    { data, record }: { readonly data: string; readonly record: VersionRecord },
  ): Promise<StoreOutcome> {
    let claimed: number | undefined;
    try {
      claimed = await this.#claimNumber(folder, key.filename, data);
      const text = this.#sealer.sealText(JSON.stringify(record), artifactPlace(key, "artifact", claimed));
      const isStored = await this.#writeRecord(folder, claimed, text);
      return { kind: "stored", number: claimed, isStored };
    } catch (error) {
      // A version without a record never existed, so its number is free again. A version with a record exists.
      const isStored = claimed !== undefined && (await mayExist(join(folder, `${claimed}.json`)));
      const leftover = claimed === undefined ? data : join(folder, `${claimed}.data`);
      if (!isStored) await removeIfPresent(leftover).catch(() => {});
      return { kind: "failed", error, isStored };
    }
  }

  /** Returns the number under which the data file is now stored in the folder. */
  async #claimNumber(folder: string, filename: string, data: string): Promise<number> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      try {
        await this.#prepareFolder(folder, filename);
        const number = await nextNumber(folder, await listNames(folder));
        if (!(await claimName(data, join(folder, `${number}.data`)))) continue;
        if ((await readNextVersion(folder)) <= number) return number;
        // A delete has passed the number in the meantime, so it may have been used before. Take the file back and try
        // again.
        await replaceFile(join(folder, `${number}.data`), data);
      } catch (error) {
        // The session was deleted in the meantime, together with the folder. The data still has its temporary name.
        if (!isAbsent(error)) throw error;
      }
    }
    throw new PlatformError(
      "STORE_UNAVAILABLE",
      "The artifact could not be stored: too many concurrent saves of one name. Try again.",
    );
  }

  async #prepareFolder(folder: string, filename: string): Promise<void> {
    await makeFolder(folder);
    const nameFile = join(folder, NAME_FILE);
    if (!isHashedSegment(basename(folder)) || (await readIfPresent(nameFile)) !== undefined) return;
    await replaceFile(await this.#writeTemporary(storedName(filename)), nameFile);
  }

  /** Returns false if the session was deleted meanwhile. */
  async #writeRecord(folder: string, number: number, text: string): Promise<boolean> {
    const temporary = await this.#writeTemporary(text);
    try {
      await replaceFile(temporary, join(folder, `${number}.json`));
      await syncFolder(folder);
      return true;
    } catch (error) {
      // The session was deleted in the meantime, together with the folder: the result is the same as if it had been
      // deleted just after this save.
      if (!isAbsent(error)) throw error;
      await removeIfPresent(temporary);
      return false;
    }
  }

  /** Bytes of the file with the record; 0 where they are not counted. */
  #recordBytes(key: ArtifactKey, record: VersionRecord): number {
    if (!this.#meter.isMetering) return 0;
    // The number of the version does not change the length.
    return Buffer.byteLength(this.#sealer.sealText(JSON.stringify(record), artifactPlace(key, "artifact", 0)));
  }

  /** Where sizes are counted, saves of a session wait for each other and for its deletion, so that no file is counted twice. */
  #lockOf(key: ArtifactKey): string {
    const isSessions = this.#meter.isMetering && !isUserArtifact(key.filename);
    return isSessions ? this.#sessionFolder(key.session) : this.#folderOf(key);
  }

  async #find(
    key: ArtifactKey,
    version: number | undefined,
  ): Promise<{ readonly number: number; readonly record: VersionRecord } | undefined> {
    const folder = this.#folderOf(key);
    const number = version ?? versionsIn(await listNames(folder)).at(-1);
    if (number === undefined || !Number.isSafeInteger(number) || number < 0) return undefined;
    const text = await readIfPresent(join(folder, `${number}.json`));
    if (text === undefined) return undefined;
    const json = this.#sealer.openText(text.toString("utf8"), artifactPlace(key, "artifact", number));
    // Only this class writes records.
    return { number, record: JSON.parse(json) as VersionRecord };
  }

  #dataFile(key: ArtifactKey, number: number): string {
    return join(this.#folderOf(key), `${number}.data`);
  }

  async #writeTemporary(bytes: Uint8Array | string): Promise<string> {
    const path = await this.#temporary.next();
    await writeTemporary(path, bytes);
    return path;
  }

  #folderOf({ session, filename }: ArtifactKey): string {
    const scope = isUserArtifact(filename) ? this.#userFolder(session) : this.#sessionFolder(session);
    return join(scope, toFileSegment(storedName(filename)));
  }

  #sessionFolder(session: SessionKey): string {
    return join(this.#ownerFolder(session), "s", toFileSegment(session.id));
  }

  #userFolder(session: SessionKey): string {
    return join(this.#ownerFolder(session), "u");
  }

  #ownerFolder(session: SessionKey): string {
    return join(tenantFolder(this.#root, session), toFileSegment(session.appName), toFileSegment(session.userId));
  }
}

/** The outcome of a save, and whether the version exists now. It may exist after a failure too. */
type StoreOutcome =
  | { readonly kind: "stored"; readonly number: number; readonly isStored: boolean }
  | { readonly kind: "failed"; readonly error: unknown; readonly isStored: boolean };

/** The name within its scope. */
function storedName(filename: string): string {
  return isUserArtifact(filename) ? filename.slice(USER_FILE_PREFIX.length) : filename;
}
