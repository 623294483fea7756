import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import { createEvent } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import type { SessionStore } from "#test/contract/sessions/session-world.ts";
import { injectSqliteFaults, SQLITE_CODES } from "#test/helpers/faults/sqlite-faults.ts";
import { expectNoLastingFault, type StoreOperation } from "./transient-faults.ts";

const USER = { appName: "app", userId: "ada" };
const TALK = { ...USER, id: "talk" };
const textEvent = (id: string) =>
  createEvent({
    id,
    invocationId: "i",
    author: "user",
    timestamp: 1,
    content: { role: "user", parts: [{ text: "hi" }] },
  });

/** The operations of a session store, each on a session of its own if it changes something. */
export async function sessionOperations(store: SessionStore): Promise<readonly StoreOperation[]> {
  let last = 0;
  const next = (): string => `s${(last += 1)}`;
  const created = async () => store.createSession({ appName: "other", userId: "eve", id: next() });
  await store.createSession({ ...TALK, state: { "user:tone": "kind", step: 1 } });
  const talk = await store.getSession(TALK);
  if (talk === undefined) throw new Error("There is no session.");
  await store.appendEvent(talk, textEvent("e1"));
  return [
    { name: "create", run: () => created().then(() => "made"), answer: "made" },
    {
      name: "get",
      run: () => store.getSession(TALK).then((session) => [session?.events.length, session?.state]),
      answer: [1, { "user:tone": "kind", step: 1 }],
    },
    {
      name: "list",
      run: () => store.listSessions(USER).then(({ sessions }) => sessions.map(({ id }) => id)),
      answer: ["talk"],
    },
    { name: "list events", run: () => store.listEventRecords(TALK).then(({ events }) => events.length), answer: 1 },
    {
      name: "append",
      run: async () => store.appendEvent(await created(), textEvent(next())).then(() => "added"),
      answer: "added",
    },
    {
      name: "change the state",
      run: async () =>
        store
          .applyStateDelta({ ...(await created()), author: "user", invocationId: next(), stateDelta: { step: 2 } })
          .then(({ state }) => state["step"]),
      answer: 2,
    },
    { name: "delete", run: async () => store.deleteSession(await created()).then(() => "gone"), answer: "gone" },
    { name: "a run", run: async () => runOn(store, await created(), next()), answer: "succeeded" },
  ];
}

async function runOn(store: SessionStore, { appName, userId, id }: typeof TALK, runId: string): Promise<string> {
  const session = { appName, userId, id };
  const begun = await store.begin({
    runId,
    session,
    invocationId: runId,
    request: {},
    policy: "reject",
    holder: "me",
    leaseMs: 10_000,
    haveRevision: 0,
  });
  if (begun.kind !== "started") throw new Error(`The run was ${begun.kind}.`);
  const events = [toEventRecord(textEvent(`${runId}-e`))];
  const { run } = await store.finish({ lease: begun.lease, afterRevision: 0, events, status: "succeeded" });
  return run.status;
}

function sources() {
  const folder = mkdtempSync(join(tmpdir(), "faults-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, clock: new FixedClock(), ids: new SequentialIds() };
}

describe.each(Object.entries(SQLITE_CODES))("a call of SQLite that fails once with %s", (_name, errcode) => {
  it("leaves the sessions as they are, and every operation works afterwards", async () => {
    await using store = new SqliteSessionStore({ ...sources(), maxCachedSessions: 2 });
    const operations = await sessionOperations(store);
    using faults = injectSqliteFaults();
    await expectNoLastingFault(faults, errcode, operations);
  });

  it("leaves the memory as it is, and every operation works afterwards", async () => {
    const { folder, ...rest } = sources();
    await using service = new SqliteMemoryService({ path: join(folder, "memory.db"), ...rest });
    const entry = { content: { role: "user", parts: [{ text: "rain" }] } };
    await service.addMemoryEntries(USER, [entry]);
    const other = { appName: "app", userId: "eve" };
    using faults = injectSqliteFaults();
    await expectNoLastingFault(faults, errcode, [
      { name: "add", run: () => service.addMemoryEntries(other, [entry]) },
      {
        name: "search",
        run: () => service.searchMemory(USER, "rain").then(({ memories }) => memories.length),
        answer: 1,
      },
      { name: "delete", run: () => service.deleteSessionMemory(other, "none") },
    ]);
  });
});

it("refuses writes with STORAGE_FULL while SQLite says that the disk is full", async () => {
  await using store = new SqliteSessionStore(sources());
  using faults = injectSqliteFaults();
  faults.failCall(2, SQLITE_CODES.FULL);
  const create = () => store.createSession(TALK);
  await expect(create()).rejects.toMatchObject({ reason: "STORAGE_FULL", httpStatus: 503 });
  faults.heal();
  await expect(create()).resolves.toMatchObject({ id: "talk" });
});
