import { expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { toModelEvent } from "./to-model-event.ts";

const RESPONSE: LlmResponse = {
  content: modelContent("hi"),
  turnComplete: true,
  interrupted: true,
  errorCode: "MAX_TOKENS",
  errorMessage: "cut off",
  finishReason: "MAX_TOKENS",
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
  groundingMetadata: { webSearchQueries: ["q"] },
  citationMetadata: { citations: [{ uri: "u" }] },
  avgLogprobs: -0.125,
  customMetadata: [{ key: "k", stringValue: "v" }],
  modelVersion: "m-1",
  inputTranscription: { text: "said", finished: true },
  outputTranscription: { text: "answered" },
};

it("puts all fields of a model's response into the event, which is stored as it was shown", async () => {
  verifies(
    "model:response:content",
    "model:response:interrupted",
    "model:response:error-code",
    "model:response:error-message",
    "model:response:finish-reason",
    "model:response:grounding-metadata",
    "model:response:avg-logprobs",
    "model:response:custom-metadata",
    "model:response:input-transcription",
  );
  verifies(
    "event:field:turn-complete",
    "event:field:interrupted",
    "event:field:error-code",
    "event:field:error-message",
    "event:field:finish-reason",
    "event:field:usage-metadata",
    "event:field:grounding-metadata",
    "event:field:citation-metadata",
    "event:field:avg-logprobs",
    "event:field:custom-metadata",
    "event:field:model-version",
    "event:field:input-transcription",
    "event:field:output-transcription",
  );
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel([RESPONSE]) }));
  const [event] = await world.run("hello");
  const { events } = await world.session();
  expect(event).toEqual({
    ...RESPONSE,
    id: expect.any(String),
    invocationId: events[0]?.invocationId,
    author: "helper",
    timestamp: new FixedClock().now(),
    actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
  });
  expect(events[1]).toEqual(event);
});

it("keeps text as text under the output key, also JSON, if the agent has no output schema", async () => {
  const agent = new LlmAgent({ name: "helper", model: new ScriptedModel(['{"a":1}']), outputKey: "said" });
  const world = await createAgentWorld(agent);
  await world.run("go");
  expect((await world.session()).state).toEqual({ said: '{"a":1}' });
});

it("keeps no text before code that is about to run under the output key", () => {
  const agent = new LlmAgent({ name: "helper" });
  const actions = createEventActions();
  const parts = [{ text: "I" }, { text: "compute." }, { executableCode: { code: "1", language: "PYTHON" } }];
  const options = { id: "e", actions, outputKey: "said" };
  toModelEvent(createStep({ agent }), { content: { role: "model", parts } }, options);
  expect(actions.stateDelta).toEqual({});
  toModelEvent(createStep({ agent }), { content: { role: "model", parts: parts.slice(0, 2) } }, options);
  expect(actions.stateDelta).toEqual({ said: "Icompute." });
});
