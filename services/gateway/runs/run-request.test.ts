import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { readBodyPart } from "../requests/validation.ts";
import { AgentRunRequest } from "./run-request.ts";

const REQUEST = { userId: "u", sessionId: "s" };

function partsOf(parts: unknown): unknown {
  return readBodyPart(AgentRunRequest, { ...REQUEST, newMessage: { parts } }).newMessage?.parts;
}

it("brings known fields to camelCase, at every level that belongs to the wire", () => {
  verifies("wire:input:casing");
  const body = {
    app_name: "a",
    user_id: "u",
    session_id: "s",
    new_message: {
      parts: [
        { inline_data: { mime_type: "text/plain", data: "aGk=" }, thought_signature: "x" },
        { function_response: { name: "f", response: { snake_key: 1 }, will_continue: true } },
        { file_data: { file_uri: "u" }, video_metadata: { start_offset: "1s" } },
        { tool_call: { tool_type: "T", own_key: 1 } },
      ],
    },
    state_delta: { my_key: { inner_key: 1 } },
    custom_metadata: { trace_id: 1 },
    timeout_ms: 5,
  };
  expect(readBodyPart(AgentRunRequest, body)).toEqual({
    appName: "a",
    userId: "u",
    sessionId: "s",
    newMessage: {
      parts: [
        { inlineData: { mimeType: "text/plain", data: "aGk=" }, thoughtSignature: "x" },
        { functionResponse: { name: "f", response: { snake_key: 1 }, willContinue: true } },
        { fileData: { fileUri: "u" }, videoMetadata: { startOffset: "1s" } },
        { toolCall: { toolType: "T", own_key: 1 } },
      ],
    },
    stateDelta: { my_key: { inner_key: 1 } },
    customMetadata: { trace_id: 1 },
    timeoutMs: 5,
  });
});

it("leaves unknown fields and the application's own keys alone", () => {
  const body = { ...REQUEST, not_ours: 1, stateDelta: { app_name: "kept", session_id: 2 } };
  expect(readBodyPart(AgentRunRequest, structuredClone(body))).toEqual(body);
  const call = { functionCall: { name: "f", args: { file_uri: "kept" } } };
  expect(partsOf([structuredClone(call)])).toEqual([call]);
});

it("removes members of parts that the protocol does not have", () => {
  verifies("wire:input:casing");
  const parts = [
    { text: "hi", color: "red" },
    { inlineData: { mimeType: "text/plain", data: "aGk=", size: 2 } },
    { functionResponse: { id: "c", name: "f", response: { any: 1 }, is_final: true } },
  ];
  expect(partsOf(parts)).toEqual([
    { text: "hi" },
    { inlineData: { mimeType: "text/plain", data: "aGk=" } },
    { functionResponse: { id: "c", name: "f", response: { any: 1 } } },
  ]);
});

it("prefers the camelCase spelling when both are there", () => {
  const body = { user_id: "snake", userId: "camel", sessionId: "s" };
  expect(readBodyPart(AgentRunRequest, body)).toEqual({ userId: "camel", sessionId: "s" });
});

it("takes null as absent in parts", () => {
  expect(
    partsOf([{ text: "hi", inline_data: null, thoughtSignature: null, function_call: { id: null, name: "f" } }]),
  ).toEqual([{ text: "hi", functionCall: { name: "f" } }]);
});

it.each([
  ["true", true],
  ["false", false],
])("reads streaming as the text %j", (streaming, expected) => {
  expect(readBodyPart(AgentRunRequest, { ...REQUEST, streaming }).streaming).toBe(expected);
});

it("reports problems with their place and the fix", () => {
  const body = { sessionId: "s", newMessage: { parts: [{ text: 5 }, null] }, streaming: "yes", timeout_ms: 0 };
  expect(() => readBodyPart(AgentRunRequest, body)).toThrow(
    expect.objectContaining({
      problems: [
        {
          type: "string_type",
          loc: ["body", "newMessage", "parts", 0, "text"],
          msg: "Input should be a string",
          input: 5,
        },
        { type: "dict_type", loc: ["body", "newMessage", "parts", 1], msg: "Input should be an object", input: null },
        { type: "bool_type", loc: ["body", "streaming"], msg: "Input should be true or false", input: "yes" },
        { type: "greater_than_equal", loc: ["body", "timeoutMs"], msg: "Input should be at least 1", input: 0 },
        { type: "missing", loc: ["body", "userId"], msg: "Field required" },
      ],
    }),
  );
});
