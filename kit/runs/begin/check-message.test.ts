import { describe, expect, it } from "vitest";
import type { Content } from "#kit/events/content.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { checkMessage } from "./check-message.ts";

function answer(functionResponse: { id?: string; name: string }): Content {
  return { parts: [{ functionResponse: { ...functionResponse, response: {} } }] };
}

describe("a client's answer to a question of the framework", () => {
  it("says which question it is for", () => {
    expect(() => checkMessage(answer({ id: "adk-1", name: "adk_request_confirmation" }))).not.toThrow();
    expect(() => checkMessage(answer({ name: "adk_request_confirmation" }))).toThrow(
      'newMessage.parts.0.functionResponse.id is missing: give the id of the call "adk_request_confirmation".',
    );
  });

  it("names its call once, by an id", () => {
    verifies("wire:run:message-validation");
    for (const functionResponse of [{ name: "job" }, { id: "", name: "job" }])
      expect(() => checkMessage(answer(functionResponse))).toThrow(
        'newMessage.parts.0.functionResponse.id is missing: give the id of the call "job".',
      );
    const [one] = answer({ id: "1", name: "job" }).parts ?? [];
    expect(() => checkMessage({ parts: [one ?? {}, one ?? {}] })).toThrow(
      'newMessage.parts.1 answers the call "1", as newMessage.parts.0 does: answer it once.',
    );
  });

  it("must not have a reserved name of no question", () => {
    verifies("wire:run:message-validation");
    expect(() => checkMessage(answer({ id: "adk-1", name: "adk_request_anything" }))).toThrow(
      'newMessage.parts.0.functionResponse.name is "adk_request_anything": names that begin with adk_request_ are reserved.',
    );
  });
});
