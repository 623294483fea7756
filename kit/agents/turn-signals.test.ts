import { describe, expect, it } from "vitest";
import type { Event } from "#kit/events/event.ts";
import { event } from "#test/helpers/worlds/history-events.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { waitsForAnswer } from "./turn-signals.ts";

const on = (branch: string | undefined): Partial<Event> => (branch === undefined ? {} : { branch });

function asked(id: string, branch?: string, extra: Partial<Event> = {}): Event {
  return event("helper", [{ functionCall: { id, name: "job", args: {} } }], {
    ...on(branch),
    longRunningToolIds: [id],
    ...extra,
  });
}

/** A response to the call: of the tool, on the branch of its agent, or of the user. */
function response(author: string, id: string, branch?: string, extra: Partial<Event> = {}): Event {
  return event(author, [{ functionResponse: { id, name: "job", response: {} } }], { ...on(branch), ...extra });
}

const OTHER = { invocationId: "other" };

describe("whether an agent waits for the user's answer", () => {
  it.each<[string, string | undefined, boolean, readonly Event[]]>([
    ["after a call", undefined, true, [asked("a")]],
    ["after the tool's own response", undefined, true, [asked("a"), response("helper", "a")]],
    ["after the user's answer", undefined, false, [asked("a"), response("user", "a")]],
    ["after one of two answers", undefined, true, [asked("a"), asked("b"), response("user", "a")]],
    ["after an answer in another invocation", undefined, true, [asked("a"), response("user", "a", undefined, OTHER)]],
    ["after a call of another invocation", undefined, false, [asked("a", undefined, OTHER)]],
    ["after a call on a branch", undefined, true, [asked("a", "left")]],
    ["after a call of an agent that serves as a tool", undefined, false, [asked("a", "left@1")]],
    ["on a branch after its call", "left", true, [asked("a", "left")]],
    ["on a branch after a call below it", "left", true, [asked("a", "left.deep")]],
    [
      "on a branch after the user's answer, which has no branch",
      "left",
      false,
      [asked("a", "left"), response("user", "a")],
    ],
    [
      "on a branch after the answer to another branch's call",
      "left",
      true,
      [asked("a", "left"), response("user", "b")],
    ],
    ["on a branch after a call on another one", "left", false, [asked("a", "right")]],
    ["on a branch after a call on one whose name begins alike", "left", false, [asked("a", "leftmost")]],
  ])("%s", (_title, branch, waits, events) => {
    const context = createInvocation({ events, ...(branch !== undefined && { branch }) });
    expect(waitsForAnswer(context, 0)).toBe(waits);
  });

  it("is decided by the events since the agent began", () => {
    const context = createInvocation({ events: [asked("a"), event("helper", [{ text: "x" }])] });
    expect([0, 1].map((since) => waitsForAnswer(context, since))).toEqual([true, false]);
  });
});
