import { expect, it } from "vitest";
import { App } from "#kit/core/app.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { AnalyticsPlugin } from "#kit/plugins/analytics/analytics-plugin.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { AnalyticsTotals } from "./analytics-totals.ts";

const helper = () => new LlmAgent({ name: "helper", model: new ScriptedModel(["one", "two"]) });

it("adds the rows of an app's own plugins and of others, also when the app is closed", async () => {
  const own = new AnalyticsPlugin({ sink: { append: async () => 0, close: async () => {} } });
  const refusing = { append: async (rows: readonly unknown[]) => rows.length, close: async () => {} };
  const other = new AnalyticsPlugin({ name: "other", sink: refusing });
  const world = await createAgentWorld(helper(), { plugins: [own, other] });
  await world.run("hi");
  await Promise.all([own.flush(), other.flush()]);

  const totals = new AnalyticsTotals();
  expect(totals.read()).toBeUndefined();
  const plain = new App({ name: "plain", rootAgent: helper() });
  totals.opened(plain, []);
  expect(totals.read()).toBeUndefined();
  const app = new App({ name: "shop", rootAgent: helper(), plugins: [own] });
  totals.opened(app, [other]);
  const { written } = own.counts;
  const after = { ...own.counts, written, append_error: written };
  expect([written > 5, totals.read()]).toEqual([true, after]);
  totals.closed(app);
  totals.closed(plain);
  expect(totals.read()).toEqual(after);
});
