import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
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
type Transport = "redis" | "postgres";

/** Failures are reported after this time; no test measures time. */
const PATIENCE = { timeout: 120_000, interval: 100 };

/**
 * An agent whose model writes each beginning and end of a call into a file, with the number of its process. Calls are in
 * progress for as long as the file exists that holds them.
 */
const AGENT = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { LlmAgent } from "fairlead/kit";
const note = (word) => appendFileSync(process.env.CALLS_FILE, word + " " + process.pid + "\\n");
const model = {
  model: "meter",
  async *generateContentAsync() {
    note("begin");
    do await setTimeout(30, undefined, { ref: false });
    while (existsSync(process.env.HOLD_FILE));
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
async function startWorld(rules: string, given: Readonly<Record<string, string>> = {}, transport: Transport = "redis") {
  const folder = mkdtempSync(join(tmpdir(), "runner-processes-"));
  const inFolder = (name: string): string => join(folder, name);
  const [quotas, agents, calls, hold] = [
    inFolder("quotas.yaml"),
    inFolder("agents"),
    inFolder("calls"),
    inFolder("hold"),
  ];
  writeFileSync(quotas, `defaults: { user: ${rules} }\n${PRICES}\n`);
  writeFileSync(calls, "");
  mkdirSync(join(agents, "meter"), { recursive: true });
  writeFileSync(join(agents, "meter", "agent.ts"), AGENT);
  const settings = { QUOTAS_FILE: quotas, AGENTS_DIR: agents, CALLS_FILE: calls, HOLD_FILE: hold, ...given };
  const world = await PlatformWorld.create({ replicas: { runner: RUNNERS }, settings, transport });
  world.startAll();
  await world.untilReady();
  // The gateway connects to all runners with its first calls.
  for (let call = 0; call < 2 * RUNNERS; call += 1) await fetch(`${world.url}/list-apps`);
  return {
    world,
    client: new PlatformClient(world.url, "meter"),
    holdCalls: () => writeFileSync(hold, ""),
    releaseCalls: () => rmSync(hold),
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

describe.skipIf(whyNoRedis() !== undefined)("budgets of four runner processes", { timeout: 400_000 }, () => {
  it.for<readonly [Transport, string, Budget]>([
    ["redis", "tokens", BUDGETS.tokens],
    ["redis", "money", BUDGETS.money],
    ["postgres", "tokens", BUDGETS.tokens],
  ])(
    "that %s counts, of %s, are exceeded by one call of each runner at most",
    async ([transport, , { limit, max, ofCall, rules }], { skip }) => {
      verifies("quotas:budget-processes");
      skip(transport === "postgres" && postgresMissing() !== undefined, "Postgres is not installed");
      await using started = await startWorld(rules, {}, transport);
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
        .poll(() => started.usage(limit), PATIENCE)
        .toMatchObject({
          used: expect.closeTo(succeeded * ofCall, 6),
          reserved: 0,
        });
    },
  );

  it("count nothing of a killed runner's calls in progress after its reservations have ended", async () => {
    verifies("quotas:lost-runner-processes");
    const { rules, limit } = BUDGETS.tokens;
    await using started = await startWorld(rules, { LEASE_MS: "5000" });
    const { world, calls, client } = started;
    const callsOf = (word: string, pid: string) => calls().filter((line) => line === `${word} ${pid}`).length;
    started.holdCalls();
    const running = Promise.all(await startRuns(client));
    // Reported where it is awaited.
    running.catch(() => {});
    const pids = Array.from({ length: RUNNERS }, (_, index) => String(world.process("runner", index).child.pid));
    await expect.poll(() => pids.some((pid) => callsOf("begin", pid) > 0), PATIENCE).toBe(true);
    const victim = pids.findIndex((pid) => callsOf("begin", pid) > 0);
    const pid = pids[victim] ?? "";
    await world.kill("runner", victim);
    const lost = callsOf("begin", pid);
    expect([callsOf("end", pid), (await started.usage(limit))?.reserved]).toEqual([0, expect.any(Number)]);
    started.releaseCalls();
    const outcomes = await running;
    // A run whose Redis a busy machine keeps waiting is refused, and has made no call.
    const allowed = ["succeeded", "QUOTA_EXCEEDED", "QUOTA_UNAVAILABLE"];
    expect(allowed).toEqual(expect.arrayContaining([...new Set(outcomes)]));
    await expect.poll(() => started.usage(limit), PATIENCE).toMatchObject({ reserved: 0 });
    // What the lost calls had reserved is free again.
    for (let run = 0; run <= RUNS; run += 1) {
      await client.createSession(`after-${run}`);
      if ((await outcomeOf(await client.run(`after-${run}`, "x".repeat(40)))) === "QUOTA_EXCEEDED") break;
    }
    const used = (await started.usage(limit))?.used ?? 0;
    expect(used).toBeGreaterThanOrEqual(BUDGET - CALL);
    expect(used).toBeLessThanOrEqual(BUDGET + RUNNERS * CALL);
    // Lost calls were made, and are not counted.
    const begun = calls().filter((line) => line.startsWith("begin")).length;
    const ended = calls().filter((line) => line.startsWith("end")).length;
    expect([begun - ended, ended * CALL]).toEqual([lost, used]);
  });
});
