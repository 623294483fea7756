import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { modelContent } from "../events/content.ts";
import { functionCallResponse, ScriptedModel } from "../testing/scripted-model.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { GEN_AI_METRICS, type GenAiMetric, observeSpans } from "./gen-ai-metrics.ts";
import type { SpanRecord } from "./span.ts";

const usageMetadata = {
  promptTokenCount: 7,
  candidatesTokenCount: 2,
  thoughtsTokenCount: 1,
  cachedContentTokenCount: 4,
};

function measure(spans: readonly SpanRecord[]) {
  const seen: [GenAiMetric, number, Readonly<Record<string, string>>][] = [];
  observeSpans(spans, {
    record: (metric, value, attributes, traceId) => {
      expect(traceId).toBe(spans[0]?.traceId);
      seen.push([metric, value, attributes]);
    },
  });
  return seen;
}

it("measures tokens and times of a run's calls and the work of its agents, without ids or content", async () => {
  const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
  const model = new ScriptedModel([
    functionCallResponse("look"),
    functionCallResponse("made_up_by_the_model"),
    { content: modelContent("done"), usageMetadata },
  ]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [look] }));
  await world.run("go");
  const measured = measure(world.spans);
  const call = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "_OTHER",
    "gen_ai.request.model": "scripted",
  };
  const operation = ["gen_ai.client.operation.duration", 0, { ...call, "error.type": "" }];
  const tool = (name: string) => ["gen_ai.execute_tool.duration", 0, { "gen_ai.tool.name": name, "error.type": "" }];
  expect(measured).toEqual([
    operation,
    tool("look"),
    operation,
    tool("_OTHER"),
    operation,
    ["gen_ai.client.token.usage", 7, { ...call, "gen_ai.token.type": "input" }],
    ["gen_ai.client.token.usage", 3, { ...call, "gen_ai.token.type": "output" }],
    ["gen_ai.invoke_agent.duration", 0, { "gen_ai.agent.name": "helper", "error.type": "" }],
    ["gen_ai.invoke_agent.inference_calls", 3, { "gen_ai.agent.name": "helper" }],
    ["gen_ai.invoke_agent.tool_calls", 2, { "gen_ai.agent.name": "helper" }],
    ["gen_ai.agent.workflow.steps", 1, {}],
  ]);
  for (const [name, , attributes] of measured) expect(GEN_AI_METRICS[name].attributes).toEqual(Object.keys(attributes));
  expect(world.spans.findLast(({ name }) => name === "call_llm")?.attributes).toMatchObject({
    "gen_ai.usage.cache_read.input_tokens": 4,
    "gen_ai.usage.reasoning.output_tokens": 1,
  });
});

it("labels failures with the class of their error", async () => {
  class QuotaError extends Error {
    override readonly name = "QuotaError";
  }
  const world = await createAgentWorld(
    new LlmAgent({ name: "helper", model: new ScriptedModel([new QuotaError("empty: for user ada")]) }),
  );
  await expect(world.run("go")).rejects.toMatchObject({ reason: "RUN_FAILED" });
  const types = measure(world.spans).flatMap(([, , attributes]) => attributes["error.type"] ?? []);
  expect(types).toEqual(["QuotaError", "QuotaError"]);
});
