import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";
import { QuotaModelBudget } from "./quota-model-budget.ts";

const ADA = { keyId: "k", userId: "ada", appName: "app" };
const { signal } = new AbortController();

function budgetOf(text: string) {
  const clock = new FixedClock();
  const quotas = quotasOf(text, { clock });
  const budget = new QuotaModelBudget({ quotas, clock, ids: new SequentialIds("call"), logger: silentLogger });
  const reserved = async () => (await quotas.read(ADA, quotas.limitsOf(ADA))).map(({ state }) => state.reserved);
  return { budget, reserved };
}

const RULES = `
defaults: { user: { tokensPerDay: 10000, usdPerMonth: 1 } }
reservedOutputTokens: 100
prices: { m: { input: 1, output: 10 } }
`;

it.each([
  ["the longest answer that the call allows", { maxOutputTokens: 70 }, [75, 705]],
  ["the answer that the operator expects of a call without a limit", {}, [105, 1005]],
])("reserves the prompt and %s, in tokens and money", async (_title, limit, amounts) => {
  const { budget, reserved } = budgetOf(RULES);
  const call = await budget.ofSubject(ADA)?.reserve({ model: "m", promptTokens: 5, ...limit }, signal);
  expect(await reserved()).toEqual(amounts);
  call?.settle({ promptTokenCount: 5, candidatesTokenCount: 1 });
  expect(await reserved()).toEqual([0, 0]);
});
