import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import { type EventRecord, toEventRecord } from "#kit/events/event-record.ts";
import type { BeginRunRequest } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { operationsInPlace } from "#ports/sessions/operation-runner.ts";
import { RunOperations } from "#ports/sessions/run-operations.ts";
import { TabularSessionStore } from "#ports/sessions/tabular-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { SqliteFile } from "../database/sqlite-file.ts";
import { WriteQueue } from "../database/write-queue.ts";
import { SESSION_SCHEMA } from "./session-schema.ts";
import { SqliteSessionStore } from "./sqlite-session-store.ts";
import { SqliteSessionTables } from "./sqlite-session-tables.ts";

const KEY = { appName: "app", userId: "user", id: "session" };
const LEASE_MS = 10_000;

function record(id: string): EventRecord {
  return toEventRecord(createEvent({ id, invocationId: "invocation", author: "agent", timestamp: 1 }));
}

function beginRequest(runId: string, session = KEY): BeginRunRequest {
  const common = { invocationId: "invocation", request: { autoCreateSession: true }, policy: "enqueue" } as const;
  return { ...common, runId, session, holder: "runner", leaseMs: LEASE_MS, haveRevision: 0 };
}

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "fairlead-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

describe("SqliteSessionStore", () => {
  it("has everything again after it was closed and opened", async () => {
    verifies("operations:session:embedded");
    await using folder = await temporaryFolder();
    const clock = new FixedClock();
    const first = new SqliteSessionStore({ folder: folder.path, clock });
    await first.createSession({ ...KEY, state: { a: 1, "user:b": 2, "app:c": 3 } });
    const begun = await first.begin(beginRequest("running"));
    if (begun.kind !== "started") throw new Error("The run did not start.");
    await first.append({ lease: begun.lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
    await first.begin(beginRequest("pending"));
    const expected = [await first.getSession(KEY), await first.list({}), await first.listEventRecords(KEY)];
    await first[Symbol.asyncDispose]();

    await using second = new SqliteSessionStore({ folder: folder.path, clock });
    expect([await second.getSession(KEY), await second.list({}), await second.listEventRecords(KEY)]).toEqual(expected);
    expect(await second.begin({ ...beginRequest("running"), holder: "other" })).toMatchObject({ kind: "existing" });
    expect(await second.begin(beginRequest("pending"))).toMatchObject({ kind: "queued", behind: "running" });
    const taken = await second.begin(beginRequest("running"));
    expect(taken).toMatchObject({
      kind: "started",
      lease: { epoch: 2 },
      snapshot: { revision: 1, state: { a: 1, "user:b": 2, "app:c": 3 } },
    });
  });

  it("keeps an acknowledged event when the process is killed", async () => {
    await using folder = await temporaryFolder();
    const program = `
      import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
      const store = new SqliteSessionStore({ folder: process.argv[1] });
      const { lease } = await store.begin(${JSON.stringify(beginRequest("run"))});
      await store.append({ lease, leaseMs: 10000, afterRevision: 0, events: [${JSON.stringify(record("1"))}] });
      process.stdout.write("acknowledged");
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program, folder.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    await using store = new SqliteSessionStore({ folder: folder.path });
    expect([String(output), (await store.listEventRecords(KEY)).events]).toEqual([
      "acknowledged",
      [{ ...record("1"), sequence: 1 }],
    ]);
    expect((await store.get("run"))?.status).toBe("running");
  });

  it("commits the writes of one turn of the event loop together", async () => {
    await using folder = await temporaryFolder();
    await using store = new SqliteSessionStore({ folder: folder.path });
    const ids = Array.from({ length: 50 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => store.createSession({ ...KEY, id })));
    const runs = await Promise.all(ids.map((id) => store.begin(beginRequest(id, { ...KEY, id }))));
    expect([runs.length, store.transactions]).toEqual([50, 2]);
  });

  it("counts active runs: while there is more than one, no sync blocks the event loop", async () => {
    await using folder = await temporaryFolder();
    const file = new SqliteFile({ file: join(folder.path, "sessions.sqlite"), schema: SESSION_SCHEMA });
    const tables = new SqliteSessionTables(file.database, 100);
    await using queue = new WriteQueue(file, { onRollback: () => tables.forget() });
    const ids = new SequentialIds();
    const operations = new RunOperations(tables, { clock: new FixedClock(), ids });
    const store = new TabularSessionStore({ runner: operationsInPlace(queue, operations), ids });
    const begin = async (runId: string) => {
      const begun = await store.begin(beginRequest(runId, { ...KEY, id: runId }));
      if (begun.kind !== "started") throw new Error("The run did not start.");
      return begun.lease;
    };
    const counts: number[] = [];
    const count = () => counts.push(tables.activeRuns);
    const finished = await begin("finished");
    count();
    const released = await begin("released");
    await begin("deleted");
    count();
    await store.finish({ lease: finished, afterRevision: 0, events: [], status: "succeeded" });
    count();
    await store.release(released);
    count();
    await store.deleteSession({ ...KEY, id: "deleted" });
    count();
    expect(counts).toEqual([1, 3, 2, 1, 0]);
  });

  it("forgets what a step that failed half-way had changed", async () => {
    await using folder = await temporaryFolder();
    await using store = new SqliteSessionStore({ folder: folder.path });
    const begun = await store.begin(beginRequest("run"));
    if (begun.kind !== "started") throw new Error("The run did not start.");
    const { lease } = begun;
    // A typed caller cannot send this value, and the database refuses to bind it.
    const unbindable = { ...record("2"), author: {} as string };
    const finish = { lease, afterRevision: 0, status: "succeeded" } as const;
    await expect(store.finish({ ...finish, events: [record("1"), unbindable] })).rejects.toThrow(TypeError);
    expect([(await store.get("run"))?.status, (await store.getSession(KEY))?.revision]).toEqual(["running", 0]);
    expect(await store.finish({ ...finish, events: [record("1")] })).toMatchObject({
      revision: 1,
      run: { status: "succeeded" },
    });
  });

  it("gives no session number twice, so that a cache of a deleted session is recognised", async () => {
    await using folder = await temporaryFolder();
    await using store = new SqliteSessionStore({ folder: folder.path });
    const incarnation = async (runId: string) => {
      const begun = await store.begin(beginRequest(runId));
      return begun.kind === "started" ? begun.snapshot.incarnation : undefined;
    };
    const first = await incarnation("1");
    await store.deleteSession(KEY);
    expect([first, await incarnation("2")]).toEqual(["1", "2"]);
  });

  it("reads a state that is too large to be remembered", async () => {
    await using folder = await temporaryFolder();
    await using store = new SqliteSessionStore({ folder: folder.path });
    const large = "x".repeat(100_000);
    await store.createSession({ ...KEY, state: { large } });
    const change = (stateDelta: Record<string, string>) =>
      store.applyStateDelta({ ...KEY, stateDelta, author: "user", invocationId: "i" });
    await change({ small: "y" });
    const unchanged = await change({ large });
    expect([unchanged.revision, unchanged.state]).toEqual([1, { large, small: "y" }]);
  });

  it("refuses a folder that cannot be written", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "file");
    await writeFile(file, "");
    const open = () => new SqliteSessionStore({ folder: join(file, "data") });
    expect(open).toThrow(
      expect.objectContaining({ reason: "DATA_DIR_UNWRITABLE", message: expect.not.stringContaining(file) }),
    );
  });

  it("refuses a file that is one version newer", async () => {
    await using folder = await temporaryFolder();
    await new SqliteSessionStore({ folder: folder.path })[Symbol.asyncDispose]();
    const database = new DatabaseSync(join(folder.path, "sessions.sqlite"));
    database.exec("INSERT INTO migrations (number, name, oldest) VALUES (2, 'removes a column', 2)");
    database.close();
    expect(() => new SqliteSessionStore({ folder: folder.path })).toThrow(
      expect.objectContaining({ reason: "CONFIGURATION" }),
    );
  });

  it("refuses a file of another program, and one that is no database", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "sessions.sqlite");
    for (const statement of ["PRAGMA user_version = 99", "CREATE TABLE of_another_program (a)"]) {
      const other = new DatabaseSync(file);
      other.exec(statement);
      other.close();
      expect(() => new SqliteSessionStore({ folder: folder.path })).toThrow(
        expect.objectContaining({
          reason: "CONFIGURATION",
          message: `The data file ${file} was not made by this server. Use another data folder, or the server that wrote it.`,
        }),
      );
      await rm(file);
    }
    await writeFile(file, "no database at all, only a file of that name ".repeat(100));
    expect(() => new SqliteSessionStore({ folder: folder.path })).toThrow(
      expect.objectContaining({ reason: "STORE_UNAVAILABLE" }),
    );
  });

  it("commits what waits when it is closed, and fails later calls with STORE_UNAVAILABLE", async () => {
    await using folder = await temporaryFolder();
    const store = new SqliteSessionStore({ folder: folder.path });
    const created = store.createSession(KEY);
    await store[Symbol.asyncDispose]();
    expect((await created).id).toBe("session");
    const unavailable = { reason: "STORE_UNAVAILABLE" };
    await expect(store.getSession({ ...KEY, id: "other" })).rejects.toMatchObject(unavailable);
    await expect(store.createSession({ ...KEY, id: "other" })).rejects.toMatchObject(unavailable);
  });
});
