import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type PassOptions, RetentionPass } from "./retention-pass.ts";
import type { RetentionRules } from "./retention-rules.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const RULES: RetentionRules = {
  defaults: { sessions: 30 * DAY_MS },
  overrides: [
    { tenantId: "archive", times: { sessions: Number.POSITIVE_INFINITY } },
    { appName: "demo", times: { sessions: DAY_MS } },
  ],
};

async function createWorld() {
  const clock = new FixedClock(1_800_000_000_000);
  const sessionService = new InMemorySessionStore({ clock, ids: new SequentialIds() });
  const artifactService = new InMemoryArtifactService({ clock });
  const records: AuditDecision[] = [];
  const counted: string[] = [];
  const deps = {
    ...{ sessionService, artifactService, clock, logger: silentLogger },
    auditor: { note: () => {}, require: async (record: AuditDecision) => void records.push(record) },
    countRetention: (kind: string, count: number) => void counted.push(`${kind} ${count}`),
  };
  const add = async (session: SessionKey) => {
    await sessionService.createSession(session);
    await artifactService.saveArtifact({ session, filename: "a.txt", artifact: { text: "kept with its session" } });
  };
  const pass = (options: Partial<PassOptions> = {}) =>
    new RetentionPass(deps, { rules: RULES, passId: "pass", signal: new AbortController().signal, ...options }).run();
  const isThere = async (session: SessionKey) => {
    const files = await artifactService.listArtifactKeys(session);
    return [(await sessionService.getSession(session)) !== undefined, files.filenames.length];
  };
  return { clock, deps, records, counted, add, pass, isThere };
}

const OLD = { appName: "weather", userId: "me", id: "old" };
const DEMO = { appName: "demo", userId: "me", id: "demo" };
const ARCHIVED = { tenantId: "archive", appName: "weather", userId: "me", id: "kept" };
const ACME = { tenantId: "acme", appName: "weather", userId: "me", id: "old" };

it("deletes what is older than the rules of its app and tenant allow, with its files", async () => {
  verifies("retention:sessions", "retention:rules", "retention:counted");
  const { clock, records, counted, add, pass, isThere } = await createWorld();
  for (const session of [OLD, ARCHIVED, ACME]) await add(session);
  clock.advance(29 * DAY_MS);
  await add(DEMO);
  await add({ ...OLD, id: "new" });
  clock.advance(1.5 * DAY_MS);

  const deleted = [
    { kind: "sessions", tenantId: "acme", appName: "weather", count: 1 },
    { kind: "sessions", tenantId: "default", appName: "demo", count: 1 },
    { kind: "sessions", tenantId: "default", appName: "weather", count: 1 },
  ];
  expect(await pass()).toEqual({ deleted, failed: 0 });
  for (const session of [OLD, ACME, DEMO]) expect(await isThere(session)).toEqual([false, 0]);
  for (const session of [ARCHIVED, { ...OLD, id: "new" }]) expect(await isThere(session)).toEqual([true, 1]);
  expect(counted).toEqual(["sessions 1", "sessions 1", "sessions 1"]);
  const { tenantId: _, id: sessionId, ...names } = ACME;
  expect(records).toContainEqual({
    ...{ kind: "decision", timeMs: clock.now(), tenantId: "acme", subject: "server:retention" },
    ...{ action: "deleteSession", resource: { ...names, sessionId }, decision: "allowed", requestId: "pass" },
  });
  expect(records).toHaveLength(3);
  expect(await pass()).toEqual({ deleted: [], failed: 0 });
});

it("a dry run names the sessions and changes nothing", async () => {
  verifies("retention:prune");
  const { clock, records, counted, add, pass, isThere } = await createWorld();
  await add(OLD);
  clock.advance(31 * DAY_MS);
  const named: SessionKey[] = [];
  const report = await pass({ isDryRun: true, onSession: (session) => void named.push(session) });
  expect(report.deleted).toEqual([{ kind: "sessions", tenantId: "default", appName: "weather", count: 1 }]);
  expect(named).toEqual([OLD]);
  expect([records, counted, await isThere(OLD)]).toEqual([[], [], [true, 1]]);
});

it.each(["files", "session"])("continues after a pass that ended before it had deleted the %s", async (step) => {
  verifies("retention:resumes");
  const { clock, deps, add, pass, isThere } = await createWorld();
  await add(OLD);
  clock.advance(31 * DAY_MS);
  const [store, method] =
    step === "files"
      ? ([deps.artifactService, "deleteSessionArtifacts"] as const)
      : ([deps.sessionService, "deleteSession"] as const);
  Object.defineProperty(store, method, { configurable: true, value: () => Promise.reject(unavailable()) });
  expect(await pass()).toEqual({ deleted: [], failed: 1 });
  // Nothing begins in what is half deleted.
  const session = await deps.sessionService.getSession(OLD);
  expect(session?.closedTime).toBe(clock.now());
  Reflect.deleteProperty(store, method);
  expect((await pass()).deleted).toEqual([expect.objectContaining({ count: 1 })]);
  expect(await isThere(OLD)).toEqual([false, 0]);
});

it("deletes nothing that it cannot record", async () => {
  verifies("retention:counted");
  const { clock, deps, counted, add, pass, isThere } = await createWorld();
  await add(OLD);
  clock.advance(31 * DAY_MS);
  deps.auditor.require = () => Promise.reject(new PlatformError("AUDIT_UNAVAILABLE", "No."));
  expect(await pass()).toEqual({ deleted: [], failed: 1 });
  expect([counted, await isThere(OLD)]).toEqual([[], [true, 1]]);
});

it("ends a pass that fails again and again, and one that is aborted", async () => {
  const { clock, deps, add, pass } = await createWorld();
  for (let index = 0; index < 40; index += 1) await add({ ...OLD, id: `old-${index}` });
  clock.advance(31 * DAY_MS);
  let calls = 0;
  deps.auditor.require = async () => {
    calls += 1;
    throw unavailable();
  };
  await expect(pass()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  expect(calls).toBeLessThan(30);
  await expect(pass({ signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
});

it("removes the push notifications of a session's tasks", async () => {
  verifies("retention:sessions");
  const { clock, deps, add } = await createWorld();
  const { TabularPushStore } = await import("#ports/push/tabular-push-store.ts");
  const pushStore = new TabularPushStore({ table: new InMemoryRowTable() });
  const task = { taskId: "task", session: OLD };
  const state = { place: { runId: "task", sequence: 0, isBegun: false, isAtEnd: false }, isOver: false };
  const target = { id: "one", url: "https://receiver.example/" };
  await pushStore.save({ task, target, version: "1.0", state, dueMs: clock.now(), nowMs: clock.now() });
  expect(await pushStore.list(task)).toHaveLength(1);
  await add(OLD);
  clock.advance(31 * DAY_MS);
  const options = { rules: RULES, passId: "pass", signal: new AbortController().signal };
  await new RetentionPass({ ...deps, pushStore }, options).run();
  expect(await pushStore.list(task)).toEqual([]);
});

function unavailable(): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", "The store failed.");
}
