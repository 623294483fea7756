import { expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const ARGS = { city: "Rome" };
const QUARTER = JSON.stringify(ARGS).length / 4;

it.each<[string, Part, number]>([
  ["a text", { text: "12345678" }, 2],
  ["a thought", { text: "1234", thought: true }, 1],
  ["a call", { functionCall: { name: "look", args: ARGS } }, QUARTER],
  ["a call without arguments", { functionCall: { name: "look" } }, 0],
  ["a response", { functionResponse: { name: "look", response: ARGS } }, QUARTER],
  ["a picture", { inlineData: { mimeType: "image/png", data: "AAAA" } }, 260],
  ["a file", { fileData: { fileUri: "gs://b/f" } }, 260],
  ["code", { executableCode: { code: "1 + 1" } }, 0],
])("%s is counted by what a model reads of it", (_name, part, tokens) => {
  expect(estimateTokens({ parts: [part] })).toBe(tokens);
  expect(estimateTokens({ parts: [part, { text: "1234" }, part] })).toBe(2 * tokens + 1);
});

it("nothing is counted for no content", () => {
  expect([estimateTokens(undefined), estimateTokens({}), estimateTokens({ parts: [] })]).toEqual([0, 0, 0]);
});
