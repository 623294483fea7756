import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { NO_LOAD_BOUND } from "#kit/sessions/load-bound.ts";
import { countedHistory, event, text, viewer } from "#test/helpers/worlds/history-events.ts";
import { PromptHistory } from "./prompt-history.ts";

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
    const { history, readsDuring } = countedHistory();
    const look = (agentName: string) => readsDuring(() => history.contents({ agentName, branch: undefined }));
    for (let index = 0; index < 16; index += 1) look(`agent${index}`);
    look("agent0");
    look("one more");
    expect(look("agent0")).toBe(0);
    expect(look("agent1")).toBeGreaterThan(0);
  });
});
