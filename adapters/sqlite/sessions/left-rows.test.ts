import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { STORAGE_SCOPES, type StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { SqliteSessionStore } from "./sqlite-session-store.ts";

const VICTIM: Required<SessionKey> = { tenantId: "acme", appName: "app", userId: "ada", id: "s" };
/** Those whose names have all but one member with the victim in common. */
const NEIGHBOURS: Readonly<Record<"tenantId" | "appName" | "userId" | "id", SessionKey>> = {
  tenantId: { ...VICTIM, tenantId: "globex" },
  appName: { ...VICTIM, appName: "other" },
  userId: { ...VICTIM, userId: "bob" },
  id: { ...VICTIM, id: "t" },
};

/** Counts the storage of users, apps and tenants, and limits none. */
const COUNTED: StorageLimits = { counted: STORAGE_SCOPES, maxOf: () => undefined };

function openStore() {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  const store = new SqliteSessionStore({ folder, clock: new FixedClock(), storage: COUNTED, maxCachedSessions: 2 });
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  return { store, file: join(folder, "sessions.sqlite") };
}

/** Leaves a row in each table of a session: events, a run that ended, one that is active, and one that waits behind it. */
async function fill(store: SqliteSessionStore, session: SessionKey): Promise<void> {
  const name = `${tenantOf(session)} ${session.appName} ${session.userId} ${session.id}`;
  await store.createSession({ ...session, state: { a: name, "user:b": name, "app:c": name } });
  const request: RunRequest = { newMessage: { role: "user", parts: [{ text: name }] } };
  const begin = (runId: string) =>
    store.begin({
      ...{ runId: `${name} ${runId}`, session, invocationId: "i", request, policy: "enqueue" },
      ...{ holder: "h", leaseMs: 10_000, haveRevision: 0, idempotencyKey: runId },
    });
  const ended = await begin("ended");
  if (ended.kind !== "started") throw new Error("The run did not start.");
  const event = createEvent({ id: "e", invocationId: "i", author: "agent", timestamp: 1 });
  const changing = toEventRecord({ ...event, actions: { ...event.actions, stateDelta: { d: name } } });
  await store.finish({ lease: ended.lease, afterRevision: 0, events: [changing], status: "succeeded" });
  await begin("active");
  await begin("waiting");
}

/** All rows of the file, by table. Numbers that are never used again are left out. */
function rowsOf(file: string): Readonly<Record<string, readonly string[]>> {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return Object.fromEntries(
    tables
      .map(({ name }) => String(name))
      .filter((name) => name !== "sqlite_sequence")
      .map((name) => [
        name,
        database
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .map((row) => JSON.stringify(row))
          .sort(),
      ]),
  );
}

it("a deleted session leaves no row of its own in any table, and the rows of others as they were", async () => {
  verifies("operations:session:embedded");
  const { store, file } = openStore();
  for (const neighbour of Object.values(NEIGHBOURS)) await fill(store, neighbour);
  const before = rowsOf(file);
  await fill(store, VICTIM);
  const filled = rowsOf(file);
  for (const table of ["sessions", "session_state", "events", "runs"])
    expect([table, filled[table]?.length]).toEqual([table, Number(before[table]?.length) * 1.25]);
  await store.deleteSession(VICTIM);
  // The state of the app and of the user stays for other sessions.
  const { app_state, user_state } = filled;
  expect(rowsOf(file)).toEqual({ ...before, app_state, user_state });
});

it.each([
  ["a user", { tenantId: "acme", userId: "ada" }, ["tenantId", "userId"], true],
  ["a tenant", { tenantId: "acme" }, ["tenantId"], false],
] as const)(
  "the deleted data of %s leaves no row, and the rows of others as they were",
  async (_, owner, others, keepsApps) => {
    verifies("operations:session:embedded");
    const { store, file } = openStore();
    for (const other of others) await fill(store, NEIGHBOURS[other]);
    const before = rowsOf(file);
    await fill(store, VICTIM);
    await fill(store, NEIGHBOURS.appName);
    await fill(store, NEIGHBOURS.id);
    const { app_state } = rowsOf(file);
    for (let isDone = false; !isDone; ) ({ isDone } = await store.deleteData({ ...owner, limit: 2 }));
    expect(rowsOf(file)).toEqual(keepsApps ? { ...before, app_state } : before);
    await store.createSession(VICTIM);
    const { state } = (await store.getSession(VICTIM)) ?? {};
    expect(Object.keys(state ?? {})).toEqual(keepsApps ? ["app:c"] : []);
  },
);

it("reads all that was written after the file is opened again, beyond what is cached", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = new FixedClock();
  const sessions = [VICTIM, ...Object.values(NEIGHBOURS)];
  const read = async (store: SqliteSessionStore) => ({
    sessions: await Promise.all(sessions.map((session) => store.getSession(session))),
    runs: await Promise.all(sessions.map((session) => store.list({ session, ...tenant(session) }))),
    events: await Promise.all(sessions.map((session) => store.listEventRecords(session))),
  });
  const first = new SqliteSessionStore({ folder, clock });
  for (const session of sessions) await fill(first, session);
  const written = await read(first);
  await first[Symbol.asyncDispose]();
  await using second = new SqliteSessionStore({ folder, clock, maxCachedSessions: 1 });
  expect(await read(second)).toEqual(written);
  expect(written.sessions.map((session) => session?.state)).toEqual(
    sessions.map(({ tenantId, appName, userId, id }) => {
      const name = `${tenantId} ${appName} ${userId} ${id}`;
      return {
        a: name,
        d: name,
        "user:b": expect.stringContaining(`${appName} ${userId}`),
        "app:c": expect.any(String),
      };
    }),
  );
});

function tenant({ tenantId }: SessionKey) {
  return tenantId === undefined ? {} : { tenantId };
}
