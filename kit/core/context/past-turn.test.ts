import { describe, expect, it } from "vitest";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { PastTurn } from "./past-turn.ts";

const helper = new LlmAgent({ name: "helper" });

function event(author: string, extra: Partial<Event> = {}): Event {
  return createEvent({ id: "e", invocationId: "i", author, timestamp: 0, ...extra });
}

const end = (author: string, branch?: string): Event =>
  event(author, {
    actions: createEventActions({ endOfAgent: true }),
    ...(branch !== undefined && { branch }),
  });

function hasEnded(events: readonly Event[], branch?: string): boolean {
  return new PastTurn(events, { isInterrupted: () => true }).hasEnded(helper, branch);
}

describe("the end of an agent's turn", () => {
  it.each<[string, boolean, readonly Event[], string?]>([
    ["by its own mark", true, [end("helper")]],
    ["by its own mark on its branch", true, [end("helper", "team.a")], "team.a"],
    ["not by its mark as a tool, on another branch", false, [end("helper", "boss.helper@c1")]],
    ["not by the mark of another agent", false, [end("other")]],
    ["not by an event without a mark", false, [event("helper")]],
    ["not when the user has answered since", false, [end("helper"), event("user")]],
    ["by a mark after the user's answer", true, [event("user"), end("helper")]],
  ])("is found %s", (_, expected, events, branch) => {
    expect(hasEnded(events, branch)).toBe(expected);
  });
});
