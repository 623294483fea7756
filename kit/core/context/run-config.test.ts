import { expect, it } from "vitest";
import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import { createLiveRunConfig } from "#kit/runs/base/live-run-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createRunConfig, StreamingMode, ToolExecutionMode } from "./run-config.ts";

it("has the values of its enumerations by their own names", () => {
  verifies("enumerations:include-contents:default", "enumerations:include-contents:none", "typescript:enums");
  for (const values of [StreamingMode, ToolExecutionMode, IncludeContents])
    expect(Object.keys(values)).toEqual(Object.values(values));
  expect([StreamingMode.BIDI, Object.keys(IncludeContents)]).toEqual(["BIDI", ["DEFAULT", "NONE"]]);
});

it("neither streams nor creates sessions by default", () => {
  verifies("configuration:streaming-mode:other-values");
  expect(createRunConfig()).toEqual({
    streamingMode: "NONE",
    toolExecutionMode: "NONE",
    maxLlmCalls: 500,
    maxRunEvents: 20_000,
    maxRunCharacters: 134_217_728,
    maxAnswerCharacters: 4_000_000,
    maxAnswerParts: 10_000,
    autoCreateSession: false,
    saveInputBlobsAsArtifacts: false,
  });
  expect(createRunConfig({ streamingMode: StreamingMode.SSE, maxLlmCalls: 1 })).toMatchObject({
    streamingMode: "SSE",
    maxLlmCalls: 1,
  });
});

it("keeps the default of each setting that is given as undefined", () => {
  const defaults = createRunConfig();
  const absent = Object.fromEntries(Object.keys(defaults).map((name) => [name, undefined]));
  expect(createRunConfig(absent)).toEqual(defaults);
  expect(createLiveRunConfig({ inputAudioTranscription: undefined })).toEqual(createLiveRunConfig({}));
});
