import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { foldHistory } from "./fold-history.ts";
import { type CompactionPlan, type CompactionRule, planCompaction } from "./plan-compaction.ts";

const event = (author: string, parts: readonly Part[], extra: Partial<Event> = {}): Event =>
  createEvent({ id: "e", invocationId: "i", author, timestamp: 0, content: { role: "user", parts }, ...extra });

const text = (words: string, invocationId = "i"): Event => event("user", [{ text: words }], { invocationId });

const call = (id: string, extra: Partial<Event> = {}, name = "pay"): Event =>
  event("helper", [{ functionCall: { id, name, args: {} } }], extra);

const response = (id: string, name = "pay"): Event =>
  event("helper", [{ functionResponse: { id, name, response: {} } }]);

const plan = (events: readonly Event[], rule: CompactionRule): CompactionPlan | undefined =>
  planCompaction(foldHistory({ events, firstSequence: 1 }), rule);

const rangeOf = (found: CompactionPlan | undefined): unknown =>
  found && [found.startSequence, found.endSequence, found.keptSequences];

describe("a plan to compact", () => {
  it("covers everything but the newest events", () => {
    expect(rangeOf(plan([text("a"), text("b", "j"), text("c", "k")], { retain: 1 }))).toEqual([1, 2, []]);
    expect(plan([text("a")], { retain: 1 })).toBeUndefined();
  });

  it("keeps a call whose response is among the newest events, however far back it is", () => {
    const events = [call("1"), text("a", "j"), text("b", "k"), response("1")];
    expect(rangeOf(plan(events, { retain: 1 }))).toEqual([1, 3, [1]]);
  });

  it("keeps a tool's call, its first response and the question to the person together until the person answers", () => {
    const question = event(
      "helper",
      [
        {
          functionCall: {
            id: "q",
            name: "adk_request_confirmation",
            args: { originalFunctionCall: { id: "1", name: "pay" } },
          },
        },
      ],
      { longRunningToolIds: ["q"] },
    );
    const first = event("helper", [{ functionResponse: { id: "1", name: "pay", response: { error: "ask" } } }], {
      actions: createEventActions({ requestedToolConfirmations: { "1": { confirmed: false } } }),
    });
    const waiting = [text("pay!"), call("1"), first, question, text("and the weather?", "j"), text("fine", "j")];
    expect(rangeOf(plan(waiting, { retain: 0 }))).toEqual([1, 6, [2, 3, 4]]);
    const answer = event("user", [{ functionResponse: { id: "q", name: "adk_request_confirmation", response: {} } }]);
    expect(rangeOf(plan([...waiting, answer, response("1")], { retain: 0 }))).toEqual([1, 8, []]);
  });

  it("covers a call that a lost process left without a response, and keeps one that waits for an answer", () => {
    const waits = call("2", { longRunningToolIds: ["2"], invocationId: "j" });
    expect(rangeOf(plan([call("1"), waits, text("a", "k")], { retain: 0 }))).toEqual([1, 3, [2]]);
  });

  it("covers whole invocations only, and waits until there are enough of them", () => {
    const events = [text("a", "i"), text("b", "j"), text("c", "j"), text("d", "k")];
    expect(rangeOf(plan(events, { retain: 2, invocations: 1 }))).toEqual([1, 1, []]);
    expect(plan(events, { retain: 2, invocations: 2 })).toBeUndefined();
    expect(rangeOf(plan(events, { retain: 1, invocations: 2 }))).toEqual([1, 3, []]);
  });

  it("keeps what the user asked in the invocation that it cuts", () => {
    const events = [text("old", "h"), text("read all"), call("1"), response("1"), call("2"), response("2")];
    expect(rangeOf(plan(events, { retain: 1 }))).toEqual([1, 4, [2]]);
  });

  it("covers nothing of an invocation that is spared", () => {
    const events = [text("a", "i"), text("b", "j"), text("c", "j")];
    expect(rangeOf(plan(events, { retain: 0, sparedInvocationId: "j" }))).toEqual([1, 1, []]);
  });
});
