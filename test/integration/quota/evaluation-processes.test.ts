import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

interface Usage {
  readonly usage: readonly { readonly scope: string; readonly used: number; readonly reserved: number }[];
}

it.skipIf(whyNoRedis() !== undefined).for([
  { transport: "redis", address: "REDIS_URL", message: "REDIS_URL is missing: with QUOTAS_FILE" },
  {
    transport: "postgres",
    address: "DATABASE_URL",
    message: "DATABASE_URL is not set, and TRANSPORT=postgres needs it.",
  },
] as const)(
  "six processes count judges of evaluations in $transport, and the evaluation service refuses to start without it",
  { timeout: 120_000 },
  async ({ transport, address, message: refusal }, { skip }) => {
    verifies("quotas:evaluations");
    skip(transport === "postgres" && postgresMissing() !== undefined, "Postgres is not installed");
    const rules = agentsFolder({ "quotas.yaml": "defaults: { tenant: { tokensPerDay: 1000000 } }" });
    const settings = { QUOTAS_FILE: `${rules.path}/quotas.yaml`, EVAL_JUDGE_MODELS: "demo/judge" };
    await using world = await PlatformWorld.create({ settings, transport });
    const refused = world.start("eval", 0, { [address]: "" });
    // Its output is complete.
    await refused.ended;
    expect(refused.child.exitCode).toBe(1);
    expect(refused.output).toContain(refusal);
    world.startAll();
    await world.untilReady();

    const client = new PlatformClient(world.url);
    const message = { role: "user", parts: [{ text: "hello" }] };
    const conversation = [{ userContent: message, finalResponse: { role: "model", parts: [{ text: "hello" }] } }];
    const evalSet = { evalSetId: "smoke", name: "smoke", evalCases: [{ evalId: "one", conversation }] };
    expect((await client.post("/apps/echo/eval-sets", { evalSet })).status).toBe(200);
    const usage = async () => {
      // The form of the answer.
      const body = (await (await fetch(`${world.url}/v1/usage`)).json()) as Usage;
      return body.usage.map(({ scope, used, reserved }) => ({ scope, used, reserved }));
    };
    const evaluate = async (metric: object): Promise<number> => {
      const before = (await usage())[0]?.used ?? 0;
      const answer = await client.post("/apps/echo/eval-sets/smoke/run-eval", { evalMetrics: [metric] });
      expect([answer.status, answer.ok ? "" : await answer.text()]).toEqual([200, ""]);
      // Settled calls are counted when the database has answered.
      await expect.poll(usage).toEqual([{ scope: "tenant", used: expect.any(Number), reserved: 0 }]);
      return ((await usage())[0]?.used ?? 0) - before;
    };
    const turns = await evaluate({ metricName: "response_match_score", threshold: 0.5 });
    const judged = (numSamples: number) =>
      evaluate({
        metricName: "final_response_match_v2",
        criterion: { threshold: 0.5, judgeModelOptions: { numSamples } },
      });
    const ofOneSample = (await judged(1)) - turns;
    expect(ofOneSample).toBeGreaterThan(0);
    expect((await judged(3)) - turns).toBe(3 * ofOneSample);
  },
);
