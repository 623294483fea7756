import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { normaliseRequest } from "./casing.ts";

it("brings known fields to camelCase, at every level that belongs to the wire", () => {
  const body = {
    app_name: "a",
    session_id: "s",
    new_message: {
      parts: [
        { inline_data: { mime_type: "text/plain", data: "aGk=" }, thought_signature: "x" },
        { function_response: { name: "f", response: { snake_key: 1 }, will_continue: true } },
      ],
    },
    state_delta: { my_key: { inner_key: 1 } },
    custom_metadata: { trace_id: 1 },
  };
  normaliseRequest(body);
  expect(body).toEqual({
    appName: "a",
    sessionId: "s",
    newMessage: {
      parts: [
        { inlineData: { mimeType: "text/plain", data: "aGk=" }, thoughtSignature: "x" },
        { functionResponse: { name: "f", response: { snake_key: 1 }, willContinue: true } },
      ],
    },
    stateDelta: { my_key: { inner_key: 1 } },
    customMetadata: { trace_id: 1 },
  });
});

it("leaves unknown fields and the application's own keys alone", () => {
  const body = {
    not_ours: 1,
    state: { app_name: "kept", session_id: 2 },
    newMessage: { parts: [{ functionCall: { name: "f", args: { file_uri: "kept" } } }, null, "text"] },
  };
  const before = structuredClone(body);
  normaliseRequest(body);
  expect(body).toEqual(before);
});

it("removes members of parts that the protocol does not have", () => {
  verifies("wire:input:casing");
  const parts = [
    { text: "hi", color: "red" },
    { inlineData: { mimeType: "text/plain", data: "aGk=", size: 2 } },
    { functionResponse: { id: "c", name: "f", response: { any: 1 }, is_final: true } },
  ];
  const body = { newMessage: { parts } };
  normaliseRequest(body);
  expect(body.newMessage.parts).toEqual([
    { text: "hi" },
    { inlineData: { mimeType: "text/plain", data: "aGk=" } },
    { functionResponse: { id: "c", name: "f", response: { any: 1 } } },
  ]);
});

it("prefers the camelCase spelling when both are there", () => {
  const body = { user_id: "snake", userId: "camel" };
  normaliseRequest(body);
  expect(body).toEqual({ userId: "camel" });
});

it("brings imported events to camelCase without touching their state", () => {
  const body = {
    events: [
      {
        invocation_id: "e-1",
        actions: { state_delta: { my_key: 1 } },
        content: { parts: [{ file_data: { file_uri: "u" } }] },
      },
    ],
  };
  normaliseRequest(body);
  expect(body).toEqual({
    events: [
      {
        invocationId: "e-1",
        actions: { stateDelta: { my_key: 1 } },
        content: { parts: [{ fileData: { fileUri: "u" } }] },
      },
    ],
  });
});

it.each([null, undefined, "text", 5, []])("leaves %j as it is", (body) => {
  expect(() => normaliseRequest(body)).not.toThrow();
});
