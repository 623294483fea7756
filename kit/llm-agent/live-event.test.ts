import { describe, expect, it } from "vitest";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { type Content, modelContent } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { toLiveEvent } from "./live-event.ts";

const media: Content = {
  role: "model",
  parts: [{ text: "Listen:" }, { inlineData: { mimeType: "audio/pcm", data: "AAAA" } }],
};

function eventOf(response: LlmResponse, runConfig = {}) {
  const step = createStep({ runConfig });
  return toLiveEvent(step, response, new CallbackContext(step.context, undefined, "event-1"));
}

describe("an event of a live connection", () => {
  it.each<[string, LlmResponse, boolean]>([
    ["words", { content: modelContent("hi") }, false],
    ["partial words", { content: modelContent("h"), partial: true }, true],
    ["media beside words", { content: media }, true],
    ["a content without parts", { content: { role: "model" } }, false],
    ["no content and no transcription", { turnComplete: true }, false],
    ["an unfinished transcription", { inputTranscription: { text: "h" } }, true],
    ["an unfinished transcription of the model", { outputTranscription: { text: "h", finished: false } }, true],
    ["a finished transcription", { inputTranscription: { text: "hi", finished: true } }, false],
    [
      "words beside an unfinished transcription",
      { content: modelContent("a"), inputTranscription: { text: "h" } },
      false,
    ],
  ])("with %s: %j is only streamed: %s", (_, response, isStreamed) => {
    const { id, partial } = eventOf(response);
    expect([id, partial]).toEqual(["event-1", isStreamed ? true : undefined]);
  });

  it("with media is stored if the run says so", () => {
    expect(eventOf({ content: media }, { saveLiveBlob: true }).partial).toBeUndefined();
  });

  it("has an id of its own if its callbacks have none", () => {
    const step = createStep();
    const { id } = toLiveEvent(step, { content: modelContent("hi") }, new CallbackContext(step.context));
    expect(id).toMatch(/./);
  });

  it("counts what the model has used", () => {
    const step = createStep();
    const callbacks = new CallbackContext(step.context);
    toLiveEvent(step, { content: modelContent("hi"), usageMetadata: { totalTokenCount: 7 } }, callbacks);
    toLiveEvent(step, { content: modelContent("hi") }, callbacks);
    expect(step.context.costs.totalTokens).toBe(7);
  });
});
