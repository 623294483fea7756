import { expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { isOwnPart, markOf, providerOptionsOf } from "./provider-metadata.ts";

const METADATA = { anthropic: { signature: "c2ln" } };

it("gives a part back to the provider that has made it, with what that one wants back", () => {
  const part = { text: "thought", ...markOf("anthropic.messages", METADATA) };
  expect(isOwnPart(part, "anthropic.messages")).toBe(true);
  expect(providerOptionsOf(part, "anthropic.messages")).toEqual({ providerOptions: METADATA });
  const bare = { text: "thought", ...markOf("anthropic.messages", undefined) };
  expect([isOwnPart(bare, "anthropic.messages"), providerOptionsOf(bare, "anthropic.messages")]).toEqual([
    true,
    undefined,
  ]);
});

it("gives nothing of one provider to another, and nothing that no provider has made", () => {
  const part = { text: "thought", ...markOf("anthropic.messages", METADATA) };
  expect([isOwnPart(part, "openai.responses"), providerOptionsOf(part, "openai.responses")]).toEqual([
    false,
    undefined,
  ]);
  const marks: Part["partMetadata"][] = [undefined, {}, { aiSdk: null }, { aiSdk: "openai.responses" }];
  for (const partMetadata of marks)
    expect(isOwnPart({ text: "x", ...(partMetadata && { partMetadata }) }, "openai.responses")).toBe(false);
});

it.each([
  ["google.generative-ai", "google"],
  ["google.vertex.chat", "vertex"],
])("has a signature of the kit's own for %s", (provider, name) => {
  const part = { functionCall: { name: "look" }, thoughtSignature: "sig" };
  expect(providerOptionsOf(part, provider)).toEqual({ providerOptions: { [name]: { thoughtSignature: "sig" } } });
});
