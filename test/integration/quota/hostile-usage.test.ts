import { expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";

const HUGE = "{ tokensPerDay: 1000000000000000, usdPerDay: 100000 }";
const PRICES = "prices: { metered: { input: 1, output: 1 } }";

type Responses = (signal: AbortSignal) => AsyncGenerator<LlmResponse, void, undefined>;

/** A runner whose one agent has a model that an author wrote, with budgets for its user. */
async function start(responses: Responses, text = `defaults: { user: ${HUGE} }\n${PRICES}`) {
  const clock = new FixedClock();
  const quotas = quotasOf(text, { clock });
  const model = {
    model: "metered",
    generateContentAsync: (_request: unknown, { signal }: { readonly signal: AbortSignal }) => responses(signal),
  };
  const agentLoader = new StaticAgentLoader([new LlmAgent({ name: KEY.appName, model })]);
  const world = await createRunnerWorld([], { quotas, clock, agentLoader });
  const used = async () => {
    const subject = { userId: KEY.userId };
    const uses = await quotas.read(subject, quotas.limitsOf(subject));
    return uses.map(({ applied, state }) => `${applied.limit} ${state.used}/${state.reserved}`);
  };
  return { ...world, used };
}

/** What code in JavaScript may report. */
function answer(usage: unknown): LlmResponse {
  return { content: { role: "model", parts: [{ text: "well" }] }, usageMetadata: usage as UsageMetadata };
}

it.each<readonly [string, unknown, number]>([
  ["null", null, 14],
  ["a text", "x".repeat(10_000), 14],
  ["a list", [1, 2, 3], 14],
  ["numbers that are none", { promptTokenCount: Number.NaN, totalTokenCount: Number.NaN }, 14],
  ["texts instead of numbers", { promptTokenCount: "9".repeat(10_000), totalTokenCount: "5" }, 0],
  ["infinite numbers", { promptTokenCount: Number.POSITIVE_INFINITY, totalTokenCount: 1 }, 1],
  ["negative numbers", { promptTokenCount: Number.NEGATIVE_INFINITY, candidatesTokenCount: -1, totalTokenCount: 7 }, 7],
  ["parts below zero", { promptTokenCount: 5, cachedContentTokenCount: 1e300, thoughtsTokenCount: -1e300 }, 5],
])("settles the call of a model that reports %s as its usage", async (_, usage, tokens) => {
  verifies("quotas:hostile-usage");
  const world = await start(async function* () {
    yield answer(usage);
  });
  for (let call = 1; call <= 2; call += 1) {
    const { runId } = await world.start("hello");
    await world.read(runId);
    await world.service.whenIdle();
    const [counted] = await world.used();
    expect(counted).toMatch(call === 1 ? new RegExp(`^tokensPerDay ${tokens}/0$`) : /\/0$/);
  }
  expect((await world.used()).every((line) => line.endsWith("/0"))).toBe(true);
});

it("settles the call of a cancelled run whose model ignores its signal", async () => {
  verifies("quotas:hostile-usage");
  const begun = Promise.withResolvers<void>();
  const world = await start(async function* () {
    begun.resolve();
    yield await new Promise<LlmResponse>(() => {});
  });
  const { runId } = await world.start("hello");
  await begun.promise;
  expect(await world.used()).not.toContain("tokensPerDay 0/0");
  await world.service.cancelRun(runId);
  await expect.poll(world.used).toEqual(["tokensPerDay 13/0", "usdPerDay 13/0"]);
});

it("settles a call once, also if its model answers after the run was cancelled", async () => {
  verifies("quotas:hostile-usage");
  const begun = Promise.withResolvers<void>();
  const late = Promise.withResolvers<LlmResponse>();
  const ended = Promise.withResolvers<void>();
  const world = await start(async function* () {
    begun.resolve();
    try {
      yield await late.promise;
    } finally {
      ended.resolve();
    }
  });
  const { runId } = await world.start("hello");
  await begun.promise;
  await world.service.cancelRun(runId);
  await expect.poll(world.used).toEqual(["tokensPerDay 13/0", "usdPerDay 13/0"]);
  late.resolve(answer({ totalTokenCount: 1000 }));
  await ended.promise;
  await world.service.whenIdle();
  expect(await world.used()).toEqual(["tokensPerDay 13/0", "usdPerDay 13/0"]);
});
