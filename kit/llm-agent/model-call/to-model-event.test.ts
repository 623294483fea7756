import { expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

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

it("puts all that a model tells into the event, which is stored as it was shown", async () => {
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
