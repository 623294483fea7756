import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { migrate } from "#adapters/postgres/schema/migrate.ts";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { userContent } from "#kit/events/content.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { BeginRunRequest, BeginRunResult, RunJournal } from "#kit/sessions/run-journal.ts";
import type { Lease } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { DEFAULT_SESSION_LIMITS } from "#ports/sessions/session-limits.ts";
import { PgBouncer, whyNoPgBouncer } from "#tooling/emulators/pg-bouncer.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { PostgresServer } from "#tooling/emulators/postgres-server.ts";
import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { inParallel, median, percentile } from "../client.ts";
import { historyEvent } from "../kit/history-event.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import type { Figures } from "../scenarios/scenario.ts";

type SessionStore = SessionService & RunJournal;

interface World {
  /** Stores of several processes with the same sessions; SQLite's file has one. */
  readonly stores: readonly [SessionStore, ...SessionStore[]];
}

const OWNER = { appName: "bench", userId: "u" };
const LIMITS = { ...DEFAULT_SESSION_LIMITS, maxImportedEvents: 5_000 };
const LISTED_SESSIONS = 100_000;
const LONG = 3_000;
const WRITERS = 20;
const PROCESSES = 4;
const APPENDS_OF_WRITER = 100;
/** Before, on another session: connections are opened and code is compiled. */
const WARM_UP_APPENDS = 10;
const REPEATS = 20;
const RUNS = 50;
const APPENDS_OF_RUN = 40;
const LEASE_MS = 60_000;

/** Measures single calls of the session stores: SQLite in a file, and Postgres, directly and through PgBouncer. */
export async function benchStores({ rounds, only = "" }: BenchOptions): Promise<void> {
  for (const [name, start] of [
    ["sqlite", withSqlite],
    ["postgres", withPostgres],
    ["pgbouncer", withPgBouncer],
  ] as const) {
    if (!name.includes(only)) continue;
    process.stdout.write(`\nstores: ${name}\n`);
    const measured: Figures[] = [];
    for (let round = 0; round < rounds; round += 1)
      await start(async (world) => {
        measured.push(await measure(world));
      });
    if (measured.length > 0) printFigures(mediansOf(measured));
  }
}

async function measure({ stores }: World): Promise<Figures> {
  const [store] = stores;
  return {
    "appends a second, 50 runs": await appendRate(store),
    "3000 events read ms": await readMs(store),
    ...(await turnAtLength(store)),
    "20 writers, 1 process, p99 ms": await competingMs([store]),
    "20 writers, 4 processes, p99 ms": stores.length > 1 ? await competingMs(stores) : Number.NaN,
    "50 of 100000 listed ms": await listMs(store),
  };
}

async function appendRate(store: SessionStore): Promise<number> {
  const leases: Lease[] = [];
  await inParallel(RUNS, RUNS, async (index) => {
    const session = { ...OWNER, id: `append ${index}` };
    await store.createSession(session);
    leases.push((await begin(store, session, `run ${index}`)).lease);
  });
  const before = performance.now();
  await Promise.all(
    leases.map(async (lease) => {
      for (let n = 0; n < APPENDS_OF_RUN; n += 1) {
        const event = { ...toEventRecord(historyEvent(n)), id: `${lease.runId} ${n}` };
        await store.append({ lease, leaseMs: LEASE_MS, afterRevision: n, events: [event] });
      }
    }),
  );
  return (RUNS * APPENDS_OF_RUN * 1000) / (performance.now() - before);
}

async function readMs(store: SessionStore): Promise<number> {
  const key = { ...OWNER, id: "read" };
  await createLong(store, key, LONG);
  return medianMs(async () => {
    await store.getSession(key);
  });
}

