import { describe, expect, it } from "vitest";
import { LlmCallLimitExceededError } from "#kit/errors/kit-errors.ts";
import { modelContent } from "#kit/events/content.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";

function callsUntilRefused(maxLlmCalls: number | undefined, most: number): number {
  const context = createInvocation(maxLlmCalls === undefined ? {} : { runConfig: { maxLlmCalls } });
  for (let calls = 0; calls < most; calls += 1) {
    try {
      context.incrementLlmCallsCount();
    } catch (error) {
      expect(error).toBeInstanceOf(LlmCallLimitExceededError);
      return calls;
    }
  }
  return most;
}

describe("incrementLlmCallsCount", () => {
  it.each([
    ["the default of 500", undefined, 1000, 500],
    ["a limit of 3", 3, 1000, 3],
    ["0, which is not a limit", 0, 1000, 1000],
    ["less, which is not a limit", -1, 1000, 1000],
  ])("allows as many calls as %s says", (_, limit, most, allowed) => {
    verifies(
      "errors:llm-call-limit:increment",
      "limits:llm-calls:increment",
      "limits:defaults:llm-calls",
      "configuration:run-config:llm-call-limit",
    );
    expect(callsUntilRefused(limit, most)).toBe(allowed);
  });

  it("counts for the whole invocation, whichever agent calls", () => {
    const context = createInvocation({ runConfig: { maxLlmCalls: 2 } });
    const child = context.forAgent(new LlmAgent({ name: "child" }), context.span);
    context.incrementLlmCallsCount();
    child.incrementLlmCallsCount();
    expect(() => context.incrementLlmCallsCount()).toThrow(
      "The limit of 2 model calls for one invocation is exceeded (RunConfig.maxLlmCalls).",
    );
  });
});

describe("createEvent", () => {
  it("makes an event of the agent, with a new id, the current time and branch", () => {
    verifies(
      "event:field:id",
      "event:id:generated",
      "event:field:invocation-id",
      "event:field:author",
      "event:field:content",
      "event:field:actions",
      "event:field:branch",
    );
    const context = createInvocation({ branch: "helper.child" });
    const actions = createEventActions({ escalate: true });
    const events = [context.createEvent({ content: modelContent("hi"), actions }), context.createEvent({})];
    const common = { invocationId: "i", author: "helper", timestamp: context.services.clock.now() };
    expect(events).toEqual([
      { ...common, id: expect.any(String), branch: "helper.child", content: modelContent("hi"), actions },
      { ...common, id: expect.any(String), branch: "helper.child", actions: createEventActions() },
    ]);
    expect(events[0]?.id).not.toBe(events[1]?.id);
  });

  it("lets its caller set another author, branch and id", () => {
    const { id, author, branch } = createInvocation().createEvent({ id: "x", author: "user", branch: "a.b" });
    expect([id, author, branch]).toEqual(["x", "user", "a.b"]);
  });
});

describe("UuidV7Generator", () => {
  it("makes ids of version 7 that are distinct and sort by time", () => {
    verifies("event:id:generated");
    let now = 1_767_225_600_000;
    const generator = new UuidV7Generator(() => now++);
    const ids = Array.from({ length: 1000 }, () => generator.next());
    expect(
      ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    ).toEqual([]);
    expect([new Set(ids).size, [...ids].sort()]).toEqual([1000, ids]);
    expect(Number.parseInt((ids[0] ?? "").replace("-", "").slice(0, 12), 16)).toBe(1_767_225_600_000);
  });
});
