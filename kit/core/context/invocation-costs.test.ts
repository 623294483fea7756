import { expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { InvocationCosts } from "./invocation-costs.ts";

const event = (id: string, totalTokenCount?: number) =>
  createEvent({
    ...{ id, invocationId: "i", author: "agent", timestamp: 0, content: modelContent(id) },
    usageMetadata: totalTokenCount === undefined ? undefined : { totalTokenCount },
  });

it("counts a stored answer as a call, and what a live model has said by its reports of usage", () => {
  const stored = [event("a"), event("b", 5), event("c"), event("d", 7)];
  const costs = [new InvocationCosts(stored), new InvocationCosts(stored, { isLive: true })];
  expect(costs.map(({ llmCalls, totalTokens }) => [llmCalls, totalTokens])).toEqual([
    [4, 12],
    [2, 12],
  ]);
});
