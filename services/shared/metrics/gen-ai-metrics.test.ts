import { expect, it } from "vitest";
import { createGenAiMetrics } from "./gen-ai-metrics.ts";
import { MetricRegistry } from "./metric-registry.ts";
import { prometheusText } from "./metrics-text.ts";

it("shows histograms under Prometheus names, one series for each set of labels", async () => {
  const registry = new MetricRegistry();
  const metrics = createGenAiMetrics(registry);
  const tool = { "gen_ai.tool.name": "look", "error.type": "" };
  metrics.record("gen_ai.execute_tool.duration", 0.5, tool);
  metrics.record("gen_ai.execute_tool.duration", 1, tool);
  metrics.record("gen_ai.execute_tool.duration", 2, { ...tool, "error.type": "Error" });
  metrics.record("gen_ai.agent.workflow.steps", 3, {});
  const lines = prometheusText(registry).split("\n");
  expect(lines.filter((line) => /_(count|sum)\b/.test(line))).toEqual([
    'gen_ai_execute_tool_duration_seconds_sum{gen_ai_tool_name="look",error_type=""} 1.5',
    'gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="look",error_type=""} 2',
    'gen_ai_execute_tool_duration_seconds_sum{gen_ai_tool_name="look",error_type="Error"} 2',
    'gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="look",error_type="Error"} 1',
    "gen_ai_agent_workflow_steps_sum 3",
    "gen_ai_agent_workflow_steps_count 1",
  ]);
});
