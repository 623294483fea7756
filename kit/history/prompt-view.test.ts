import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { verifies } from "#test/helpers/verifies.ts";
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

const news = text('The tool `look`, called earlier, now answers: {"ok":true}');
const PENDING = { status: "pending" };
const unknown = { error: expect.stringContaining("whether it took effect is unknown") };
const partsOf = (view: PromptView) => view.contents().map(({ parts }) => parts);

describe("PromptView", () => {
  it("keeps what was said while a call ran, and reports its answer at the end", () => {
    verifies("what-the-service-does:late-answers");
    const view = viewOf(
      event("user", [text("start")]),
      event("helper", [call("1")], { longRunningToolIds: ["1"] }),
      answering(response("1")),
      event("helper", [text("started")]),
      event("user", [text("call me Kim")]),
      event("helper", [text("Kim it is")]),
      event("user", [response("1")]),
    );
    const whole = [
      [text("start")],
      [call("1")],
      [response("1")],
      [text("started")],
      [text("call me Kim")],
      [text("Kim it is")],
      [news],
    ];
    expect(partsOf(view)).toEqual(whole);
    view.push(event("helper", [text("thanks")]));
    expect(partsOf(view)).toEqual([...whole, [text("thanks")]]);
  });

  it("marks a call as pending, not as lost, once its response has come as news", () => {
    const view = viewOf(event("helper", [call("1")]), event("user", [text("and?")]));
    expect(partsOf(view)[1]).toEqual([{ functionResponse: expect.objectContaining({ response: unknown }) }]);
    view.push(answering(response("1")));
    const pending = { functionResponse: expect.objectContaining({ response: expect.objectContaining(PENDING) }) };
    expect(partsOf(view)).toEqual([[call("1")], [pending], [text("and?")], [news]]);
  });

  it("replaces an intermediate response only if nothing was said after it", () => {
    const interim = { functionResponse: { id: "1", name: "look", response: { percent: 10 } } };
    const silent = viewOf(event("helper", [call("1")]), event("user", [interim]), event("user", [response("1")]));
    expect(partsOf(silent)).toEqual([[call("1")], [response("1")]]);
    const answered = viewOf(event("helper", [call("1")]), event("user", [interim]), event("helper", [text("10 %")]));
    answered.push(event("user", [response("1")]));
    expect(partsOf(answered)).toEqual([[call("1")], [interim], [text("10 %")], [news]]);
  });

  it("reports a late response once if the client sends it again before the model has reacted", () => {
    const late = event("user", [response("1")]);
    const view = viewOf(event("helper", [call("1")]), event("user", [text("and?")]), late, late);
    expect(partsOf(view).slice(2)).toEqual([[text("and?")], [news]]);
    view.push(event("other", [call("2")]));
    view.push(event("user", [response("2")]));
    view.push(late);
    expect(partsOf(view).slice(5)).toEqual([[news], [news]]);
  });

  it("repeats a late response with words beside it, and one of fewer calls than before", () => {
    const both = event("helper", [call("1"), call("2")]);
    const [one, two] = [response("1"), response("2")];
    const viewWith = (...later: readonly Event[]) =>
      partsOf(viewOf(both, event("user", [text("and?")]), ...later)).slice(3);
    const worded = event("user", [one, text("as said")]);
    expect(viewWith(event("user", [one]), worded)).toEqual([[news], [news, text("as said")]]);
    expect(viewWith(worded, event("user", [one]))).toEqual([[news, text("as said")], [news]]);
    expect(viewWith(event("user", [one, two]), event("user", [one]))).toEqual([[news, news], [news]]);
    expect(viewWith(event("user", [one]), event("user", [one, two]))).toEqual([[news, news]]);
  });

  it("ends with the text or the image that stands beside a response, whether the response is late or not", () => {
    const beside = event("user", [response("1"), text("there it is")]);
    const inTime = viewOf(event("helper", [call("1")]), beside);
    expect(partsOf(inTime)).toEqual([[call("1")], [response("1")], [text("there it is")]]);
    const image = { inlineData: { mimeType: "image/png", data: "AA==" } };
    const shown = { functionResponse: { ...response("1").functionResponse, parts: [image] } };
    const late = viewOf(event("helper", [call("1")]), event("user", [text("and?")]), event("user", [shown]));
    expect(partsOf(late).at(-1)).toEqual([news, image]);
  });

  it("reports a response to a call of another agent, and none to a call of a parallel agent or to no call at all", () => {
    const view = new PromptView({ agentName: "helper", branch: "team.helper" });
    view.push(event("other", [call("1")]));
    view.push(event("other", [call("2")], { branch: "team.other" }));
    for (const id of ["1", "2", "ghost"]) view.push(event("user", [response(id)]));
    expect(partsOf(view).slice(1)).toEqual([[news]]);
    view.pushSummary({ role: "model", parts: [text("in short")] });
    for (const id of ["2", "ghost"]) view.push(event("user", [response(id)]));
    expect(partsOf(view).slice(3)).toEqual([[news]]);
  });

  it("gives calls ids of their own where they have none or repeat one, with their responses", () => {
    const own = (id: string): Part => ({ functionCall: { id, name: "look", args: {} } });
    const bare: Part = { functionCall: { name: "look", args: {} } };
    const view = viewOf(
      event("helper", [call("1")]),
      answering(response("1")),
      event("helper", [call("1")]),
      answering(response("1")),
      event("helper", [bare]),
      answering({ functionResponse: { name: "look", response: { ok: true } } }),
    );
    expect(partsOf(view)).toEqual([
      [call("1")],
      [response("1")],
      [own("call-at-2-0")],
      [response("call-at-2-0")],
      [own("call-at-4-0")],
      [response("call-at-4-0")],
    ]);
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
    expect(partsOf(view).at(-1)).toEqual([news, text("go on")]);
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
