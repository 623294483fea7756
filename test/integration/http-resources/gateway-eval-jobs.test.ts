import { describe, expect, it } from "vitest";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import { textOf, userContent } from "#kit/events/content.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { RunScript } from "#test/helpers/worlds/scripted-runner.ts";

const CLOCK = new FixedClock(1_787_140_000_500);
const MATCH = { metricName: "response_match_score", threshold: 0.8 };

/** Says what it is asked, in capitals. */
const SHOUT: RunScript = (run) => run.say(textOf(run.request.newMessage).toUpperCase());

function asking(evalId: string, asked: string, expected: string): EvalCase {
  const finalResponse = { role: "model", parts: [{ text: expected }] };
  return { evalId, conversation: [{ userContent: userContent(asked), finalResponse }] };
}

const CASES = [asking("greeting", "hi", "HI"), asking("mistake", "one", "two")];
const START = { appName: "echo", evalSetId: "smoke", evalMetrics: [MATCH] };

async function startEvals(script: RunScript = SHOUT) {
  const evalStore = new InMemoryEvalStore({ clock: CLOCK });
  await evalStore.createEvalSet({ appName: "echo", evalSetId: "smoke", evalCases: CASES });
  const world = await startGateway({ clock: CLOCK, script, deps: { evalStore } });
  const call = async (method: "GET" | "POST", url: string, payload?: object, headers: Record<string, string> = {}) => {
    const response = await world.gateway.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    return { status: response.statusCode, body: response.json(), headers: response.headers };
  };
  const stream = async (url: string, headers: Record<string, string> = {}): Promise<readonly string[][]> => {
    const { body } = await world.gateway.inject({ url, headers });
    const frames = body.split("\n\n").filter((frame) => frame.startsWith("data: "));
    return frames.map((frame) => {
      const [data = "", event = "", id = ""] = frame.split("\n");
      const shown = JSON.parse(data.slice("data: ".length));
      return [event.slice("event: ".length), shown.evalId ?? "", shown.status, id];
    });
  };
  return { world, evalStore, call, stream, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

describe("an evaluation in the background", () => {
  it("is started, followed to its end, and read with its results", async () => {
    verifies("platform:evaluation:routes");
    await using evals = await startEvals();
    const started = await evals.call("POST", "/v1/evals", START);
    const { jobId } = started.body;
    expect(started.status).toBe(202);
    expect(started.headers["location"]).toBe(`/v1/evals/${jobId}`);
    expect(started.body).toMatchObject({ appName: "echo", evalSetId: "smoke", evalMetrics: [MATCH], attempts: 0 });

    const frames = await evals.stream(`/v1/evals/${jobId}/stream`);
    expect(frames.at(-1)).toMatchObject(["job", "", "succeeded", expect.stringMatching(/^id: \d+$/)]);
    const cases = frames.filter(([event, , status]) => event === "case" && status === "done");
    expect(cases.map(([, evalId]) => evalId).toSorted()).toEqual(["greeting", "mistake"]);

    const { body: job } = await evals.call("GET", `/v1/evals/${jobId}`);
    expect(job).toEqual({
      ...{ jobId, appName: "echo", evalSetId: "smoke", status: "succeeded", evalMetrics: [MATCH] },
      counts: { total: 2, running: 0, done: 2, passed: 1, failed: 1 },
      ...{ createdTime: CLOCK.now(), startedTime: CLOCK.now(), endedTime: CLOCK.now() },
      ...{ cancelRequested: false, attempts: 1, sequence: expect.any(Number) },
      evalResultId: "echo_smoke_1787140000.5",
    });
    expect(await evals.evalStore.getEvalSetResult({ appName: "echo" }, job.evalResultId)).toBeDefined();
    const { body: page } = await evals.call("GET", `/v1/evals/${jobId}/cases?pageSize=1`);
    expect(page.cases).toMatchObject([
      { index: 0, evalId: "greeting", status: "done", finalEvalStatus: 1, attempts: 1 },
    ]);
    const { body: rest } = await evals.call("GET", `/v1/evals/${jobId}/results?afterIndex=0`);
    expect(rest.results).toMatchObject([{ index: 1, result: { evalId: "mistake", finalEvalStatus: 2 } }]);
  });

  it("is not started while the data of its tenant is being deleted", async () => {
    verifies("tenants:delete:evaluations");
    await using evals = await startEvals();
    const owners = [{ tenantId: "default" }, { tenantId: "default", userId: "ada" }, { tenantId: "acme" }];
    const answers = [];
    for (const owner of owners) {
      await evals.world.store.beginDeletion(owner);
      for (const url of ["/v1/evals", "/apps/echo/eval-sets/smoke/run-eval"]) {
        const { status, body } = await evals.call("POST", url, START);
        answers.push([status, body.reason]);
      }
      await evals.world.store.endDeletion(owner);
    }
    const [refused, accepted] = [
      [409, "DATA_IN_DELETION"],
      [expect.toBeOneOf([200, 202]), undefined],
    ];
    // A caller who reaches all users evaluates as other users than the one whose data is being deleted.
    expect(answers).toEqual([refused, refused, accepted, accepted, accepted, accepted]);
    expect((await evals.call("GET", "/v1/evals")).body.evaluations).toHaveLength(4);
  });

  it("is followed from the frame that a reader has seen last", async () => {
    verifies("wire:sse:after-the-end");
    await using evals = await startEvals();
    const { body } = await evals.call("POST", "/v1/evals", START);
    const all = await evals.stream(`/v1/evals/${body.jobId}/stream`);
    const end = all.at(-1);
    const last = end?.[3]?.slice("id: ".length) ?? "";
    const before = String(Number(last) - 1);
    expect(await evals.stream(`/v1/evals/${body.jobId}/stream?after=0`)).toContainEqual(end);
    expect(await evals.stream(`/v1/evals/${body.jobId}/stream?after=${before}`)).toEqual([end]);
    const reconnected = await evals.stream(`/v1/evals/${body.jobId}/stream?after=0`, { "last-event-id": before });
    expect(reconnected).toEqual([end]);
    // An EventSource reconnects after any answer with content.
    const after = { url: `/v1/evals/${body.jobId}/stream`, headers: { "last-event-id": last } };
    expect(await evals.world.gateway.inject(after)).toMatchObject({ statusCode: 204, body: "" });
    const refused = await evals.call("GET", `/v1/evals/${body.jobId}/stream`, undefined, { "last-event-id": "x" });
    expect([refused.status, refused.body.reason]).toEqual([422, "INVALID_FIELD"]);
  });

  it("is cancelled, with the run that is active, and keeps the results of cases that were done", async () => {
    const asked = Promise.withResolvers<void>();
    const never = new Promise<void>(() => undefined);
    await using evals = await startEvals(async (run) => {
      if (textOf(run.request.newMessage) === "hi") return SHOUT(run);
      asked.resolve();
      return never;
    });
    const { body } = await evals.call("POST", "/v1/evals", START);
    await asked.promise;
    const done = async () => (await evals.call("GET", `/v1/evals/${body.jobId}`)).body.counts.done;
    await expect.poll(done).toBe(1);
    const cancelled = await evals.call("POST", `/v1/evals/${body.jobId}/cancel?wait=true`);
    expect([cancelled.status, cancelled.body.status]).toEqual([200, "cancelled"]);
    expect(evals.world.runner.cancelled).toHaveLength(1);
    const again = await evals.call("POST", `/v1/evals/${body.jobId}/cancel`);
    expect(again.body).toEqual(cancelled.body);
    const { body: page } = await evals.call("GET", `/v1/evals/${body.jobId}/results`);
    expect(page.results.map(({ index }: { index: number }) => index)).toEqual([0]);
    expect(await evals.evalStore.listEvalSetResults({ appName: "echo" })).toEqual([]);
  });

  it("begins a conversation again, in another session, whose run ended with its server", async () => {
    let isFirst = true;
    await using evals = await startEvals(async (run) => {
      if (textOf(run.request.newMessage) !== "hi" || !isFirst) return SHOUT(run);
      isFirst = false;
      return { status: "interrupted" };
    });
    const { body } = await evals.call("POST", "/v1/evals", START);
    await evals.stream(`/v1/evals/${body.jobId}/stream`);
    const { body: page } = await evals.call("GET", `/v1/evals/${body.jobId}/cases`);
    expect(page.cases).toMatchObject([
      { evalId: "greeting", finalEvalStatus: 1, attempts: 2, sessionId: expect.stringMatching(/-0-1$/) },
      { evalId: "mistake", finalEvalStatus: 2, attempts: 1 },
    ]);
  });

  it("is one under an idempotency key, and listed by set and status", async () => {
    verifies("platform:evaluation:result-names");
    await using evals = await startEvals();
    const key = { "idempotency-key": "nightly" };
    const first = await evals.call("POST", "/v1/evals", START, key);
    const second = await evals.call("POST", "/v1/evals", START, key);
    expect(second.body.jobId).toBe(first.body.jobId);
    const other = await evals.call("POST", "/v1/evals", { ...START, evalIds: ["mistake"] }, key);
    expect([other.status, other.body.reason]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    await evals.stream(`/v1/evals/${first.body.jobId}/stream`);
    const third = await evals.call("POST", "/v1/evals", START);
    await evals.stream(`/v1/evals/${third.body.jobId}/stream`);
    const idsOf = async (query: string): Promise<readonly string[]> =>
      (await evals.call("GET", `/v1/evals?${query}`)).body.evaluations.map(({ jobId }: { jobId: string }) => jobId);
    const ids = [first.body.jobId, third.body.jobId].toSorted().reverse();
    expect(await idsOf("appName=echo&evalSetId=smoke&status=succeeded")).toEqual(ids);
    expect(await idsOf("status=failed")).toEqual([]);
    expect(await idsOf("evalSetId=other")).toEqual([]);
    expect(await idsOf(`pageSize=1&pageToken=${ids[0]}`)).toEqual([ids[1]]);
    // Both were created in one millisecond of the test's clock, and have results of their own.
    expect(await evals.evalStore.listEvalSetResults({ appName: "echo" })).toHaveLength(2);
  });

  it.each([
    [{ ...START, appName: 1 }, 422, "INVALID_FIELD", "appName"],
    [{ appName: "echo" }, 422, "INVALID_FIELD", "evalSetId"],
    [{ ...START, evalSetId: "none" }, 404, "EVAL_SET_NOT_FOUND", "none"],
    [{ ...START, evalIds: ["none"] }, 404, "EVAL_CASE_NOT_FOUND", "none"],
    [{ ...START, evalMetrics: ["respons_match_score"] }, 422, "INVALID_FIELD", "response_match_score"],
    [{ ...START, userSimulatorConfig: { maxAllowedInvocations: "x" } }, 422, "INVALID_FIELD", "maxAllowedInvocations"],
  ])("is not started by %j: %i %s", async (body, status, reason, text) => {
    await using evals = await startEvals();
    const answer = await evals.call("POST", "/v1/evals", body);
    expect([answer.status, answer.body.reason]).toEqual([status, reason]);
    expect(answer.body.message).toContain(text);
    expect((await evals.call("GET", "/v1/evals")).body).toEqual({ evaluations: [] });
  });

  it.each(["", "/cases", "/results", "/stream"])("that does not exist is 404 at %s", async (path) => {
    await using evals = await startEvals();
    const { status, body } = await evals.call("GET", `/v1/evals/none${path}`);
    expect([status, body.reason]).toEqual([404, "EVAL_JOB_NOT_FOUND"]);
    const cancelled = await evals.call("POST", "/v1/evals/none/cancel");
    expect([cancelled.status, cancelled.body.reason]).toEqual([404, "EVAL_JOB_NOT_FOUND"]);
  });
});
