import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { ModelObservability, ModelProperties } from "#kit/models/model-properties.ts";
import { observeSpans } from "#kit/telemetry/gen-ai-metrics.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

interface Switches {
  readonly own?: ModelObservability;
  readonly defaults?: ModelObservability;
  readonly captureContent?: boolean;
  /** Of the run. */
  readonly captured?: boolean;
}

/** Runs one turn. Returns whether telemetry has a span of the call, with content, and metrics of it. */
async function recorded({ own, defaults, captureContent = false, captured }: Switches) {
  const properties: ModelProperties = { observability: own };
  const model = Object.assign(new ScriptedModel(["the answer"]), { properties });
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
    captureContent,
    ...(defaults && { modelProperties: { observability: defaults } }),
  });
  await world.run("the question", captured === undefined ? {} : { captureContent: captured });
  const span = world.spans.find(({ name }) => name === "call_llm");
  const metrics = new Set<string>();
  observeSpans(world.spans, { record: (metric) => void metrics.add(metric) });
  const text = JSON.stringify(span ?? {});
  return {
    span: span !== undefined,
    content: [text.includes("the question"), text.includes("the answer")],
    metrics: metrics.has("gen_ai.client.operation.duration"),
  };
}

const PLAIN = { span: true, content: [false, false], metrics: true };
const WITH_CONTENT = { ...PLAIN, content: [true, true] };
const NOTHING = { ...PLAIN, span: false, metrics: false };

describe("what telemetry records of a model's calls", () => {
  it("is a span without content and metrics by default", async () => {
    expect(await recorded({})).toEqual(PLAIN);
    expect(await recorded({ captureContent: true })).toEqual(WITH_CONTENT);
  });

  it("is nothing if observability is off", async () => {
    verifies("records:model-properties:observability-enabled");
    expect(await recorded({ own: { enabled: false } })).toEqual(NOTHING);
    expect(await recorded({ defaults: { enabled: false } })).toEqual(NOTHING);
    expect(await recorded({ own: { enabled: true }, defaults: { enabled: false } })).toEqual(PLAIN);
  });

  it("has content if the model says so, and the run does not forbid it", async () => {
    verifies("records:model-properties:observability-include-content");
    expect(await recorded({ own: { includeContent: true } })).toEqual(WITH_CONTENT);
    expect(await recorded({ own: { includeContent: true }, captured: false })).toEqual(PLAIN);
    expect(await recorded({ own: { includeContent: false }, captureContent: true })).toEqual(PLAIN);
  });

  it("has no metrics if the model says so", async () => {
    verifies("records:model-properties:observability-metrics-enabled");
    const unmeasured = { ...PLAIN, metrics: false };
    expect(await recorded({ own: { metricsEnabled: false } })).toEqual(unmeasured);
    expect(await recorded({ defaults: { metricsEnabled: false } })).toEqual(unmeasured);
    expect(await recorded({ own: { metricsEnabled: true }, defaults: { metricsEnabled: false } })).toEqual(PLAIN);
  });
});
