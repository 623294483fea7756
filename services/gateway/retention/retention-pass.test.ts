import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { createEvalSetResult } from "#kit/evaluation/eval-result.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
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
  const memoryService = new InMemoryMemoryService({ clock, ids: new SequentialIds() });
  const evalStore = new InMemoryEvalStore({ clock });
  const records: AuditDecision[] = [];
  const counted: string[] = [];
  const deps = {
    ...{ sessionService, artifactService, memoryService, evalStore, clock, logger: silentLogger },
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
  const named: unknown[] = [];
  const report = await pass({ isDryRun: true, onItem: (kind, item) => void named.push([kind, item]) });
  expect(report.deleted).toEqual([{ kind: "sessions", tenantId: "default", appName: "weather", count: 1 }]);
  expect(named).toEqual([["sessions", { ...OLD, timeMs: clock.now() - 31 * DAY_MS }]]);
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

const AGED_RULES: RetentionRules = {
  defaults: { memory: 365 * DAY_MS, results: 90 * DAY_MS },
  overrides: [
    { tenantId: "acme", times: { memory: Number.POSITIVE_INFINITY } },
    { appName: "demo", times: { memory: DAY_MS, results: DAY_MS } },
  ],
};

/** Memory and results of two apps and two tenants, of the present time. */
async function addAged({ clock, deps }: Awaited<ReturnType<typeof createWorld>>) {
  for (const owner of [
    { appName: "weather" },
    { appName: "demo" },
    { tenantId: "acme", appName: "weather" },
    { tenantId: "acme", appName: "demo" },
  ]) {
    const entries = ["tea", "coffee"].map((text) => ({ id: text, content: { parts: [{ text }] } }));
    await deps.memoryService.addMemoryEntries({ ...owner, userId: "ada" }, entries);
    const given = { evalSetId: "smoke", evalCaseResults: [], creationTimestamp: clock.now() / 1000 };
    await deps.evalStore.saveEvalSetResult(owner, createEvalSetResult(owner.appName, given));
  }
}

it("deletes memory and results that are older than the rules of their app and tenant allow", async () => {
  verifies("retention:memory", "retention:results", "retention:rules", "retention:counted");
  const world = await createWorld();
  const { clock, deps, records, counted, add, pass } = world;
  await add(OLD);
  await addAged(world);
  const name = `demo_smoke_${clock.now() / 1000}`;
  clock.advance(2 * DAY_MS);
  expect(await pass({ rules: AGED_RULES })).toEqual({
    deleted: [
      { kind: "memory", tenantId: "default", appName: "demo", count: 2 },
      { kind: "results", tenantId: "acme", appName: "demo", count: 1 },
      { kind: "results", tenantId: "default", appName: "demo", count: 1 },
    ],
    failed: 0,
  });
  expect(counted.toSorted()).toEqual(["memory 2", "results 1", "results 1"]);
  const common = { kind: "decision", timeMs: clock.now(), subject: "server:retention", decision: "allowed" } as const;
  const of = (action: string, resource: object) => ({ ...common, action, resource, requestId: "pass" });
  // Deletions of several owners happen at the same time.
  expect(records.toSorted(byTenant)).toEqual([
    of("deleteMemory", { appName: "demo", userId: "ada" }),
    of("deleteEvalSetResult", { appName: "demo", id: name }),
    { ...of("deleteEvalSetResult", { appName: "demo", id: name }), tenantId: "acme" },
  ]);
  const found = async (scope: object) =>
    (await deps.memoryService.searchMemory({ appName: "demo", userId: "ada", ...scope }, "tea coffee")).memories.length;
  expect([await found({}), await found({ tenantId: "acme" }), await found({ appName: "weather" })]).toEqual([0, 2, 2]);
  expect(await deps.evalStore.listEvalSetResults({ appName: "demo" })).toEqual([]);
  expect(await deps.evalStore.listEvalSetResults({ appName: "weather" })).toHaveLength(1);
  expect(await deps.sessionService.getSession(OLD)).toBeDefined();
  expect(await pass({ rules: AGED_RULES })).toEqual({ deleted: [], failed: 0 });
});

/** Those of the default tenant first, as they were. */
function byTenant(one: AuditDecision, other: AuditDecision): number {
  return (one.tenantId ?? "").localeCompare(other.tenantId ?? "");
}

it("a dry run names memory and results, and changes nothing", async () => {
  verifies("retention:prune");
  const world = await createWorld();
  const { clock, deps, records, counted, pass } = world;
  await addAged(world);
  clock.advance(2 * DAY_MS);
  const named: string[] = [];
  const onItem: PassOptions["onItem"] = (kind, { tenantId = "default", id }) =>
    void named.push(`${kind} ${tenantId} ${id.split("_", 2).join(" ")}`);
  const report = await pass({ rules: AGED_RULES, isDryRun: true, onItem });
  expect(report.deleted.map(({ kind, count }) => `${kind} ${count}`)).toEqual(["memory 2", "results 1", "results 1"]);
  expect(named.toSorted()).toEqual([
    ...["memory default coffee", "memory default tea"],
    ...["results acme demo smoke", "results default demo smoke"],
  ]);
  expect([records, counted]).toEqual([[], []]);
  expect(await deps.evalStore.listEvalSetResults({ appName: "demo" })).toHaveLength(1);
});

it("deletes no memory and no result that it cannot record", async () => {
  verifies("retention:counted");
  const world = await createWorld();
  const { clock, deps, counted, pass } = world;
  await addAged(world);
  clock.advance(2 * DAY_MS);
  deps.auditor.require = () => Promise.reject(new PlatformError("AUDIT_UNAVAILABLE", "No."));
  expect(await pass({ rules: AGED_RULES })).toEqual({ deleted: [], failed: 4 });
  expect(counted).toEqual([]);
  expect(await deps.evalStore.listEvalSetResults({ appName: "demo" })).toHaveLength(1);
});

it("a store that fails, or that cannot list by age, keeps no other kind of data", async () => {
  verifies("retention:results");
  const world = await createWorld();
  const { clock, deps, pass } = world;
  await addAged(world);
  clock.advance(2 * DAY_MS);
  const results = async () => (await deps.evalStore.listEvalSetResults({ appName: "demo" })).length;
  const list = (value: unknown) =>
    Object.defineProperty(deps.memoryService, "listOldData", { configurable: true, value });
  list(() => Promise.reject(unavailable()));
  await expect(pass({ rules: AGED_RULES })).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  expect(await results()).toBe(0);
  list(undefined);
  expect(await pass({ rules: AGED_RULES })).toEqual({ deleted: [], failed: 1 });
});

it("does not look at kinds that have no time in the rules", async () => {
  verifies("retention:off-costs-nothing");
  const { clock, deps, add, pass } = await createWorld();
  await add(OLD);
  clock.advance(31 * DAY_MS);
  for (const store of [deps.memoryService, deps.evalStore])
    Object.defineProperty(store, "listOldData", { value: () => Promise.reject(unavailable()) });
  expect((await pass()).deleted).toEqual([expect.objectContaining({ kind: "sessions", count: 1 })]);
});

it("deletes old versions of files while their session stays", async () => {
  verifies("retention:artifacts", "retention:counted", "retention:prune");
  const { clock, deps, records, counted, add, pass } = await createWorld();
  const rules: RetentionRules = { defaults: { artifacts: DAY_MS }, overrides: [] };
  await add(OLD);
  const shared = { session: OLD, filename: "user:b.txt", artifact: { text: "of the user" } };
  await deps.artifactService.saveArtifact(shared);
  clock.advance(2 * DAY_MS);
  await deps.artifactService.saveArtifact(shared);
  const deleted = [{ kind: "artifacts", tenantId: "default", appName: "weather", count: 2 }];
  expect(await pass({ rules, isDryRun: true })).toEqual({ deleted, failed: 0 });
  expect([records, counted]).toEqual([[], []]);
  expect(await pass({ rules })).toEqual({ deleted, failed: 0 });
  expect(counted).toEqual(["artifacts 2"]);
  const owner = { appName: "weather", userId: "me" };
  expect(records.map(({ action, resource }) => [action, resource])).toEqual([
    ["deleteArtifact", { ...owner, artifactName: "user:b.txt" }],
    ["deleteArtifact", { ...owner, sessionId: "old", artifactName: "a.txt" }],
  ]);
  expect(await deps.artifactService.listArtifactKeys(OLD)).toEqual({ filenames: ["user:b.txt"] });
  expect(await deps.artifactService.listVersions(shared)).toEqual({ versions: [1] });
  expect(await deps.sessionService.getSession(OLD)).toBeDefined();
});

it("deletes many entries of one user in parts", async () => {
  verifies("retention:memory");
  const { clock, deps, records, counted, pass } = await createWorld();
  const entries = Array.from({ length: 250 }, (_, index) => ({
    id: `${index}`,
    content: { parts: [{ text: "tea" }] },
  }));
  await deps.memoryService.addMemoryEntries({ appName: "demo", userId: "ada" }, entries);
  clock.advance(2 * DAY_MS);
  expect((await pass({ rules: AGED_RULES })).deleted).toEqual([
    expect.objectContaining({ kind: "memory", count: 250 }),
  ]);
  expect([records.length, counted.toSorted()]).toEqual([3, ["memory 100", "memory 100", "memory 50"]]);
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
