import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { PromptView } from "./prompt-view.ts";

function event(author: string, parts: readonly Part[], extra: Partial<Event> = {}): Event {
  const role = author === "user" ? "user" : "model";
  return createEvent({ id: "e", invocationId: "i", author, timestamp: 0, content: { role, parts }, ...extra });
}

const call = (id: string, name = "look"): Part => ({ functionCall: { id, name, args: {} } });
const response = (id: string, name = "look"): Part => ({ functionResponse: { id, name, response: { ok: true } } });
const text = (words: string): Part => ({ text: words });
const answering = (...parts: readonly Part[]): Event => event("helper", parts, { content: { role: "user", parts } });

function viewOf(...events: readonly Event[]): PromptView {
  const view = new PromptView({ agentName: "helper", branch: undefined });
  for (const one of events) view.push(one);
  return view;
}

const unknown = { error: expect.stringContaining("whether it took effect is unknown") };
const partsOf = (view: PromptView) => view.contents().map(({ parts }) => parts);

describe("PromptView", () => {
  it("ends with a late response also when only one content follows its call", () => {
    const view = viewOf(event("helper", [call("1")]), event("user", [text("and?")]), answering(response("1")));
    expect(partsOf(view)).toEqual([[call("1")], [response("1")]]);
  });

  it("leaves calls after the end of the prompt alone", () => {
    const view = viewOf(
      event("helper", [call("1")], { longRunningToolIds: ["1"] }),
      answering(response("1")),
      event("helper", [call("2")]),
      event("user", [response("1")]),
    );
    expect(partsOf(view)).toEqual([[call("1")], [response("1")]]);
  });

  it("keeps the text next to a late response", () => {
    const view = viewOf(
      event("helper", [call("1")], { longRunningToolIds: ["1"] }),
      answering(response("1")),
      event("helper", [text("started")]),
      event("user", [response("1"), text("there it is")]),
    );
    view.push(event("helper", [text("thanks")]));
    expect(partsOf(view)).toEqual([
      [call("1")],
      [response("1")],
      [text("started")],
      [text("there it is")],
      [text("thanks")],
    ]);
  });

  it("ends with the text that stands beside a response, whether the response is late or not", () => {
    const beside = event("user", [response("1"), text("there it is")]);
    const inTime = viewOf(event("helper", [call("1")]), beside);
    expect(partsOf(inTime)).toEqual([[call("1")], [response("1")], [text("there it is")]]);
    const late = viewOf(event("helper", [call("1")]), event("user", [text("and?")]), beside);
    expect(partsOf(late)).toEqual([[call("1")], [response("1")], [text("and?")], [text("there it is")]]);
  });

  it("keeps the places of other calls when a late response is inserted: before it and right behind it", () => {
    const before = viewOf(
      event("helper", [call("1")]),
      event("helper", [call("2")]),
      event("user", [text("and?")]),
      answering(response("2")),
    );
    const open = (id: string) => ({ functionResponse: expect.objectContaining({ id, response: unknown }) });
    expect(partsOf(before)).toEqual([[call("1")], [open("1")], [call("2")], [response("2")]]);
    const behind = viewOf(event("helper", [call("1")]), event("helper", [call("2")]), answering(response("1")));
    behind.push(event("user", [text("and?")]));
    expect(partsOf(behind)).toEqual([[call("1")], [response("1")], [call("2")], [open("2")], [text("and?")]]);
  });

  it("has nothing of another agent's thoughts, signed or not", () => {
    const thoughts = [{ text: "Hm.", thought: true, thoughtSignature: "s1" }];
    expect(partsOf(viewOf(event("other", thoughts)))).toEqual([]);
  });

  it("has nothing of an event without parts", () => {
    expect(partsOf(viewOf(event("helper", []), event("helper", [], { content: { role: "model" } })))).toEqual([]);
  });

  it("keeps an empty part that has a signature, which the model needs back", () => {
    const signed = { text: "", thoughtSignature: "s1" };
    expect(partsOf(viewOf(event("helper", [signed]), event("helper", [text("")])))).toEqual([[signed]]);
  });

  it("keeps text of the user next to the answer to a question of the framework", () => {
    const view = viewOf(event("user", [response("q", "adk_request_confirmation"), text("but hurry")]));
    expect(partsOf(view)).toEqual([[text("but hurry")]]);
  });

  it("drops, after a summary, answers to questions of the framework", () => {
    const view = new PromptView({ agentName: "helper", branch: undefined });
    view.pushSummary({ role: "model", parts: [text("in short")] });
    view.push(event("user", [response("q", "adk_request_confirmation"), response("1"), text("go on")]));
    expect(partsOf(view).at(-1)).toEqual([
      { text: 'The tool `look`, called earlier, now answers: {"ok":true}' },
      text("go on"),
    ]);
  });

  it("gives a content without a role that of its author", () => {
    const parts = [text("hi")];
    const view = viewOf(event("user", parts, { content: { parts } }), event("helper", parts, { content: { parts } }));
    expect(view.contents().map(({ role }) => role)).toEqual(["user", "model"]);
  });

  it("marks an open call as pending where its tool is long-running, and as unknown where it is not", () => {
    const view = viewOf(event("helper", [call("1"), call("2")], { longRunningToolIds: ["1"] }));
    const responses = view.contents()[1]?.parts?.map(({ functionResponse }) => functionResponse);
    expect(new Map(responses?.map((one) => [one?.id, Object.keys(one?.response ?? {})]))).toEqual(
      new Map([
        ["1", ["status", "message"]],
        ["2", ["error"]],
      ]),
    );
  });
});
