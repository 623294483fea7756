import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { NO_LOAD_BOUND } from "#kit/sessions/load-bound.ts";
import { PromptHistory } from "./prompt-history.ts";
import type { Viewer } from "./prompt-view.ts";

const viewer: Viewer = { agentName: "helper", branch: undefined };

function event(author: string, parts: readonly Part[], extra: Partial<Event> = {}): Event {
  const role = author === "user" ? "user" : "model";
  return createEvent({ id: "e", invocationId: "i", author, timestamp: 0, content: { role, parts }, ...extra });
}

const text = (words: string): Part => ({ text: words });
const turnOf = (...events: readonly Event[]) =>
  new PromptHistory(events).currentTurn(viewer).map(({ parts }) => parts?.at(-1)?.text);

describe("the current turn", () => {
  it.each<[string, Partial<Event>, readonly Part[]]>([
    ["that calls a tool", {}, [{ functionCall: { id: "c", name: "look", args: {} } }]],
    ["that answers a call", {}, [{ functionResponse: { id: "c", name: "look", response: {} } }]],
    ["that hands over", { actions: createEventActions({ transferToAgent: "helper" }) }, [text("over to you")]],
  ])("does not start at an event of another agent %s", (_, extra, parts) => {
    expect(turnOf(event("user", [text("go")]), event("other", parts, extra))[0]).toBe("go");
  });

  it("starts at what another agent said", () => {
    expect(turnOf(event("user", [text("go")]), event("other", [text("done")]))).toEqual([
      expect.stringContaining("done"),
    ]);
  });

  it("starts behind a rewind", () => {
    const rewind = createEvent({
      id: "r",
      invocationId: "r",
      author: "user",
      timestamp: 0,
      actions: createEventActions({ rewindBeforeInvocationId: "i" }),
    });
    expect(turnOf(event("user", [text("go")]), rewind, event("helper", [text("mine")]))).toEqual(["mine"]);
  });
});

describe("a history that gets earlier events", () => {
  it("shows them once it is restarted", () => {
    const events = [event("user", [text("second")])];
    const history = new PromptHistory(events, { from: 2, earlier: [] });
    expect([history.contents(viewer).length, history.refersToInlineData]).toEqual([1, false]);
    const file = { fileData: { fileUri: "agentplane-inline:x", mimeType: "text/plain" } };
    events.unshift(event("user", [text("first"), file]));
    history.restart(NO_LOAD_BOUND);
    expect(history.contents(viewer).map(({ parts }) => parts?.[0]?.text)).toEqual(["first", "second"]);
    expect(history.refersToInlineData).toBe(true);
  });
});

describe("the views of a history", () => {
  it("are kept for the agents that used them last", () => {
    let reads = 0;
    const events = new Proxy([event("user", [text("go")])], {
      get: (target, key, receiver) => {
        if (key === "0") reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    const history = new PromptHistory(events);
    const look = (agentName: string): number => {
      reads = 0;
      history.contents({ agentName, branch: undefined });
      return reads;
    };
    for (let index = 0; index < 16; index += 1) look(`agent${index}`);
    look("agent0");
    look("one more");
    expect(look("agent0")).toBe(0);
    expect(look("agent1")).toBeGreaterThan(0);
  });
});
