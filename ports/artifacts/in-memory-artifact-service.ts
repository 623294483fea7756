import { type ArtifactContent, packArtifact, unpackArtifact } from "#kit/artifacts/artifact-content.ts";
import {
  assertArtifactKey,
  assertReadArtifact,
  canonicalArtifactUri,
  isUserArtifact,
} from "#kit/artifacts/artifact-key.ts";
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
import type { Part } from "#kit/events/content.ts";
import { assertSessionKey } from "#kit/names/identifiers.ts";
import { pageOfNames } from "#kit/names/name-pages.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { present } from "#kit/platform/members.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { ProcessStorageMeter } from "#ports/storage-limits/process-storage-meter.ts";
import type { StorageCount, StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner, type DataOwner, isOwned } from "../tenants/data-owner.ts";
import { inOrderOfPlaces, isAfter, type PlacedItem, readDataPageNow } from "../tenants/data-pages.ts";
import {
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldItem,
  type OldPage,
  oldPage,
  oldRange,
} from "../tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "../tenants/tenant-data.ts";
import { oldVersionsOf, toOldVersion } from "./old-artifacts.ts";

interface StoredVersion {
  readonly version: ArtifactVersion;
  readonly content: ArtifactContent;
}

/**
 * The versions of one name in one scope. The entry stays after its versions are deleted, so that a number is never
 * reused.
 */
interface StoredArtifact {
  nextVersion: number;
  readonly versions: Map<number, StoredVersion>;
}

/** Files of one session, or of one user of an app, by name. */
type Scope = Map<string, StoredArtifact>;

/** Artifacts in the memory of this process, for tests and single programs. They are lost when the process ends. */
export class InMemoryArtifactService implements ArtifactService, MeteredStore, TenantData, OldData {
  readonly #clock: Clock;
  readonly #scopes = new Map<string, Scope>();
  readonly #meter: ProcessStorageMeter;

