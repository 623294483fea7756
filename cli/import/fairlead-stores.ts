import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { allNames } from "#kit/names/name-pages.ts";
import { DEFAULT_TENANT, inTenant, tenantOf } from "#kit/names/tenant.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { idleSessionsOf, MAX_IDLE_PAGE } from "#ports/tenants/idle-sessions.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import { placeOf, type SessionSource, type SourceItem, type SourceLimits } from "./session-source.ts";

export interface FairleadStoresOptions {
  readonly sessions: SessionService;
  readonly artifacts: ArtifactService;
  readonly limits: SourceLimits;
  readonly dispose: () => Promise<void>;
}

const FILES_OF_PAGE = 100;
const CHARACTERS_OF_PAGE = 1024 * 1024;

/** The sessions and files of stores of this server, of all tenants. */
export class FairleadStores implements SessionSource {
  readonly #options: FairleadStoresOptions;

  constructor(options: FairleadStoresOptions) {
    this.#options = options;
  }

  async *items(): AsyncGenerator<SourceItem> {
    const tenants = new Set([DEFAULT_TENANT]);
    for await (const key of allSessions(this.#options.sessions)) {
      tenants.add(tenantOf(key));
      yield* this.#session(key);
    }
    for (const tenantId of tenants) yield* this.#files(tenantId);
  }

  async *#session(key: SessionKey): AsyncGenerator<SourceItem> {
    const { sessions, limits } = this.#options;
    const session = await sessions.getSession(key, { numRecentEvents: 0 });
    // Deleted since it was listed.
    if (session === undefined) return;
    if (session.revision > limits.maxEvents) {
      const reason = `It has ${session.revision} events, over the ${limits.maxEvents} of MAX_IMPORTED_EVENTS.`;
      yield { kind: "problem", place: `sessions ${placeOf(key)}`, reason };
      return;
    }
    const events = [];
    const pages = allPages((place) => sessions.listEvents({ ...key, maxCharacters: CHARACTERS_OF_PAGE, ...place }));
    for await (const page of pages) events.push(...page.events);
    const { state, lastUpdateTime, closedTime } = session;
    yield { kind: "session", key, state, events, lastUpdateTime, closedTime };
  }

  async *#files(tenantId: string): AsyncGenerator<SourceItem> {
    const { artifacts } = this.#options;
    const data = tenantDataOf(artifacts);
    for await (const { items } of allPages((place) => data.listData({ tenantId, pageSize: FILES_OF_PAGE, ...place })))
      for (const { kind, ...names } of items) {
        if (kind !== "artifact") continue;
        const { appName, userId, sessionId = "-", filename } = names;
        const session = {
          ...inTenant(tenantId),
          appName: String(appName),
          userId: String(userId),
          id: String(sessionId),
        };
        const key = { session, filename: String(filename) };
        const numbers = allNames(async (after?: number) => (await artifacts.listVersions(key, after)).versions);
        for await (const version of numbers) {
          const [artifact, described] = await Promise.all([
            artifacts.loadArtifact(key, version),
            artifacts.getArtifactVersion(key, version),
          ]);
          if (artifact !== undefined)
            yield { kind: "file", ...key, version, artifact, customMetadata: described?.customMetadata };
        }
      }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#options.dispose();
  }
}

/** The keys of all sessions of a store. */
export async function* allSessions(sessions: SessionService): AsyncGenerator<SessionKey> {
  const idle = idleSessionsOf(sessions);
  const updatedBefore = Number.MAX_SAFE_INTEGER;
  const pages = allPages((place) => idle.listIdleSessions({ updatedBefore, pageSize: MAX_IDLE_PAGE, ...place }));
  for await (const page of pages) for (const { key } of page.sessions) yield key;
}
