import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openEvalStore } from "#shared/stores/eval-store.ts";
import { openMemoryStore } from "#shared/stores/memory-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

type Settings = Readonly<Record<string, string>>;

const DAY_MS = 24 * 60 * 60 * 1000;
const OLD_MS = 40 * DAY_MS;
const SESSIONS = 30;
const RUNS = 200;
const ENTRIES = 400;
const RESULTS = 150;
const LIVING: SessionKey = { appName: "desk", userId: "me", id: "living" };
const ENTRIES_OF = { appName: "desk", userId: "me" };

async function createFolder(settings: Settings, rules: string) {
  const path = await mkdtemp(join(tmpdir(), "prune-"));
  const file = join(path, "retention.yaml");
  await writeFile(file, rules);
  const log = join(path, "audit.jsonl");
  const environment = { ...settings, DATA_DIR: join(path, "data"), RETENTION_FILE: file };
  return {
    ...{ environment, log, prune: { ...environment, AUDIT: "file", AUDIT_FILE: log } },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

/** The stores of the settings, as a server opens them, at a time in the past. */
async function openStores(environment: Settings, ageMs = 0) {
  const stack = new AsyncDisposableStack();
  const config = loadConfig(standaloneConfigSchema, environment);
  const clock = new FixedClock(Date.now() - ageMs);
  const context = createStoreContext({ config, clock, ids: new UuidV7Generator(), logger: silentLogger, stack });
  const { store: sessions } = await openSessionStore(context);
  const { store: artifacts } = await openArtifactStore(context);
  const { store: memory } = await openMemoryStore(context);
  const { store: results } = await openEvalStore(context);
  return { clock, sessions, artifacts, memory, results, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** The events of each session; every third has so many that the database does not delete them in one step. */
function eventsOf(index: number, long: number): number {
  return index % 3 === 0 ? long : 3;
}

function sessionOf(index: number): SessionKey {
  return { appName: "weather", userId: `user${index % 3}`, id: `old-${index}` };
}

async function addSessions({ clock, sessions, artifacts }: Stores, long: number): Promise<void> {
  for (let index = 0; index < SESSIONS; index += 1) {
    const session = sessionOf(index);
    const events = Array.from({ length: eventsOf(index, long) }, (_, number) =>
      createEvent({ id: `e${number}`, invocationId: "i", author: "user", timestamp: clock.now() }),
    );
    await sessions.createSession({ ...session, state: { index }, events });
    await run(sessions, session, `of-${session.id}`);
    await artifacts.saveArtifact({ session, filename: "a.txt", artifact: { text: "file" } });
  }
}

async function run(journal: RunJournal, session: SessionKey, runId: string): Promise<void> {
  const request = { newMessage: { role: "user", parts: [{ text: runId }] } };
  const names = { runId, session, invocationId: runId, request, idempotencyKey: `key of ${runId}` };
  const begun = await journal.begin({ ...names, policy: "enqueue", holder: "h", leaseMs: 1000, haveRevision: 0 });
  if (begun.kind !== "started") throw new TypeError("The run has not started.");
  await journal.finish({ lease: begun.lease, afterRevision: 0, events: [], status: "succeeded" });
}

async function addAged({ clock, memory, results }: Stores, count: { entries: number; results: number }, name: string) {
  for (let start = 0; start < count.entries; start += 100) {
    const ids = Array.from({ length: Math.min(100, count.entries - start) }, (_, index) => `${name}${start + index}`);
    const entries = ids.map((id) => ({ id, content: { parts: [{ text: id }] } }));
    await memory.addMemoryEntries(ENTRIES_OF, entries);
  }
  for (let index = 0; index < count.results; index += 1) {
    const id = `${name}${index}`;
    const names = { evalSetResultId: id, evalSetResultName: id, evalSetId: "smoke", evalCaseResults: [] };
    await results.saveEvalSetResult({ appName: "desk" }, { ...names, creationTimestamp: clock.now() / 1000 });
  }
}

/** How many of the old sessions are left. Each of them is whole, or closed and on its way. */
async function sessionsLeft({ sessions, artifacts }: Stores, long: number): Promise<number> {
  let left = 0;
  for (let index = 0; index < SESSIONS; index += 1) {
    const key = sessionOf(index);
    const session = await sessions.getSession(key);
    const { filenames } = await artifacts.listArtifactKeys(key);
    if (session === undefined) expect([key.id, filenames]).toEqual([key.id, []]);
    else left += 1;
    if (session === undefined || session.closedTime !== undefined) continue;
    expect([key.id, session.events.length, filenames]).toEqual([key.id, eventsOf(index, long), ["a.txt"]]);
  }
  return left;
}

/** The old runs of the living session that are left, each as the list and the record have it, with its key. */
async function runsLeft({ sessions }: Stores): Promise<number> {
  const { runs } = await sessions.list({ session: LIVING });
  for (const run of runs) expect(await sessions.get(run.runId)).toEqual(run);
  for (let index = 0; index < RUNS; index += 1) {
    const known = runs.some(({ runId }) => runId === `old-${index}`);
    if (!known) expect(await sessions.get(`old-${index}`)).toBeUndefined();
  }
  expect(runs.map(({ runId }) => runId)).toContain("new");
  return runs.length - 1;
}

async function agedLeft({ memory, results }: Stores) {
  let entries = 0;
  for (let index = 0; index < ENTRIES; index += 1) {
    const { memories } = await memory.searchMemory(ENTRIES_OF, `old${index}`);
    if (memories.length > 0) expect(memories.map(({ id }) => id)).toEqual([`old${index}`]);
    entries += memories.length;
  }
  const names = await results.listEvalSetResults({ appName: "desk" });
  for (const name of names)
    expect(await results.getEvalSetResult({ appName: "desk" }, name)).toMatchObject({ evalSetResultName: name });
  const { memories } = await memory.searchMemory(ENTRIES_OF, "new0");
  expect([memories.map(({ id }) => id), names.includes("new0")]).toEqual([["new0"], true]);
  return { entries, results: names.length - 1 };
}

async function killedAt(environment: Settings, printed: RegExp): Promise<void> {
  await using process = new CliProcess(["prune", "--json"], { environment });
  await process.until(printed);
  await process.end("SIGKILL");
}

/** Makes passes until one finds nothing, and returns how many have deleted something. */
async function endPasses(environment: Settings): Promise<number> {
  for (let passes = 0; passes < 5; passes += 1) {
    await using process = new CliProcess(["prune", "--json"], { environment });
    await process.ended;
    expect([process.child.exitCode, process.output]).toEqual([0, expect.any(String)]);
    const report = JSON.parse(process.output.trim().split("\n").at(-1) ?? "");
    expect(report).toMatchObject({ failed: 0 });
    if (report.deleted.length === 0) return passes;
  }
  throw new Error("The passes do not end.");
}

interface Database {
  readonly longEvents: number;
  readonly settings: () => Settings;
  /** What is stored of sessions that do not exist, and keys of runs that do not: empty if nothing is half deleted. */
  readonly remains: (settings: Settings) => Promise<Readonly<Record<string, number>>>;
}

function suite({ longEvents, settings, remains }: Database): void {
  it("is killed while it deletes sessions, and the next passes leave nothing of them", async () => {
    verifies("retention:resumes", "retention:sessions");
    await using folder = await createFolder(settings(), "defaults: { sessionDays: 30 }");
    {
      await using past = await openStores(folder.environment, OLD_MS);
      await addSessions(past, longEvents);
    }
    {
      await using now = await openStores(folder.environment);
      await now.sessions.createSession(LIVING);
    }
    for (const count of [1, 2, 3]) {
      // A pass that finds nothing left prints its counts alone.
      await killedAt(folder.prune, new RegExp(`(?:"session"[^]*){${count}}|isDryRun`));
      await using stores = await openStores(folder.environment);
      expect(await sessionsLeft(stores, longEvents)).toBeLessThan(SESSIONS);
    }
    expect(await endPasses(folder.prune)).toBeLessThanOrEqual(1);
    await using stores = await openStores(folder.environment);
    expect(await sessionsLeft(stores, longEvents)).toBe(0);
    expect(await stores.sessions.getSession(LIVING)).toBeDefined();
    expect(await remains(folder.environment)).toEqual({});
    const recorded = (await readFile(folder.log, "utf8")).matchAll(
      /"action":"deleteSession"[^}]*"sessionId":"(old-\d+)"/g,
    );
    expect(new Set([...recorded].map(([, id]) => id)).size).toBe(SESSIONS);
  });

  runsSuite({ settings, remains });

  it("is killed while it deletes memory and results, and the next pass ends the work", async () => {
    verifies("retention:resumes", "retention:memory", "retention:results");
    await using folder = await createFolder(settings(), "defaults: { memoryDays: 30, resultDays: 30 }");
    {
      await using past = await openStores(folder.environment, OLD_MS);
      await addAged(past, { entries: ENTRIES, results: RESULTS }, "old");
    }
    {
      await using now = await openStores(folder.environment);
      await addAged(now, { entries: 1, results: 1 }, "new");
    }
    for (const printed of [/"memory"/, /"result"|isDryRun/]) {
      await killedAt(folder.prune, printed);
      await using stores = await openStores(folder.environment);
      const left = await agedLeft(stores);
      expect(left.entries + left.results).toBeLessThan(ENTRIES + RESULTS);
    }
    expect(await endPasses(folder.prune)).toBeLessThanOrEqual(1);
    await using stores = await openStores(folder.environment);
    expect(await agedLeft(stores)).toEqual({ entries: 0, results: 0 });
  });
}

function runsSuite({ settings, remains }: Pick<Database, "settings" | "remains">): void {
  it("is killed while it deletes records of runs, and the next pass ends the work", async () => {
    verifies("retention:resumes", "retention:runs");
    await using folder = await createFolder(settings(), "defaults: { runDays: 30 }");
    {
      await using past = await openStores(folder.environment, OLD_MS);
      await past.sessions.createSession(LIVING);
      for (let index = 0; index < RUNS; index += 1) await run(past.sessions, LIVING, `old-${index}`);
    }
    {
      await using now = await openStores(folder.environment);
      await run(now.sessions, LIVING, "new");
    }
    for (let kill = 0; kill < 2; kill += 1) {
      // A pass that finds nothing left prints its counts alone.
      await killedAt(folder.prune, /"run"|isDryRun/);
      await using stores = await openStores(folder.environment);
      expect(await runsLeft(stores)).toBeLessThan(RUNS);
      expect(await remains(folder.environment)).toEqual({});
    }
    expect(await endPasses(folder.prune)).toBeLessThanOrEqual(1);
    await using stores = await openStores(folder.environment);
    expect(await runsLeft(stores)).toBe(0);
    expect(await remains(folder.environment)).toEqual({});
    expect((await stores.sessions.getSession(LIVING))?.closedTime).toBeUndefined();
    const recorded = (await readFile(folder.log, "utf8")).matchAll(/"action":"deleteRun"[^}]*"runId":"(old-\d+)"/g);
    expect(new Set([...recorded].map(([, id]) => id)).size).toBe(RUNS);
  });
}

function storesIn(store: string): Settings {
  return { SESSION_STORE: store, MEMORY_STORE: store, EVAL_STORE: store, MAX_IMPORTED_EVENTS: "2000" };
}

describe("prune in a data folder", { timeout: 120_000 }, () => {
  runsSuite({
    settings: () => ({}),
    remains: async ({ DATA_DIR = "" }) => {
      using database = new DatabaseSync(join(DATA_DIR, "sessions.sqlite"), { readOnly: true });
      const wrong = database.prepare(
        `SELECT count(*) AS count FROM sessions AS s WHERE revision = 0 AND stored_bytes <>
           coalesce((SELECT sum(request_bytes) FROM runs WHERE runs.sid = s.sid), 0)`,
      );
      return nonZero([["stored bytes", Number(wrong.get()?.["count"])]]);
    },
  });
});

describe.skipIf(whyNoPostgres() !== undefined)("prune on Postgres", { timeout: 180_000 }, () => {
  const { server, openDatabase } = usePostgres();
  let schemas = 0;

  suite({
    longEvents: 1_200,
    settings: () => {
      schemas += 1;
      return { ...storesIn("postgres"), DATABASE_URL: server().url(), DATABASE_SCHEMA: `prune_${schemas}` };
    },
    remains: async ({ DATABASE_SCHEMA: schema = "" }) => {
      await using database = await openDatabase({ schema });
      const counts = ["events", "runs", "session_state", "removed_sessions"].map(async (table) => {
        const [row] = await database.read<{ readonly count: number }>(
          `SELECT count(*) AS count FROM fairlead.${table} WHERE sid NOT IN (SELECT sid FROM fairlead.sessions)`,
        );
        return [table, row?.count ?? 0] as const;
      });
      const [wrong] = await database.read<{ readonly count: number }>(
        `SELECT count(*) AS count FROM fairlead.sessions AS s WHERE revision = 0 AND stored_bytes <>
           coalesce((SELECT sum(request_bytes) FROM fairlead.runs WHERE runs.sid = s.sid), 0)`,
      );
      return nonZero([...(await Promise.all(counts)), ["stored bytes", wrong?.count ?? 0]]);
    },
  });
});

describe.skipIf(whyNoFirestore() !== undefined)("prune on Firestore", { timeout: 240_000 }, () => {
  const { host, newProject, openDatabase } = useFirestore();

  suite({
    longEvents: 450,
    settings: () => ({
      ...storesIn("firestore"),
      ...{ FIRESTORE_PROJECT_ID: newProject(), FIRESTORE_EMULATOR_HOST: host() },
    }),
    remains: async ({ FIRESTORE_PROJECT_ID: projectId = "" }) => {
      await using database = openDatabase({ projectId });
      const documents = (collection: string) =>
        database.query({ parent: "", collection, allDescendants: true, select: ["session", "idempotencyKey"] });
      const [heads, runs, keys, events] = await Promise.all(["sessions", "runs", "run-keys", "events"].map(documents));
      const paths = new Set(heads?.map(({ path }) => path));
      const headOf = (path: string) => path.split("/").slice(0, -2).join("/");
      const keyed = new Set(runs?.map(({ fields }) => `${fields["session"]}`));
      return nonZero([
        ["events", events?.filter(({ path }) => !paths.has(headOf(path))).length ?? 0],
        ["keys", keys?.filter(({ path }) => !paths.has(headOf(path))).length ?? 0],
        ["runs", [...keyed].filter((path) => !paths.has(path)).length],
        ["keys without runs", (keys?.length ?? 0) - (runs?.length ?? 0)],
      ]);
    },
  });
});

function nonZero(counts: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}
