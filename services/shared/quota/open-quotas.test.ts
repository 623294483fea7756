import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { MetricRegistry } from "../metrics/metric-registry.ts";
import { openQuotas } from "./open-quotas.ts";

/** Opens the files of a folder, which are written by `write`. */
function createWorld() {
  const folder = mkdtempSync(join(tmpdir(), "quotas-"));
  const clock = new FixedClock();
  const path = (name: string): string => join(folder, name);
  const open = (files: { readonly quotas?: string; readonly prices?: string }) =>
    openQuotas({
      config: {
        QUOTAS_FILE: path(files.quotas ?? ""),
        PRICES_FILE: files.prices === undefined ? "" : path(files.prices),
      },
      ...{ ledger: undefined, runQuota: undefined, clock, ids: new SequentialIds(), logger: silentLogger },
      registry: new MetricRegistry(),
    });
  return {
    clock,
    open,
    write: (name: string, text: string) => writeFileSync(path(name), text),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

const limitOfAda = (quotas: Awaited<ReturnType<typeof openQuotas>>): number | undefined =>
  quotas?.limitsOf({ userId: "ada" }, ["tokensPerDay"])[0]?.max;

it("reads a changed file within a second, and keeps the former quotas while it is broken", async () => {
  using world = createWorld();
  world.write("quotas.yaml", "defaults: { user: { tokensPerDay: 1 } }");
  const quotas = await world.open({ quotas: "quotas.yaml" });
  expect(limitOfAda(quotas)).toBe(1);
  world.write("quotas.yaml", "defaults: { user: { tokensPerDay: 22 } }");
  world.clock.advance(1000);
  expect(limitOfAda(quotas)).toBe(22);
  world.write("quotas.yaml", "defaults: { user: { tokensPerDay: broken } }");
  world.clock.advance(1000);
  expect(limitOfAda(quotas)).toBe(22);
  world.write("quotas.yaml", "defaults: { user: { tokensPerDay: 4444 } }");
  world.clock.advance(1000);
  expect(limitOfAda(quotas)).toBe(4444);
});

it("takes prices from their own file, also when it changes", async () => {
  using world = createWorld();
  world.write("quotas.yaml", "prices: { flash: { input: 1, output: 1 } }");
  world.write("prices.yaml", "prices: { flash: { input: 2, output: 2 } }");
  const quotas = await world.open({ quotas: "quotas.yaml", prices: "prices.yaml" });
  expect(quotas?.rules.prices.of("flash")).toEqual({ input: 2, output: 2 });
  expect(quotas?.rules).toBe(quotas?.rules);
  world.write("prices.yaml", "prices: { flash: { input: 3.25, output: 3 } }");
  world.clock.advance(1000);
  expect(quotas?.rules.prices.of("flash")).toEqual({ input: 3.25, output: 3 });
});

it("does not start with a file that is missing or has a fault", async () => {
  using world = createWorld();
  await expect(world.open({ quotas: "missing.yaml" })).rejects.toThrow("The file of QUOTAS_FILE cannot be read.");
  world.write("quotas.yaml", "\ndefaults: { user: { tokens: 1 } }");
  await expect(world.open({ quotas: "quotas.yaml" })).rejects.toThrow("QUOTAS_FILE: Line 2: defaults.user.tokens");
});

it("is nothing without a file", async () => {
  const context = { ledger: undefined, runQuota: undefined, clock: new FixedClock(), ids: new SequentialIds() };
  const config = { QUOTAS_FILE: "", PRICES_FILE: "" };
  expect(
    await openQuotas({ ...context, config, logger: silentLogger, registry: new MetricRegistry() }),
  ).toBeUndefined();
});
