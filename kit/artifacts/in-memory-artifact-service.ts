import type { Part } from "../events/content.ts";
import { assertSessionKey } from "../names/identifiers.ts";
import { tenantOf } from "../names/tenant.ts";
import type { Clock } from "../platform/clock.ts";
import type { SessionKey } from "../sessions/session.ts";
import { type ArtifactContent, packArtifact, unpackArtifact } from "./artifact-content.ts";
import { assertArtifactKey, canonicalArtifactUri, isUserArtifact } from "./artifact-key.ts";
import type {
  ArtifactKey,
  ArtifactService,
  ArtifactVersion,
  ListArtifactsResponse,
  ListArtifactVersionsResponse,
  SaveArtifactRequest,
} from "./artifact-service.ts";
import { isReservedArtifactName } from "./inline-data.ts";

interface StoredVersion {
  readonly version: ArtifactVersion;
  readonly content: ArtifactContent;
}

/** One name of one scope. It outlives its versions, so that a number is never reused. */
interface StoredArtifact {
  nextVersion: number;
  readonly versions: Map<number, StoredVersion>;
}

/** Files of one session, or of one user of an app, by name. */
type Scope = Map<string, StoredArtifact>;

/** Artifacts in the memory of this process, for tests and single programs. They end with the process. */
export class InMemoryArtifactService implements ArtifactService {
  readonly #clock: Clock;
  readonly #scopes = new Map<string, Scope>();

  constructor(options: { readonly clock: Clock }) {
    this.#clock = options.clock;
  }

  async saveArtifact(request: SaveArtifactRequest): Promise<ArtifactVersion> {
    assertArtifactKey(request);
    const content = structuredClone(packArtifact(request.artifact));
    const artifact = this.#create(request);
    const number = artifact.nextVersion;
    artifact.nextVersion += 1;
    const version: ArtifactVersion = {
      version: number,
      canonicalUri: canonicalArtifactUri(request, number),
      customMetadata: structuredClone(request.customMetadata ?? {}),
      createTime: this.#clock.now(),
      ...(content.mimeType !== undefined && { mimeType: content.mimeType }),
    };
    artifact.versions.set(number, { version, content });
    return structuredClone(version);
  }

  async loadArtifact(key: ArtifactKey, version?: number): Promise<Part | undefined> {
    const stored = this.#find(key, version);
    return stored === undefined ? undefined : structuredClone(unpackArtifact(stored.content));
  }

  async listArtifactKeys(session: SessionKey): Promise<ListArtifactsResponse> {
    assertSessionKey(session);
    const scopes = [this.#scopes.get(sessionScope(session)), this.#scopes.get(userScope(session))];
    const filenames: string[] = [];
    for (const scope of scopes) {
      for (const [filename, artifact] of scope ?? []) {
        if (artifact.versions.size > 0 && !isReservedArtifactName(filename)) filenames.push(filename);
      }
    }
    return { filenames: filenames.sort() };
  }

  async listVersions(key: ArtifactKey): Promise<ListArtifactVersionsResponse> {
    return { versions: this.#versionsOf(key).map(({ version }) => version.version) };
  }

  async listArtifactVersions(key: ArtifactKey): Promise<readonly ArtifactVersion[]> {
    return structuredClone(this.#versionsOf(key).map(({ version }) => version));
  }

  async getArtifactVersion(key: ArtifactKey, version?: number): Promise<ArtifactVersion | undefined> {
    return structuredClone(this.#find(key, version)?.version);
  }

  async deleteArtifact(key: ArtifactKey): Promise<void> {
    assertArtifactKey(key);
    this.#scopes.get(scopeOf(key))?.get(key.filename)?.versions.clear();
  }

  async deleteSessionArtifacts(session: SessionKey): Promise<void> {
    assertSessionKey(session);
    this.#scopes.delete(sessionScope(session));
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

function scopeOf({ session, filename }: ArtifactKey): string {
  return isUserArtifact(filename) ? userScope(session) : sessionScope(session);
}

function sessionScope(session: SessionKey): string {
  return JSON.stringify([tenantOf(session), session.appName, session.userId, session.id]);
}

function userScope(session: SessionKey): string {
  return JSON.stringify([tenantOf(session), session.appName, session.userId]);
}