  constructor(options: { readonly clock?: Clock; readonly storage?: StorageLimits | undefined } = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#meter = new ProcessStorageMeter({
      kind: "artifacts",
      limits: options.storage,
      load: async (tenant) => this.#storedOf(tenantOf(tenant)),
    });
  }

  async saveArtifact(request: SaveArtifactRequest): Promise<ArtifactVersion> {
    assertArtifactKey(request);
    const content = structuredClone(packArtifact(request.artifact));
    await this.#meter.ready(request.session);
    this.#meter.reserve(request.session, { items: 1, bytes: bytesOf(content, request.customMetadata) });
    const artifact = this.#create(request);
    const number = artifact.nextVersion;
    artifact.nextVersion += 1;
    const version: ArtifactVersion = {
      version: number,
      canonicalUri: canonicalArtifactUri(request, number),
      customMetadata: structuredClone(request.customMetadata ?? {}),
      createTime: this.#clock.now(),
      mimeType: content.mimeType,
    };
    artifact.versions.set(number, { version, content });
    return structuredClone(version);
  }

  async loadArtifact(key: ArtifactKey, version?: number): Promise<Part | undefined> {
    const stored = this.#find(key, version);
    return stored === undefined ? undefined : structuredClone(unpackArtifact(stored.content));
  }

  async describeArtifact(key: ArtifactKey, version?: number): Promise<ArtifactDescription | undefined> {
    const stored = this.#find(key, version);
    if (stored === undefined) return undefined;
    const { part, bytes } = stored.content;
    return structuredClone({
      version: stored.version.version,
      part,
      contentBytes: bytes?.length,
    });
  }

  async readArtifact(request: ReadArtifactRequest): Promise<Uint8Array | undefined> {
    assertReadArtifact(request);
    const { version, from, bytes } = request;
    return this.#find(request, version)?.content.bytes?.slice(from, from + bytes);
  }

  async listArtifactKeys(session: SessionKey, after?: string): Promise<ListArtifactsResponse> {
    assertSessionKey(session);
    const scopes = [this.#scopes.get(sessionScope(session)), this.#scopes.get(userScope(session))];
    const filenames: string[] = [];
    for (const scope of scopes) {
      for (const [filename, artifact] of scope ?? []) {
        if (artifact.versions.size > 0 && !isReservedArtifactName(filename)) filenames.push(filename);
      }
    }
    return { filenames: pageOfNames(filenames, after) };
  }

  async listVersions(key: ArtifactKey, after?: number): Promise<ListArtifactVersionsResponse> {
    const versions = this.#versionsOf(key).map(({ version }) => version.version);
    return { versions: pageOfNames(versions, after) };
  }

  async listArtifactVersions(key: ArtifactKey): Promise<readonly ArtifactVersion[]> {
    return structuredClone(this.#versionsOf(key).map(({ version }) => version));
  }

  async getArtifactVersion(key: ArtifactKey, version?: number): Promise<ArtifactVersion | undefined> {
    return structuredClone(this.#find(key, version)?.version);
  }

  async deleteArtifact(key: ArtifactKey): Promise<void> {
    assertArtifactKey(key);
    await this.#meter.ready(key.session);
    const artifact = this.#scopes.get(scopeOf(key))?.get(key.filename);
    if (artifact === undefined) return;
    this.#meter.release(key.session, amountsOf(artifact));
    artifact.versions.clear();
  }

  async deleteSessionArtifacts(session: SessionKey): Promise<void> {
    assertSessionKey(session);
    await this.#meter.ready(session);
    for (const artifact of this.#scopes.get(sessionScope(session))?.values() ?? [])
      this.#meter.release(session, amountsOf(artifact));
    this.#scopes.delete(sessionScope(session));
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#meter.readStored(counts);
  }

  #storedOf(wanted: string) {
    return [...this.#scopes].flatMap(([key, scope]) => {
      const [tenantId, appName = "", userId = ""] = namesOf(key);
      if (tenantId !== wanted) return [];
      return [...scope.values()].map((artifact) => ({ appName, userId, ...amountsOf(artifact) }));
    });
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    const items = this.#owned(request).flatMap(([key, scope]) => {
      const [, appName = "", userId = "", sessionId] = namesOf(key);
      const owner = present({ appName, userId, sessionId });
      const named = [...scope].filter(([, { versions }]) => versions.size > 0);
      return named.map(([filename]): PlacedItem => {
        return { item: { kind: "artifact", ...owner, filename }, place: [appName, userId, sessionId ?? "", filename] };
      });
    });
    return readDataPageNow(request, (place) => inOrderOfPlaces(items, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const tenant = inTenant(request.tenantId);
    await this.#meter.ready(tenant);
    const scopes = this.#owned(request);
    const some = scopes.slice(0, request.limit);
    for (const [key, scope] of some) {
      const [, appName = "", userId = ""] = namesOf(key);
      for (const artifact of scope.values()) this.#meter.release({ ...tenant, appName, userId }, amountsOf(artifact));
      this.#scopes.delete(key);
    }
    return { deleted: some.reduce((sum, [, { size }]) => sum + size, 0), isDone: some.length === scopes.length };
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const { limit, after } = oldRange(request);
    const page = this.#aged()
      .filter(({ place }) => isAfter(place, after))
      .sort((one, other) => (isAfter(one.place, other.place) ? 1 : -1))
      .slice(0, limit);
    const last = page.length < limit ? undefined : page.at(-1);
    return oldPage(
      request,
      page.map(({ item }) => item),
      last?.place,
    );
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    let deleted = 0;
    for (const { key, versions } of oldVersionsOf(request)) {
      assertArtifactKey(key);
      await this.#meter.ready(key.session);
      const artifact = this.#scopes.get(scopeOf(key))?.get(key.filename);
      for (const number of versions) {
        const stored = artifact?.versions.get(number);
        if (stored === undefined || stored.version.createTime >= request.before) continue;
        artifact?.versions.delete(number);
        this.#meter.release(key.session, { items: 1, bytes: bytesOf(stored.content, stored.version.customMetadata) });
        deleted += 1;
      }
    }
    return deleted;
  }

  #aged(): { readonly item: OldItem; readonly place: readonly string[] }[] {
    return [...this.#scopes].flatMap(([key, scope]) => {
      const [tenantId = "", appName = "", userId = "", sessionId] = namesOf(key);
      return [...scope].flatMap(([filename, { versions }]) =>
        [...versions.values()].flatMap(({ version: { version, createTime } }) => {
          const item = toOldVersion({ tenantId, appName, userId, sessionId, filename, version, timeMs: createTime });
          const place = [tenantId, appName, userId, sessionId ?? "", filename, String(version).padStart(16, "0")];
          return item === undefined ? [] : [{ item, place }];
        }),
      );
    });
  }

  #owned(owner: DataOwner): readonly (readonly [string, Scope])[] {
    return [...this.#scopes].filter(([key]) => {
      const [tenantId = "", , userId] = namesOf(key);
      return isOwned(owner, { tenantId, userId });
    });
  }

  #create(key: ArtifactKey): StoredArtifact {
    const scopeKey = scopeOf(key);
    const scope: Scope = this.#scopes.get(scopeKey) ?? new Map();
    const artifact = scope.get(key.filename) ?? { nextVersion: 0, versions: new Map() };
    scope.set(key.filename, artifact);
    this.#scopes.set(scopeKey, scope);
    return artifact;
  }

  #find(key: ArtifactKey, version: number | undefined): StoredVersion | undefined {
    if (version === undefined) return this.#versionsOf(key).at(-1);
    assertArtifactKey(key);
    return this.#scopes.get(scopeOf(key))?.get(key.filename)?.versions.get(version);
  }

  /** Ascending, because versions are only added at the end. */
  #versionsOf(key: ArtifactKey): readonly StoredVersion[] {
    assertArtifactKey(key);
    return [...(this.#scopes.get(scopeOf(key))?.get(key.filename)?.versions.values() ?? [])];
  }
}

function amountsOf({ versions }: StoredArtifact): MeteredAmounts {
  let bytes = 0;
  for (const { version, content } of versions.values()) bytes += bytesOf(content, version.customMetadata);
  return { items: versions.size, bytes };
}

function bytesOf({ bytes, part }: ArtifactContent, customMetadata: object = {}): number {
  return (bytes?.length ?? 0) + Buffer.byteLength(JSON.stringify([part, customMetadata]));
}

function scopeOf({ session, filename }: ArtifactKey): string {
  return isUserArtifact(filename) ? userScope(session) : sessionScope(session);
}

function sessionScope(session: SessionKey): string {
  return JSON.stringify([tenantOf(session), session.appName, session.userId, session.id]);
}

/** The names in a scope's key. */
function namesOf(key: string): readonly string[] {
  // Written by one of the functions above.
  return JSON.parse(key) as readonly string[];
}

function userScope(session: SessionKey): string {
  return JSON.stringify([tenantOf(session), session.appName, session.userId]);
}