/** A begin, an append and an end on sessions that this store has used before. */
async function turnAtLength(store: SessionStore): Promise<Figures> {
  const turnMs = async (length: number): Promise<number> => {
    const session = { ...OWNER, id: `turns after ${length}` };
    await createLong(store, session, length);
    let known: Partial<BeginRunRequest> = {};
    let turns = 0;
    return medianMs(async () => {
      const runId = `turn ${turns} after ${length}`;
      const { lease, snapshot } = await begin(store, session, runId, known);
      const afterRevision = snapshot.revision;
      const events = [{ ...toEventRecord(historyEvent(0)), id: runId }];
      await store.append({ lease, leaseMs: LEASE_MS, afterRevision, events });
      await store.finish({ lease, afterRevision: afterRevision + 1, events: [], status: "succeeded" });
      known = { haveRevision: afterRevision + 1, haveIncarnation: snapshot.incarnation };
      turns += 1;
    });
  };
  const [short, long] = [await turnMs(10), await turnMs(5_000)];
  return { "turn at 10 events ms": short, "turn at 5000 over 10": long / short };
}

/** Writers without a lease, each with one event after the other, of processes that have been at work for a while. */
async function competingMs(stores: readonly SessionStore[]): Promise<number> {
  await writersMs(stores, `warm up ${stores.length}`, WARM_UP_APPENDS);
  return percentile(await writersMs(stores, `written by ${stores.length}`, APPENDS_OF_WRITER), 0.99);
}

async function writersMs(stores: readonly SessionStore[], id: string, appends: number): Promise<readonly number[]> {
  const key = { ...OWNER, id };
  await stores[0]?.createSession(key);
  const delays: number[] = [];
  await inParallel(WRITERS, WRITERS, async (writer) => {
    const store = stores[writer % stores.length];
    const session = await store?.getSession(key);
    for (let n = 0; session !== undefined && n < appends; n += 1) {
      const before = performance.now();
      await store?.appendEvent(session, { ...historyEvent(n), id: `${writer} ${n}` });
      delays.push(performance.now() - before);
    }
  });
  return delays;
}

async function listMs(store: SessionStore): Promise<number> {
  await inParallel(LISTED_SESSIONS, 500, async (index) => {
    await store.createSession({ ...OWNER, id: `listed ${index}` });
  });
  return medianMs(async () => {
    await store.listSessions({ ...OWNER, pageSize: 50 });
  });
}

async function createLong(store: SessionStore, key: SessionKey, length: number): Promise<void> {
  await store.createSession({ ...key, events: Array.from({ length }, (_, index) => historyEvent(index)) });
}

async function begin(
  store: SessionStore,
  session: SessionKey,
  runId: string,
  known: Partial<BeginRunRequest> = {},
): Promise<Extract<BeginRunResult, { readonly kind: "started" }>> {
  const result = await store.begin({
    ...{ runId, session, invocationId: runId, policy: "enqueue", holder: "bench", leaseMs: LEASE_MS, haveRevision: 0 },
    request: { newMessage: userContent("and now?") },
    ...known,
  });
  if (result.kind !== "started") throw new Error(`The run is ${result.kind}.`);
  return result;
}

async function medianMs(call: () => Promise<void>): Promise<number> {
  const delays: number[] = [];
  for (let count = 0; count < REPEATS; count += 1) {
    const before = performance.now();
    await call();
    delays.push(performance.now() - before);
  }
  return median(delays);
}

type Use = (world: World) => Promise<void>;

async function withSqlite(use: Use): Promise<void> {
  await inDataDir(async (folder) => {
    await using store = new SqliteSessionStore({ folder, limits: LIMITS });
    await use({ stores: [store] });
  });
}

async function withPostgres(use: Use): Promise<void> {
  if (whyNoPostgres() !== undefined) return;
  await using server = await PostgresServer.start();
  await usePostgres(server.url(), use);
}

async function withPgBouncer(use: Use): Promise<void> {
  if (whyNoPostgres() !== undefined || whyNoPgBouncer() !== undefined) return;
  await using server = await PostgresServer.start();
  await using pooler = await PgBouncer.start(server, 20);
  await usePostgres(pooler.url, use);
}

async function usePostgres(url: string, use: Use): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const open = async (): Promise<SessionStore> => {
    const prepare = async (database: PostgresDatabase): Promise<void> => {
      await migrate(database);
    };
    const database = stack.use(await PostgresDatabase.open({ pool: { url }, prepare }));
    return new PostgresSessionStore({ database, limits: LIMITS });
  };
  const others: SessionStore[] = [];
  const first = await open();
  for (let count = 1; count < PROCESSES; count += 1) others.push(await open());
  await use({ stores: [first, ...others] });
}
