import { describe, expect, it } from "vitest";
import { createEvent, type Event, functionResponses } from "#kit/events/event.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { closeOpenCalls } from "./close-open-calls.ts";

const ERROR = { error: "The run ended before this call had answered; whether it took effect is unknown." };

function event(input: Partial<Event>): Event {
  return createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, ...input });
}

function calling(...ids: readonly string[]): Pick<Event, "content"> {
  return { content: { role: "model", parts: ids.map((id) => ({ functionCall: { id, name: "work" } })) } };
}

function answering(id: string): Pick<Event, "content"> {
  return { content: { role: "user", parts: [{ functionResponse: { id, name: "work", response: {} } }] } };
}

function closing(events: readonly Event[], withinTools = true): readonly unknown[] {
  const context = createInvocation();
  context.session.events.push(...events);
  return closeOpenCalls(context, { withinTools }).map((closed) => [
    closed.author,
    closed.branch,
    functionResponses(closed),
  ]);
}

const closed = (id: string): object => ({ id, name: "work", response: ERROR });

describe("calls that a run leaves open", () => {
  it("get a response of the agent that made them, on its branch", () => {
    const events = [
      event({ author: "user" }),
      event({ ...calling("a", "b"), branch: "both.left", author: "left" }),
      event({ ...calling("c"), branch: "both.right", author: "right" }),
      event({ ...answering("b"), branch: "both.left", author: "left" }),
    ];
    expect(closing(events)).toEqual([
      ["left", "both.left", [closed("a")]],
      ["right", "both.right", [closed("c")]],
    ]);
  });

  it("do not include those that wait for the user, nor those of turns before", () => {
    const events = [
      event({ ...calling("old"), invocationId: "before" }),
      event({ ...calling("w"), longRunningToolIds: ["w"] }),
    ];
    expect(closing(events)).toEqual([]);
  });

  it("include those within a tool call only when the run failed", () => {
    const events = [event({ ...calling("a"), branch: "expert@call-1", author: "expert" })];
    expect([closing(events, false), closing(events)]).toEqual([[], [["expert", "expert@call-1", [closed("a")]]]]);
  });
});
