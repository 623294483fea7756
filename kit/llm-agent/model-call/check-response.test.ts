import { describe, expect, it } from "vitest";
import { GenAiFieldMissingException, MessageConversionException } from "#kit/errors/kit-errors.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { checkResponse } from "./check-response.ts";

/** What an adapter of somebody else may give against the type. */
function check(response: unknown): LlmResponse {
  return checkResponse(response as LlmResponse);
}

const parts = (...list: readonly unknown[]) => ({ content: { role: "model", parts: list } });

describe("checkResponse", () => {
  it.each([
    [{}],
    [{ content: null }],
    [{ content: {} }],
    [{ content: { parts: null } }],
    [parts()],
    [parts({ text: "", thought: true }, { functionCall: { name: "f", args: "later judged" } }, { somethingNew: 1 })],
    [{ ...parts({ functionCall: { partialArgs: [] } }), partial: true }],
    [{ errorCode: "SAFETY", usageMetadata: { totalTokenCount: 1 } }],
  ])("gives %j back as it is", (response) => {
    expect(check(response)).toBe(response);
  });

  it.each([
    [undefined, "the answer is undefined, not an object"],
    ["hi", "the answer is a string, not an object"],
    [{ content: "hi" }, "content is a string, not an object"],
    [{ content: { role: "tool" } }, 'content.role is "tool", neither "model" nor "user"'],
    [{ content: { parts: { text: "hi" } } }, "content.parts is not a list"],
    [parts({ text: "a" }, "b"), "content.parts[1] is not an object"],
    [{ ...parts({ text: null }), partial: true }, "content.parts[0].text is not a text"],
    [parts({ inlineData: "AAAA" }), "content.parts[0].inlineData is not an object"],
    [{ errorCode: 500 }, "errorCode is not a text"],
    [{ usageMetadata: 12 }, "usageMetadata is not an object"],
  ])("refuses %j", (response, problem) => {
    verifies("errors:message-conversion");
    expect(() => check(response)).toThrow(MessageConversionException.invalidMessageStructure(problem));
  });

  it.each([{}, { name: "" }])("names the field that is empty in the call %j", (functionCall) => {
    verifies("errors:field-missing");
    const error = new GenAiFieldMissingException("A required field is empty: functionCall.name.");
    expect(() => check(parts({ text: "a" }, { functionCall }))).toThrow(error);
  });
});
