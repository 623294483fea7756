import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import { countedHistory, event, text, viewer } from "#test/helpers/worlds/history-events.ts";
import { PromptHistory } from "./prompt-history.ts";

const turnOf = (...events: readonly Event[]) =>
  new PromptHistory(events).currentTurn(viewer).map(({ parts }) => parts?.at(-1)?.text);

describe("the current turn", () => {
  it.each<[string, Partial<Event>, readonly Part[]]>([
    ["that calls a tool", {}, [{ functionCall: { id: "c", name: "look", args: {} } }]],
    ["that answers a call", {}, [{ functionResponse: { id: "c", name: "look", response: {} } }]],
    ["that calls a tool, with words beside", {}, [text("Let me see."), { functionCall: { id: "c", name: "look" } }]],
    ["that answers a call, with words beside", {}, [text("So."), { functionResponse: { id: "c", name: "look" } }]],
    ["that hands over", { actions: createEventActions({ transferToAgent: "helper" }) }, [text("over to you")]],
  ])("does not start at an event of another agent %s", (_, extra, parts) => {
    expect(turnOf(event("user", [text("go")]), event("other", parts, extra))[0]).toBe("go");
  });

  it("is empty in an empty history", () => expect(turnOf()).toEqual([]));

  it("starts with the only event there is, whatever it is", () => {
    expect(turnOf(event("helper", [text("mine")]))).toEqual(["mine"]);
  });

  it("starts at a content without parts, which says nothing", () => {
    const empty = event("user", [], { content: { role: "user" } });
    expect(turnOf(event("user", [text("go")]), empty, event("helper", [text("mine")]))).toEqual(["mine"]);
  });

  it("starts at an event of another agent", () => {
    expect(turnOf(event("user", [text("go")]), event("other", [text("done")]))).toEqual([
      expect.stringContaining("done"),
    ]);
  });

  it("starts after a rewind", () => {
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

describe("a history into which earlier events are inserted", () => {
  it("shows them once it is restarted", () => {
    const events = [event("user", [text("second")])];
    const history = new PromptHistory(events, { from: 2, earlier: [] });
    expect([history.contents(viewer).length, history.refersToInlineData]).toEqual([1, false]);
    const file = { fileData: { fileUri: "fairlead-inline:x", mimeType: "text/plain" } };
    events.unshift(event("user", [text("first"), file]));
    history.restart(NO_HISTORY_START);
    expect(history.contents(viewer).map(({ parts }) => parts?.[0]?.text)).toEqual(["first", "second"]);
    expect(history.refersToInlineData).toBe(true);
  });
});

describe("a history that grows", () => {
  const file = { fileData: { fileUri: "fairlead-inline:x", mimeType: "text/plain" } };

  it("notices the first data that is kept elsewhere", () => {
    const events = [event("user", [text("one")])];
    const history = new PromptHistory(events);
    expect(history.refersToInlineData).toBe(false);
    events.push(event("user", [file]));
    expect(history.refersToInlineData).toBe(true);
  });

  it("gives its events as they are now", () => {
    const events = [event("user", [text("one")])];
    const { events: now } = new PromptHistory(events).slice();
    events.push(event("user", [text("two")]));
    expect(now).toHaveLength(1);
  });

  it("has a prompt for each branch of an agent", () => {
    const history = new PromptHistory(["a", "b"].map((branch) => event("helper", [text(branch)], { branch })));
    const wordsOn = (branch: string | undefined) =>
      history.contents({ agentName: "helper", branch }).map(({ parts }) => parts?.[0]?.text);
    expect([wordsOn("a"), wordsOn("b"), wordsOn(undefined)]).toEqual([["a"], ["b"], ["a", "b"]]);
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
