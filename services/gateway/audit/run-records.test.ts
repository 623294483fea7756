import { expect, it, onTestFinished, vi } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { evalSessionPrefix } from "#ports/evaluation-jobs/eval-session-prefix.ts";
import { callMcp } from "#test/helpers/mcp/mcp-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { GatewayDeps } from "../deps.ts";
import { RunRecords } from "./run-records.ts";

const CLOCK = new FixedClock();
const SESSION = { appName: "echo", userId: "ada", sessionId: "talk" };
const BODY = { ...SESSION, newMessage: userContent("hello") };

async function startAudited(others: Pick<Partial<GatewayDeps>, "evalStore"> = {}) {
  const noted: AuditDecision[] = [];
  const auditor = { note: (decision: AuditDecision) => void noted.push(decision), require: async () => {} };
  const world = await startGateway({ clock: CLOCK, config: { MCP_APPS: ["echo"] }, deps: { auditor, ...others } });
  await world.store.createSession({ appName: "echo", userId: "ada", id: "talk" });
  const post = (url: string, payload: object = {}, headers: Record<string, string> = {}) =>
    world.gateway.inject({ method: "POST", url, payload, headers });
  const records = () => noted.map(({ action, resource, decision }) => ({ action, runId: resource.runId, decision }));
  const resources = () => noted.map(({ action, resource }) => [action, resource] as const);
  const runs = async () => (await world.store.list({})).runs.map(({ runId }) => runId).reverse();
  return Object.assign(world, { post, records, resources, runs });
}

it.each([
  ["runAgent", "/run"],
  ["runAgentStreamed", "/run_sse"],
  ["startRun", "/v1/runs"],
])("records %s once, with the id of its run", async (action, path) => {
  verifies("authentication:audit:runs");
  await using world = await startAudited();
  await world.post(path, BODY);
  const [runId] = await world.runs();
  expect(runId).toBeDefined();
  expect(world.records()).toEqual([{ action, runId, decision: "allowed" }]);
});

it("records a request under a used idempotency key with the id of the run that it finds", async () => {
  verifies("authentication:audit:runs");
  await using world = await startAudited();
  for (let call = 0; call < 2; call += 1) await world.post("/v1/runs", BODY, { "idempotency-key": "once" });
  const [runId, ...others] = await world.runs();
  expect(others).toEqual([]);
  expect(world.records().map((record) => record.runId)).toEqual([runId, runId]);
});

it("records the call of an agent at /mcp with the id of its run, and a list of the agents without", async () => {
  verifies("authentication:audit:runs");
  await using world = await startAudited();
  await callMcp(world.gateway, "tools/list");
  await callMcp(world.gateway, "tools/call", { name: "echo", arguments: { request: "hello" } });
  const [runId] = await world.runs();
  await expect.poll(() => world.records().map((record) => record.runId)).toEqual([undefined, runId]);
});

it("records the run that is started anew, and the one that it repeats", async () => {
  verifies("authentication:audit:runs");
  await using world = await startAudited();
  await world.post("/run", BODY);
  const [first] = await world.runs();
  await world.post(`/v1/runs/${first}/requeue`);
  const [, second] = await world.runs();
  expect(second).toBeDefined();
  expect(world.records().map((record) => record.runId)).toEqual([first, first, second]);
});

it("records an evaluation with the id of its job, under which its sessions are, and its cancellation", async () => {
  verifies("authentication:audit:runs");
  const evalStore = new InMemoryEvalStore({ clock: CLOCK });
  const set = { appName: "echo", evalSetId: "smoke" };
  const finalResponse = { role: "model", parts: [{ text: "hi" }] };
  const evalCases = [{ evalId: "one", conversation: [{ userContent: userContent("hi"), finalResponse }] }];
  await evalStore.createEvalSet({ ...set, evalCases });
  await using world = await startAudited({ evalStore });
  const evalMetrics = [{ metricName: "response_match_score", threshold: 0.5 }];
  const { jobId } = (await world.post("/v1/evals", { ...set, evalMetrics })).json();
  await world.post("/apps/echo/eval-sets/smoke/run-eval", { evalMetrics });
  await world.post(`/v1/evals/${jobId}/cancel`);
  const [, second] = world.resources().map(([, resource]) => resource.jobId);
  expect([typeof jobId, typeof second, second !== jobId]).toEqual(["string", "string", true]);
  expect(world.resources()).toEqual([
    ["startEvaluation", { appName: "echo", id: "smoke", jobId }],
    ["runEvaluation", { appName: "echo", id: "smoke", jobId: second }],
    ["cancelEvaluation", { jobId }],
  ]);
  const sessions = (await world.store.list({})).runs.map(({ session }) => session.id);
  expect(sessions.some((id) => id.startsWith(evalSessionPrefix(String(second))))).toBe(true);
});

it("records a request that starts no run once, without a run", async () => {
  verifies("authentication:audit:runs");
  await using world = await startAudited();
  const answer = await world.post("/run", { ...BODY, sessionId: "absent" });
  expect(answer.statusCode).toBe(404);
  expect(world.records()).toEqual([{ action: "runAgent", runId: undefined, decision: "allowed" }]);
});

it("makes a record of a request whose run has not started after a second, and another one when it starts", async () => {
  verifies("authentication:audit:held");
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const noted: AuditDecision[] = [];
  const decision = { kind: "decision", timeMs: 1, requestId: "r", subject: "ada", action: "startRun" } as const;
  const records = new RunRecords(
    { note: (each) => void noted.push(each) },
    { ...decision, resource: {}, decision: "allowed" },
  );
  vi.advanceTimersByTime(999);
  expect(noted).toEqual([]);
  vi.advanceTimersByTime(1);
  records.started({ runId: "run" });
  records.end();
  expect(noted.map(({ resource }) => resource)).toEqual([{}, { runId: "run" }]);
  expect(vi.getTimerCount()).toBe(0);
});
