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

describe("the agents of a sequence that remain", () => {
  const inner = new LlmAgent({ name: "inner" });
  const [one, two, three] = ["one", "two", "three"].map(
    (name) => new LlmAgent({ name, ...(name === "two" && { subAgents: [inner] }) }),
  );
  const asks = event("one", {
    content: { role: "model", parts: [{ functionCall: { id: "c", name: "ask", args: {} } }] },
  });
  const answers = event("user", {
    content: { role: "user", parts: [{ functionResponse: { id: "c", name: "ask", response: {} } }] },
  });

  it.each<[string, readonly Event[], string]>([
    ["all of them if none has begun", [event("user")], "one two three"],
    ["from the last that has begun", [event("one"), event("two")], "two three"],
    ["from the one below which an agent has begun", [event("one"), event("inner")], "two three"],
    ["from the one whose call the user has answered", [asks, event("two"), answers], "one two three"],
  ])("are %s", (_title, events, expected) => {
    const past = new PastTurn(events, { isInterrupted: () => true });
    const agents = [one, two, three].filter((agent) => agent !== undefined);
    expect(
      past
        .remaining(agents)
        .map(({ name }) => name)
        .join(" "),
    ).toBe(expected);
  });
});

it("the turn of an agent has its own events and the user's answers to its calls, and is taken once", () => {
  const call = (author: string, id: string): Event =>
    event(author, { content: { role: "model", parts: [{ functionCall: { id, name: "ask", args: {} } }] } });
  const answer = (id: string): Event =>
    event("user", { content: { role: "user", parts: [{ functionResponse: { id, name: "ask", response: {} } }] } });
  const [own, mine, theirs] = [call("helper", "c1"), answer("c1"), answer("c2")];
  const past = new PastTurn([event("user"), call("other", "c2"), own, mine, theirs], { isInterrupted: () => true });
  expect(past.takeTurnOf(helper, undefined)?.events).toEqual([own, mine]);
  expect(past.takeTurnOf(helper, undefined)).toBeUndefined();
  // The message that also answers another agent's call stays for that one.
  expect(past.events).toHaveLength(4);
});
