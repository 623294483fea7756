import { expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { CallUsage, estimatePrompt } from "./call-usage.ts";

const REPORTED = { promptTokenCount: 7, candidatesTokenCount: 3 };
const chunk = (text: string) => ({ content: modelContent(text), partial: true });

it("counts nothing of a call before its answer begins, and the prompt if it was aborted", () => {
  const usage = new CallUsage(10);
  expect(usage.used).toEqual({});
  usage.abort();
  expect(usage.used).toEqual({ promptTokenCount: 10, candidatesTokenCount: 0 });
});

it("estimates chunks together, and the complete answer in their place", () => {
  const usage = new CallUsage(10);
  for (const text of ["a".repeat(8), "b".repeat(8)]) usage.add(chunk(text));
  const partial = usage.used.candidatesTokenCount ?? 0;
  expect(partial).toBeGreaterThan(3);
  usage.add({ content: modelContent("a".repeat(8) + "b".repeat(8)) });
  expect(usage.used.candidatesTokenCount).toBeLessThanOrEqual(partial);
  expect([usage.used.promptTokenCount, usage.reportedPromptTokens]).toEqual([10, undefined]);
});

it("counts the newest usage that the model reports, whatever else it says", () => {
  const usage = new CallUsage(10);
  usage.add({ ...chunk("a"), usageMetadata: { promptTokenCount: 1 } });
  usage.add({ ...chunk("b"), usageMetadata: REPORTED });
  for (const wrong of [undefined, null, 5, []]) usage.add({ ...chunk("c"), usageMetadata: wrong as never });
  usage.abort();
  expect([usage.used, usage.reportedPromptTokens]).toEqual([REPORTED, 7]);
});

it("estimates the prompt with instructions and declarations, four characters a token", () => {
  const request = new LlmRequest({ model: "m", contents: [userContent("x".repeat(40))] });
  const plain = estimatePrompt(request);
  expect(plain).toBeGreaterThanOrEqual(10);
  request.appendInstructions("y".repeat(40));
  expect(estimatePrompt(request)).toBe(plain + 10);
  const declaration = { name: "look", description: "z".repeat(100) };
  request.appendTools({ name: "look", getDeclaration: () => declaration });
  expect(estimatePrompt(request)).toBe(plain + 10 + Math.ceil(JSON.stringify([declaration]).length / 4));
});
