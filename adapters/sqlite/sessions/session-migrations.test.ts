import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { fromEventRecord } from "#kit/events/event-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { SqliteMemoryService } from "../sqlite-memory-service.ts";
import { SESSION_MIGRATIONS } from "./session-schema.ts";
import { SqliteSessionStore } from "./sqlite-session-store.ts";

const KEY = { appName: "app", userId: "user", id: "session" };
const EVENT = { id: "e1", invocationId: "i", author: "user", timestamp: 5, content: { parts: [{ text: "hello" }] } };

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "fairlead-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** A file as a version of the given number of migrations left it. */
function writeFormerFile(file: string, version: number, rows: string): void {
  using database = new DatabaseSync(file);
  for (const step of SESSION_MIGRATIONS.slice(0, version)) database.exec(step);
  database.exec(`${rows}; PRAGMA user_version = ${version}`);
}

/** The values of an ended run, without `handovers` and what later versions added. */
function runRow(number: number, runId: string, invocationId: string, status: string): string {
  return `INSERT INTO runs (number, run_id, sid, status, attempts, epoch, holder, lease_expires, started_time,
      finished_time, cancel_requested, base_revision, usage, error, invocation_id, policy, created_time, deadline,
      idempotency_key, request)
    VALUES (${number}, '${runId}', 7, '${status}', 1, ${number}, NULL, NULL, 10, 11, 0, 0, '{"totalTokenCount":3}', NULL,
      '${invocationId}', 'enqueue', 9, NULL, 'key of ${runId}', '{}')`;
}

const SESSION_ROWS = `
  INSERT INTO sessions (sid, app_name, user_id, id, revision, update_time, closed_time, epoch, lease_expires)
  VALUES (7, 'app', 'user', 'session', 1, 5, NULL, 3, NULL);
  UPDATE sqlite_sequence SET seq = 12 WHERE name = 'sessions';
  INSERT INTO session_state VALUES (7, '{"own":1}');
  INSERT INTO app_state VALUES ('app', 'a', '2');
  INSERT INTO user_state VALUES ('app', 'user', 'u', '3');
  INSERT INTO events (key, id, invocation_id, author, timestamp, has_delta, outside, json)
  VALUES (7 * 16777216 + 1, 'e1', 'i', 'user', 5, 0, 0, '${JSON.stringify(EVENT)}');`;

describe("a file of sessions that a version without tenants wrote", () => {
  it("has its sessions, state, events and runs in the tenant default, and its numbers of sessions", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "sessions.sqlite");
    writeFormerFile(file, 4, SESSION_ROWS + runRow(1, "run", "i", "succeeded"));

    await using store = new SqliteSessionStore({ folder: folder.path, clock: new FixedClock(20) });
    const session = await store.getSession(KEY);
    expect(session).toEqual({
      ...KEY,
      state: { own: 1, "app:a": 2, "user:u": 3 },
      events: [fromEventRecord({ ...EVENT, json: JSON.stringify(EVENT) })],
      lastUpdateTime: 5,
      revision: 1,
    });
    const run = {
      runId: "run",
      session: KEY,
      invocationId: "i",
      request: {},
      status: "succeeded",
      policy: "enqueue",
      attempts: 1,
      epoch: 1,
      createdTime: 9,
      startedTime: 10,
      finishedTime: 11,
      cancelRequested: false,
      baseRevision: 0,
      idempotencyKey: "key of run",
      usage: { totalTokenCount: 3 },
    };
    expect([await store.get("run"), (await store.list({ userId: "user" })).runs]).toEqual([run, [run]]);

    const common = { invocationId: "j", request: {}, policy: "enqueue", holder: "h", leaseMs: 1000 } as const;
    const begun = await store.begin({ ...common, runId: "next", session: KEY, haveRevision: 0 });
    expect(begun).toMatchObject({ kind: "started", lease: { epoch: 4 }, snapshot: { incarnation: "7" } });
    const request = { autoCreateSession: true };
    const acme = { ...KEY, tenantId: "acme" };
    const created = await store.begin({ ...common, request, runId: "run", session: acme, haveRevision: 0 });
    // The number after the newest one that the former version gave, which was deleted again.
    expect(created).toMatchObject({ kind: "started", snapshot: { incarnation: "13", state: {} } });
  });

  it("marks runs of an earlier version as answered by the next run of their invocation", async () => {
    await using folder = await temporaryFolder();
    const runs = [
      runRow(1, "asked", "i", "awaiting_input"),
      runRow(2, "between", "j", "awaiting_input"),
      runRow(3, "answered", "i", "failed"),
    ];
    writeFormerFile(join(folder.path, "sessions.sqlite"), 3, SESSION_ROWS + runs.join(";"));

    await using store = new SqliteSessionStore({ folder: folder.path });
    const waiting = await store.list({ statuses: ["awaiting_input"] });
    expect([(await store.get("asked"))?.answeredBy, waiting.runs.map(({ runId }) => runId)]).toEqual([
      "answered",
      ["between"],
    ]);
  });

  it("opens if it has no session", async () => {
    await using folder = await temporaryFolder();
    writeFormerFile(join(folder.path, "sessions.sqlite"), 4, "");
    await using store = new SqliteSessionStore({ folder: folder.path });
    const begun = await store.createSession(KEY);
    expect(begun.revision).toBe(0);
  });
});

describe("a file of memory that a version without tenants wrote", () => {
  it("has its entries in the tenant default", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "memory.sqlite");
    using former = new DatabaseSync(path);
    former.exec(`
      CREATE TABLE memory_scope (
        id INTEGER PRIMARY KEY, app_name TEXT NOT NULL, user_id TEXT NOT NULL, UNIQUE (app_name, user_id)
      ) STRICT;
      CREATE TABLE memory_entry (
        row_id INTEGER PRIMARY KEY, scope_id INTEGER NOT NULL REFERENCES memory_scope (id), session_id TEXT NOT NULL,
        id TEXT NOT NULL, time_ms REAL NOT NULL, json TEXT NOT NULL, UNIQUE (scope_id, session_id, id)
      ) STRICT;
      CREATE VIRTUAL TABLE memory_words USING fts5 (
        words, content = '', contentless_delete = 1, detail = none,
        tokenize = "unicode61 remove_diacritics 2 tokenchars '_'"
      );
      INSERT INTO memory_scope VALUES (4, 'app', 'other'), (5, 'app', 'user');
      INSERT INTO memory_entry VALUES (9, 5, '', 'fact', 1, '{"id":"fact","content":{"parts":[{"text":"likes tea"}]}}');
      INSERT INTO memory_words (rowid, words) VALUES (9, 's_5 likes tea');
      PRAGMA user_version = 1`);
    former.close();

    await using memory = new SqliteMemoryService({ path, clock: new FixedClock(), ids: new SequentialIds() });
    const scope = { appName: "app", userId: "user" };
    const found = async (tenantId: string) =>
      (await memory.searchMemory({ ...scope, tenantId }, "tea")).memories.map(({ id }) => id);
    await memory.addMemoryEntries({ ...scope, tenantId: "acme" }, [{ id: "a", content: { parts: [{ text: "tea" }] } }]);
    expect([await found("default"), await found("acme")]).toEqual([["fact"], ["a"]]);
    await memory.addMemoryEntries(scope, [{ id: "fact", content: { parts: [{ text: "likes coffee" }] } }]);
    expect(await found("default")).toEqual([]);
  });
});
