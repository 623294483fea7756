import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { PostgresMemoryService } from "#adapters/postgres/postgres-memory-service.ts";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import type { MemoryEntry, MemoryScope } from "#kit/memory/memory-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";
import { joinStore } from "#test/helpers/servers/loopback.ts";
import type { StoredSession } from "./check-store.ts";

type SessionStore = SessionService & RunJournal;

/** The store itself, without links: what a database has, or the answers of the one process that owns the file. */
export async function openStore(
  rig: ChaosRig,
): Promise<{ readonly store: SessionStore; readonly close: () => Promise<void> }> {
  if (rig.options.store === "postgres") {
    const database = await PostgresDatabase.open({ pool: { url: rig.postgres.url } });
    const store = new PostgresSessionStore({ database, maxRememberedSessions: 0 });
    return { store, close: () => database[Symbol.asyncDispose]() };
  }
  if (rig.firestoreHost !== undefined) {
    const database = new FirestoreDatabase({ projectId: "chaos", emulatorHost: rig.firestoreHost });
    const ids = new UuidV7Generator();
    // Without a cache, so that it reads the documents only.
    const store = new FirestoreSessionStore({ database, clock: systemClock, ids, maxRememberedSessions: 0 });
    return { store, close: () => database[Symbol.asyncDispose]() };
  }
  const peer = { address: `127.0.0.1:${rig.sessionPort}`, clock: systemClock, timeoutMs: 20_000 };
  const store = joinStore(new RemoteSessionService(peer), new RemoteRunJournal(peer));
  return { store, close: async () => store[Symbol.asyncDispose]() };
}

export async function runsOf(store: SessionStore, session: SessionKey): Promise<readonly RunRecord[]> {
  const runs: RunRecord[] = [];
  let pageToken: string | undefined;
  do {
    const page = await store.list({ session, ...(pageToken !== undefined && { pageToken }) });
    runs.push(...page.runs);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return runs;
}

/** The runs of the session that have not ended. */
export async function openRunsOf(store: SessionStore, session: SessionKey): Promise<readonly string[]> {
  const open = (await runsOf(store, session)).filter(({ status }) => !isTerminal(status));
  return open.map(
    ({ runId, status, attempts }) => `I5 run ${runId} of ${session.id} is ${status} (attempt ${attempts})`,
  );
}

export async function readSession(store: SessionStore, key: SessionKey): Promise<StoredSession> {
  const events: StoredSession["events"][number][] = [];
  let pageToken: string | undefined;
  do {
    const page = await store.listEventRecords({ ...key, ...(pageToken !== undefined && { pageToken }) });
    events.push(...page.events);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  const session = await store.getSession(key, { numRecentEvents: 0 });
  if (session === undefined) throw new Error(`I1 session ${key.id} is missing`);
  return { key, events, state: session.state, runs: await runsOf(store, key) };
}

/** Searches the user's memory in Postgres, without links and services. */
export async function memoriesOf(rig: ChaosRig, scope: MemoryScope, query: string): Promise<readonly MemoryEntry[]> {
  await using database = await PostgresDatabase.open({ pool: { url: rig.postgres.url } });
  const service = new PostgresMemoryService({ database, clock: systemClock, ids: new UuidV7Generator() });
  return (await service.searchMemory(scope, query)).memories;
}
