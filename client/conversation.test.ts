import { describe, expect, it } from "vitest";
import type { Event } from "#kit/events/event.ts";
import { createEvent } from "#kit/events/event.ts";
import { addUpdate, addUserMessage, type Conversation, conversationOf, EMPTY_CONVERSATION } from "./conversation.ts";
import type { RunUpdate } from "./wire-types.ts";

function event(id: string, text: string, more: Partial<Event> = {}): RunUpdate {
  const content = { role: "model", parts: [{ text }] };
  return { kind: "event", event: createEvent({ id, invocationId: "i", author: "a", timestamp: 0, content, ...more }) };
}
const chunk = (id: string, text: string, more: Partial<Event> = {}) => event(id, text, { partial: true, ...more });
const conversation = (...updates: readonly RunUpdate[]): Conversation => updates.reduce(addUpdate, EMPTY_CONVERSATION);
/** `~` marks chunks. */
const texts = ({ messages }: Conversation): readonly string[] =>
  messages.map(({ text, isPartial }) => text + (isPartial ? "~" : ""));

const RESET = { kind: "reset" } as const;
const END = { kind: "end", status: "succeeded" } as const;
const LOST = { kind: "reconnecting", failures: 1, delayMs: 1, error: new Error("lost") } as const;

describe("addUpdate", () => {
  it("grows one message by its chunks, and replaces it by the complete event", () => {
    const updates = [chunk("1", "He"), chunk("1", "llo"), event("1", "Hello!"), chunk("2", "B")];
    const seen = updates.map((_, index) => texts(conversation(...updates.slice(0, index + 1))));
    expect(seen).toEqual([["He~"], ["Hello~"], ["Hello!"], ["Hello!", "B~"]]);
  });

  it("keeps chunks of parallel agents apart", () => {
    const updates = [chunk("1", "a"), chunk("2", "x"), chunk("1", "b"), event("2", "xy"), event("1", "ab")];
    expect(texts(conversation(...updates.slice(0, 3)))).toEqual(["ab~", "x~"]);
    expect(texts(conversation(...updates))).toEqual(["ab", "xy"]);
  });

  it("keeps thoughts apart from the text", () => {
    const thought = (text: string) => ({ content: { parts: [{ text, thought: true }] } });
    const { messages } = conversation(chunk("1", "", thought("hm")), chunk("1", "", thought("m")), chunk("1", "yes"));
    expect(messages).toMatchObject([{ thoughts: "hmm", text: "yes" }]);
  });

  it("removes chunks that are void, and what is left of them at the end", () => {
    expect(texts(conversation(event("1", "one"), chunk("2", "tw"), RESET))).toEqual(["one"]);
    expect(texts(conversation(event("1", "one"), chunk("2", "tw"), END))).toEqual(["one"]);
    expect(texts(conversation(chunk("2", "tw"), LOST))).toEqual(["tw~"]);
  });

  it("ignores repeated events, and chunks of a complete one", () => {
    expect(texts(conversation(event("1", "one"), event("1", "one"), chunk("1", "o")))).toEqual(["one"]);
  });

  it("shows no events without anything to show, and removes their chunks", () => {
    const empty = event("1", "", { actions: { ...createEvent({ ...BASE }).actions, stateDelta: { a: 1 } } });
    expect(texts(conversation(empty, chunk("2", "x"), event("2", "")))).toEqual([]);
  });

  it("shows errors", () => {
    const failed = event("1", "", { errorCode: "RUN_FAILED", errorMessage: "The agent failed." });
    expect(conversation(failed).messages[0]?.error).toEqual({ code: "RUN_FAILED", message: "The agent failed." });
  });

  it("has the calls that wait, until they are answered", () => {
    const functionCall = { id: "c1", name: "ask", args: { a: 1 } };
    const asked = event("1", "", {
      content: { parts: [{ functionCall }, { functionCall: { id: "c2", name: "look" } }] },
      longRunningToolIds: ["c1"],
    });
    const waiting = conversation(asked);
    expect(waiting.waitingCalls).toEqual([{ ...functionCall, eventId: "1", author: "a" }]);
    const answer = [{ functionResponse: { id: "c1", name: "ask", response: {} } }];
    expect(addUserMessage(waiting, answer).waitingCalls).toEqual([]);
  });

  it.each([
    ["adk_request_confirmation", { originalFunctionCall: { id: "c1", name: "pay" } }],
    ["adk_request_input", { originalFunctionCall: { id: "c1", name: "pay" } }],
    ["adk_request_credential", { functionCallId: "c1" }],
  ])("has no %s any more when its call has gone on, whoever answered", (name, args) => {
    const response = (id: string, error?: string) =>
      event(`${id}${error}`, "", {
        content: { parts: [{ functionResponse: { id, name: "pay", response: error === undefined ? {} : { error } } }] },
      });
    const asked = event("2", "", {
      content: { parts: [{ functionCall: { id: "q", name, args } }] },
      longRunningToolIds: ["q"],
    });
    // The call has a notice before the question, and its result after the answer.
    const waiting = conversation(response("c1", "It waits."), asked, response("c2"));
    expect(waiting.waitingCalls.map(({ id }) => id)).toEqual(["q"]);
    expect(conversation(response("c1", "It waits."), asked, response("c1")).waitingCalls).toEqual([]);
  });

  it("leaves out what was rewound", () => {
    const actions = { ...createEvent({ ...BASE }).actions, rewindBeforeInvocationId: "j" };
    const updates = [event("1", "one"), event("2", "two", { invocationId: "j" }), event("3", "", { actions })];
    expect(texts(conversation(...updates, event("4", "four")))).toEqual(["one", "four"]);
  });

  it("changes nothing in place, and keeps messages that stay the same", () => {
    const before = conversation(event("1", "one"), chunk("2", "t"));
    const frozen = structuredClone(before);
    const after = addUpdate(before, chunk("2", "w"));
    expect(before).toEqual(frozen);
    expect(after.messages[0]).toBe(before.messages[0]);
    expect(after.messages[1]).not.toBe(before.messages[1]);
  });
});

const BASE = { id: "x", invocationId: "i", author: "a", timestamp: 0 };

describe("conversationOf", () => {
  it("has the messages of a user and of agents in order", () => {
    const said = createEvent({ ...BASE, id: "0", author: "user", content: { role: "user", parts: [{ text: "hi" }] } });
    const answered = createEvent({ ...BASE, id: "1", content: { role: "model", parts: [{ text: "hello" }] } });
    expect(conversationOf([said, answered]).messages.map(({ author, text }) => `${author}: ${text}`)).toEqual([
      "user: hi",
      "a: hello",
    ]);
  });
});
