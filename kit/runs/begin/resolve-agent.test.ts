import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event, type EventInput } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { callerOf, resolveAgent } from "./resolve-agent.ts";

function event(author: string, rest: Partial<EventInput> = {}): Event {
  return createEvent({ id: `${author}-event`, invocationId: "i", timestamp: 0, author, ...rest });
}

const says = (author: string, invocationId = "i"): Event =>
  event(author, { invocationId, content: author === "user" ? userContent("hi") : modelContent("hello") });

const locked = new LlmAgent({ name: "locked", disallowTransferToParent: true });
const step = new LlmAgent({ name: "step" });
const row = new SequentialAgent({ name: "row", subAgents: [step] });
const clerk = new LlmAgent({ name: "clerk" });
const root = new LlmAgent({ name: "root", subAgents: [clerk, locked, row] });

describe("the agent that answers", () => {
  it("is the one that spoke last, unless it, or one above it, may not hand back", () => {
    expect(resolveAgent(root, [says("user")])).toBe(root);
    expect(resolveAgent(root, [says("user"), says("clerk"), says("user")])).toBe(clerk);
    expect(resolveAgent(root, [says("user"), says("locked"), says("user")])).toBe(root);
    expect(resolveAgent(root, [says("user"), says("step"), says("user")])).toBe(root);
    expect(resolveAgent(root, [says("user"), says("gone"), says("user")])).toBe(root);
  });

  it("is not one whose event only changes state", () => {
    const stateOnly = event("clerk", { actions: createEventActions({ agentState: { clerk: {} } }) });
    expect(resolveAgent(root, [says("user"), stateOnly, says("user")])).toBe(root);
  });

  it("is not one that spoke in what was rewound", () => {
    const rewind = event("user", { actions: createEventActions({ rewindBeforeInvocationId: "second" }) });
    const events = [says("user", "first"), says("root", "first"), says("user", "second"), says("clerk", "second")];
    expect(resolveAgent(root, [...events, says("user", "third")])).toBe(clerk);
    expect(resolveAgent(root, [...events, rewind, says("user", "third")])).toBe(root);
  });

  it("is the caller, for the answer to a call, and on the caller's branch", () => {
    const call = { functionCall: { id: "c", name: "ask", args: {} } };
    const asks = event("step", { branch: "team.step", content: { role: "model", parts: [call] } });
    const answer = event("user", {
      content: { role: "user", parts: [{ functionResponse: { id: "c", name: "ask", response: {} } }] },
    });
    expect(resolveAgent(root, [says("user"), asks, says("clerk"), answer])).toBe(step);
    expect(callerOf(root, [asks, answer])).toEqual({ agent: step, branch: "team.step" });
    expect(callerOf(root, [answer])).toBeUndefined();
  });
});
