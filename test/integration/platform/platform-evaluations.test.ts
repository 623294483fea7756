import { afterAll, beforeAll, expect, it } from "vitest";
import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { describeWithStores } from "#test/helpers/servers/service-stores.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";

const whyNot = whyNoRedis();
if (whyNot !== undefined) process.stderr.write(`platform-evaluations: ${whyNot}\n`);

const CASES = 12;
const SETTINGS = { EVAL_LEASE_MS: "1500", EVAL_JUDGE_MODELS: "demo/judge" };

interface Answer {
  readonly status: number;
  // Of the form that the tests expect.
  readonly body: Body;
}

interface Body {
  readonly jobId: string;
  readonly status: string;
  readonly counts: { readonly done: number };
  readonly results: readonly { readonly result: EvalCaseResult }[];
  readonly events: readonly { readonly author: string }[];
  readonly metricsInfo: readonly { readonly metricName: string }[];
}

async function call(url: string, body?: object): Promise<Answer> {
  const method = body === undefined ? "GET" : "POST";
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(url, { method, ...init });
  return { status: response.status, body: (await response.json()) as Body };
}

/** The evaluation when it has ended, by its stream. */
async function ended(url: string, jobId: string): Promise<Body> {
  const response = await fetch(`${url}/v1/evals/${jobId}/stream`);
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.includes("event: job"));
  return JSON.parse(frames.at(-1)?.split("\n")[0]?.slice("data: ".length) ?? "{}") as Body;
}

const options = { timeout: 120_000, isSkipped: whyNot !== undefined };

describeWithStores("evaluations of six processes", options, (nextStores) => {
  let world: PlatformWorld;
  beforeAll(async () => {
    world = await PlatformWorld.create({ settings: nextStores().settings });
    for (const service of ["session", "artifact", "memory", "runner", "gateway"] as const) world.start(service);
    world.start("eval", 0, SETTINGS);
    await world.untilReady();
    const evalCases = Array.from({ length: CASES }, (_, index) => ({
      evalId: `case-${index}`,
      conversation: ["hello", "and again"].map((text) => ({ userContent: { role: "user", parts: [{ text }] } })),
    }));
    const set = { evalSet: { evalSetId: "smoke", name: "smoke", evalCases } };
    expect((await call(`${world.url}/apps/echo/eval-sets`, set)).status).toBe(200);
  }, 120_000);
  afterAll(async () => world?.[Symbol.asyncDispose]());

  const start = (body: object = {}) =>
    call(`${world.url}/v1/evals`, {
      ...{
        appName: "echo",
        evalSetId: "smoke",
        evalMetrics: [{ metricName: "tool_trajectory_avg_score", threshold: 1 }],
      },
      ...body,
    });

  it("run each case in a session of its own, with the grants of the session service", async () => {
    const { status, body } = await start();
    expect([status, body]).toEqual([202, expect.objectContaining({ status: "queued" })]);
    const job = await ended(world.url, body.jobId);
    expect(job).toMatchObject({ status: "succeeded", counts: { total: CASES, done: CASES, running: 0 } });
    const { body: page } = await call(`${world.url}/v1/evals/${body.jobId}/results`);
    expect(page.results).toHaveLength(CASES);
    expect(new Set(page.results.map(({ result }) => result.sessionId)).size).toBe(CASES);
  });

  it("continue in another process when theirs is killed, and run no turn again", async () => {
    const { body } = await start();
    for (;;) {
      const { body: job } = await call(`${world.url}/v1/evals/${body.jobId}`);
      if (job.counts.done > 0) break;
    }
    await world.kill("eval");
    world.start("eval", 0, SETTINGS);
    await world.untilReady();
    const job = await ended(world.url, body.jobId);
    expect(job).toMatchObject({ status: "succeeded", counts: { done: CASES } });
    const { body: page } = await call(`${world.url}/v1/evals/${body.jobId}/results`);
    for (const { result } of page.results) {
      const { body: session } = await call(
        `${world.url}/apps/echo/users/${result.userId}/sessions/${encodeURIComponent(result.sessionId)}`,
      );
      const asked = session.events.filter(({ author }) => author === "user");
      expect(asked).toHaveLength(2);
    }
  });

  it("give judges the instructions and tools of agents, which the evaluation service reads from a runner", async () => {
    const { body } = await start({
      evalIds: ["case-0"],
      evalMetrics: [{ metricName: "hallucinations_v1", threshold: 0.5 }],
    });
    expect(await ended(world.url, body.jobId)).toMatchObject({ status: "succeeded" });
    const { body: page } = await call(`${world.url}/v1/evals/${body.jobId}/results`);
    const turns = page.results[0]?.result.evalMetricResultPerInvocation ?? [];
    expect(turns.map(({ actualInvocation }) => Object.keys(actualInvocation.appDetails?.agentDetails ?? {}))).toEqual([
      ["echo"],
      ["echo"],
    ]);
  });

  it("list the metrics that the evaluation service can compute", async () => {
    const { body } = await call(`${world.url}/dev/apps/echo/metrics-info`);
    const names = body.metricsInfo.map(({ metricName }) => metricName);
    expect(names).toContain("final_response_match_v2");
    expect(names).not.toContain("safety_v1");
  });
});
