import type { UsageMetadata } from "#kit/events/content.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { microUsdOf, type Price, type PriceTable, tokensOf } from "#shared/quota/prices.ts";
import { MICRO_USD } from "#shared/quota/quota-limits.ts";

/** The end of a model's name in answers, which names in price lists lack: `-20250929`, `-2024-08-06`, `-001`. */
const VERSION = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{3})$/;

/** Returns the cost of a run's models in USD, by today's prices; undefined if one of them has no price. */
export function costOfUsage(usage: UsageMetadata | undefined, prices: PriceTable | undefined): number | undefined {
  const models = usage?.["models"];
  if (prices === undefined || !isJsonObject(models)) return undefined;
  let cost = 0;
  for (const [model, counts] of Object.entries(models)) {
    const price = priceOf(model, prices);
    if (price === undefined || !isJsonObject(counts)) return undefined;
    // The counts of a model have the members of a call's report; whatever else they are is not counted.
    cost += microUsdOf(tokensOf(counts as UsageMetadata), price);
  }
  return cost / MICRO_USD;
}

/** The prices of a run's models, by their names in its usage; undefined on a server without prices. */
export function pricesOfUsage(
  usage: UsageMetadata | undefined,
  prices: PriceTable | undefined,
): Readonly<Record<string, Price>> | undefined {
  const models = usage?.["models"];
  if (prices === undefined || !isJsonObject(models)) return undefined;
  const priced = Object.keys(models).map((model) => [model, priceOf(model, prices)] as const);
  return Object.fromEntries(priced.filter((entry): entry is [string, Price] => entry[1] !== undefined));
}

/** Counts the calls of models in the usage of a run. */
export function callsOfUsage(usage: UsageMetadata | undefined): number {
  const models = usage?.["models"];
  if (!isJsonObject(models)) return 0;
  const calls = Object.values(models).map((counts) => (isJsonObject(counts) ? counts["calls"] : 0));
  return calls.reduce<number>((sum, each) => sum + (typeof each === "number" ? each : 0), 0);
}

function priceOf(model: string, prices: PriceTable): Price | undefined {
  return prices.of(model) ?? prices.of(model.replace(VERSION, ""));
}
