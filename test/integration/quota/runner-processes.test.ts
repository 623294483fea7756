import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const RUNNERS = 4;
const RUNS = 50;
/** Tokens that each call uses. */
const CALL = 40;
const BUDGET = 1000;
/** At 10 USD for a million tokens. */
const USD_OF_CALL = 0.0004;
const USD_BUDGET = 0.01;
const PRICES = "prices: { meter: { input: 10, output: 10 } }";
const BUDGETS = {
  tokens: { limit: "tokensPerDay", max: BUDGET, ofCall: CALL, rules: `{ tokensPerDay: ${BUDGET} }` },
  money: { limit: "usdPerDay", max: USD_BUDGET, ofCall: USD_OF_CALL, rules: `{ usdPerDay: ${USD_BUDGET} }` },
} as const;
type Budget = (typeof BUDGETS)[keyof typeof BUDGETS];

/** An agent whose model writes each beginning and end of a call into a file, with the number of its process. */
const AGENT = `
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { LlmAgent } from "fairlead/kit";
const note = (word) => appendFileSync(process.env.CALLS_FILE, word + " " + process.pid + "\\n");
const model = {
  model: "meter",
  async *generateContentAsync() {
    note("begin");
    await setTimeout(30, undefined, { ref: false });
    note("end");
    yield {
      content: { role: "model", parts: [{ text: "well" }] },
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 20, totalTokenCount: 40 },
    };
  },
};
export const rootAgent = new LlmAgent({ name: "meter", model, generateContentConfig: { maxOutputTokens: 20 } });
`;

/** Six services with four runners, and what their model was asked. */
async function startWorld(rules: string) {
  const folder = mkdtempSync(join(tmpdir(), "runner-processes-"));
  const [quotas, agents, calls] = ["quotas.yaml", "agents", "calls.txt"].map((name) => join(folder, name));
  if (quotas === undefined || agents === undefined || calls === undefined) throw new Error("There is no path.");
  writeFileSync(quotas, `defaults: { user: ${rules} }\n${PRICES}\n`);
  writeFileSync(calls, "");
  mkdirSync(join(agents, "meter"), { recursive: true });
  writeFileSync(join(agents, "meter", "agent.ts"), AGENT);
  const settings = { QUOTAS_FILE: quotas, AGENTS_DIR: agents, CALLS_FILE: calls, LEASE_MS: "2000" };
  const world = await PlatformWorld.create({ replicas: { runner: RUNNERS }, settings });
  world.startAll();
  await world.untilReady();
  // The gateway connects to all runners with its first calls.
  for (let call = 0; call < 2 * RUNNERS; call += 1) await fetch(`${world.url}/list-apps`);
  return {
    world,
    client: new PlatformClient(world.url, "meter"),
    /** Calls of the model by their process: how many began, and how many ended. */
    calls: () => readFileSync(calls, "utf8").trim().split("\n"),
    usage: async (limit: string): Promise<UsageLine | undefined> => {
      const answer = await fetch(`${world.url}/v1/usage?userId=ada`);
      const { usage } = (await answer.json()) as { readonly usage: readonly UsageLine[] };
      return usage.find((line) => line.limit === limit);
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface UsageLine {
  readonly limit: string;
  readonly used: number;
  readonly reserved: number;
}

async function outcomeOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { readonly reason?: string } | readonly { readonly errorCode?: string }[];
  if (!Array.isArray(body)) return (body as { readonly reason?: string }).reason ?? `status ${answer.status}`;
  return body.at(-1)?.errorCode ?? "succeeded";
}

async function startRuns(client: PlatformClient): Promise<readonly Promise<string>[]> {
  const ids = Array.from({ length: RUNS }, (_, index) => `s${index}`);
  await Promise.all(ids.map((id) => client.createSession(id)));
  return ids.map((id) => client.run(id, "x".repeat(40)).then(outcomeOf));
}

describe.skipIf(whyNoRedis() !== undefined)("budgets of four runner processes", { timeout: 180_000 }, () => {
  it.each(Object.entries<Budget>(BUDGETS))(
    "of %s are exceeded by one call of each runner at most",
    async (_, { limit, max, ofCall, rules }) => {
      verifies("quotas:budget-processes");
      await using started = await startWorld(rules);
      const outcomes = await Promise.all(await startRuns(started.client));
      expect(new Set(outcomes)).toEqual(new Set(["succeeded", "QUOTA_EXCEEDED"]));
      const succeeded = outcomes.filter((outcome) => outcome === "succeeded").length;
      const calls = started.calls();
      expect(calls.filter((line) => line.startsWith("end")).length).toBe(succeeded);
      // Several processes took part.
      expect(new Set(calls).size).toBeGreaterThan(2);
      expect(succeeded * ofCall).toBeLessThanOrEqual(max + RUNNERS * ofCall + 1e-9);
      expect(succeeded * ofCall).toBeGreaterThanOrEqual(max - ofCall - 1e-9);
      await expect
        .poll(() => started.usage(limit))
        .toMatchObject({
          used: expect.closeTo(succeeded * ofCall, 6),
          reserved: 0,
        });
    },
  );

  it("count nothing of a killed runner's calls in progress after its reservations have ended", async () => {
    verifies("quotas:lost-runner-processes");
    const { rules, limit } = BUDGETS.tokens;
    await using started = await startWorld(rules);
    const { world, calls } = started;
    const running = await startRuns(started.client);
    const callsOf = (word: string, pid: string) => calls().filter((line) => line === `${word} ${pid}`).length;
    const busy = () => {
      const pids = new Set(calls().flatMap((line) => line.split(" ")[1] ?? []));
      return [...pids].find((pid) => callsOf("begin", pid) > callsOf("end", pid));
    };
    await expect.poll(busy, { timeout: 30_000, interval: 1 }).toBeDefined();
    const replicas = Array.from({ length: RUNNERS }, (_, replica) => replica);
    const pid = busy() ?? "";
    const victim = replicas.find((replica) => String(world.process("runner", replica).child.pid) === pid);
    if (victim === undefined) throw new Error(`No runner has the process ${pid}.`);
    await world.kill("runner", victim);
    const lost = callsOf("begin", pid);
    expect(lost).toBeGreaterThan(0);
    const outcomes = await Promise.all(running);
    expect(["succeeded", "QUOTA_EXCEEDED"]).toEqual(expect.arrayContaining([...new Set(outcomes)]));
    const ended = calls().filter((line) => line.startsWith("end")).length;
    // What the killed runner's model has answered may not have been counted.
    expect(ended * CALL).toBeLessThanOrEqual(BUDGET + (RUNNERS + lost) * CALL);
    await expect.poll(() => started.usage(limit), { timeout: 60_000, interval: 500 }).toMatchObject({ reserved: 0 });
    const used = (await started.usage(limit))?.used ?? 0;
    expect(used).toBeLessThanOrEqual(BUDGET + RUNNERS * CALL);
    expect(used).toBeGreaterThanOrEqual(BUDGET - CALL);
  });
});
