import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type PassOptions, RetentionPass } from "./retention-pass.ts";
import type { RetentionRules } from "./retention-rules.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const LONG = { appName: "weather", userId: "me", id: "long" };
const DEMO = { ...LONG, appName: "demo" };
const ARCHIVED = { ...LONG, tenantId: "archive" };
const RULES: RetentionRules = {
  defaults: { runs: 30 * DAY_MS },
  overrides: [
    { tenantId: "archive", times: { runs: Number.POSITIVE_INFINITY } },
    { appName: "demo", times: { runs: DAY_MS } },
  ],
};

async function createWorld() {
  const clock = new FixedClock(1_800_000_000_000);
  const sessionService = new InMemorySessionStore({ clock, ids: new SequentialIds() });
  const records: AuditDecision[] = [];
  const counted: string[] = [];
  const deps = {
    ...{ sessionService, artifactService: new InMemoryArtifactService({ clock }), clock, logger: silentLogger },
    auditor: { note: () => {}, require: async (record: AuditDecision) => void records.push(record) },
    countRetention: (kind: string, count: number) => void counted.push(`${kind} ${count}`),
  };
  for (const session of [LONG, DEMO, ARCHIVED]) await sessionService.createSession(session);
  const begin = async (session: SessionKey, runId: string) => {
    const request = { newMessage: { role: "user", parts: [{ text: runId }] } };
    const names = { runId, session, invocationId: runId, request, policy: "enqueue", holder: "runner" } as const;
    const begun = await sessionService.begin({ ...names, leaseMs: 1000, haveRevision: 0 });
    if (begun.kind !== "started") throw new TypeError("The run has not started.");
    return begun.lease;
  };
  const run = async (session: SessionKey, runId: string, status: "succeeded" | "awaiting_input" = "succeeded") => {
    const lease = await begin(session, runId);
    await sessionService.finish({ lease, afterRevision: 0, events: [], status });
  };
  const pass = (options: Partial<PassOptions> = {}) =>
    new RetentionPass(deps, { rules: RULES, passId: "pass", signal: new AbortController().signal, ...options }).run();
  const left = async ({ tenantId }: SessionKey = LONG) =>
    (await sessionService.list({ tenantId })).runs.map(({ runId }) => runId).sort();
  return { clock, deps, records, counted, begin, run, pass, left };
}

it("deletes records of runs that are older than the rules of their app and tenant allow, and no session", async () => {
  verifies("retention:runs", "retention:rules", "retention:counted");
  const { clock, deps, records, counted, run, pass, left } = await createWorld();
  await run(LONG, "old 1");
  await run(LONG, "old 2");
  await run(ARCHIVED, "kept");
  await run(LONG, "waiting", "awaiting_input");
  clock.advance(29 * DAY_MS);
  await run(DEMO, "of demo");
  await run(LONG, "new");
  clock.advance(1.5 * DAY_MS);

  const deleted = [
    { kind: "runs", tenantId: "default", appName: "demo", count: 1 },
    { kind: "runs", tenantId: "default", appName: "weather", count: 2 },
  ];
  const named: string[] = [];
  expect(await pass({ isDryRun: true, onItem: (kind, { id }) => void named.push(`${kind} ${id}`) })).toEqual({
    deleted,
    failed: 0,
  });
  expect(named.toSorted()).toEqual(["runs of demo", "runs old 1", "runs old 2"]);
  expect([records, counted]).toEqual([[], []]);
  expect(await pass()).toEqual({ deleted, failed: 0 });
  expect([await left(), await left(ARCHIVED)]).toEqual([["new", "waiting"], ["kept"]]);
  expect(counted.toSorted()).toEqual(["runs 1", "runs 2"]);
  expect(records).toContainEqual({
    ...{ kind: "decision", timeMs: clock.now(), subject: "server:retention", action: "deleteRun" },
    resource: { appName: "weather", userId: "me", sessionId: "long", runId: "old 2" },
    ...{ decision: "allowed", requestId: "pass" },
  });
  expect(records).toHaveLength(3);
  const session = await deps.sessionService.getSession(LONG);
  expect([session?.closedTime, session?.lastUpdateTime]).toEqual([undefined, clock.now() - 30.5 * DAY_MS]);
  expect(await pass()).toEqual({ deleted: [], failed: 0 });
});

it("deletes no run that it cannot record, and the others of the session with the next pass", async () => {
  verifies("retention:counted", "retention:resumes");
  const { clock, deps, counted, run, pass, left } = await createWorld();
  for (let index = 0; index < 250; index += 1) await run(LONG, `old ${index}`);
  clock.advance(31 * DAY_MS);
  const write = deps.auditor.require;
  let calls = 0;
  deps.auditor.require = async (record) => {
    calls += 1;
    if (calls === 120) throw new PlatformError("AUDIT_UNAVAILABLE", "No.");
    await write(record);
  };
  const { failed } = await pass();
  expect([failed > 0, (await left()).length]).toEqual([true, failed]);
  expect((await pass()).failed).toBe(0);
  expect([await left(), counted.toSorted()]).toEqual([[], ["runs 100", "runs 100", "runs 50"]]);
});

it("a run that begins beside a pass is executed to its end", async () => {
  verifies("retention:runs-in-progress");
  const { clock, deps, begin, run, pass, left } = await createWorld();
  await run(LONG, "old");
  clock.advance(31 * DAY_MS);
  const lease = await begin(LONG, "active");
  expect((await pass()).deleted).toEqual([expect.objectContaining({ count: 1 })]);
  await deps.sessionService.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
  expect(await left()).toEqual(["active"]);
});

it("a store of one's own that cannot list runs by age is a failure, and keeps no other kind of data", async () => {
  verifies("retention:runs");
  const { clock, deps, run, pass } = await createWorld();
  await run(LONG, "old");
  clock.advance(31 * DAY_MS);
  Object.defineProperty(deps.sessionService, "listOldData", { value: undefined });
  const rules: RetentionRules = { defaults: { sessions: 40 * DAY_MS, runs: DAY_MS }, overrides: [] };
  expect(await pass({ rules })).toEqual({ deleted: [], failed: 1 });
});
