import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PastTurn } from "#kit/core/context/past-turn.ts";
import { type Content, modelContent, type Part, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { checkOutput, parseOutput, problemsLeft } from "./check-output.ts";

const agent = new LlmAgent({ name: "helper", outputSchema: z.object({ city: z.string() }) });

function event(extra: Partial<Event>): Event {
  return createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, ...extra });
}

function stepAfter(...events: readonly Event[]) {
  return createStep({ agent, past: new PastTurn(events, { isInterrupted: () => true }) });
}

/** What the model reads about an answer that does not fit. */
const told = event({ content: userContent("This answer does not fit.") });

const responses: Content = { role: "user", parts: [{ functionResponse: { id: "c1", name: "look" } }] };

const continued: readonly (readonly [string, Part])[] = [
  ["a call", { functionCall: { id: "c1", name: "look" } }],
  ["the response to a call", { functionResponse: { id: "c1", name: "look" } }],
  ["code", { executableCode: { code: "1", language: "PYTHON" } }],
];

describe("parseOutput", () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['  {"a": 1}\n', { a: 1 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['\n```JSON  \r\n{"a": 1}```  \n', { a: 1 }],
    ["```\n\n[1]\n\n```", [1]],
    ["```\n\u00a0[1]\n```", [1]],
    ['{\n"a": 1\n}', { a: 1 }],
    ['"```"', "```"],
  ])("reads %j", (text, value) => expect(parseOutput(text)).toEqual({ value }));

  it.each([
    "",
    "```",
    "```json\n```",
    "````\n1\n```",
    "```js\n1\n```",
    "Here: ```json\n1\n```",
    "```\n1234567",
    "12\n3\n```",
  ])("finds no JSON in %j", (text) => expect(parseOutput(text)).toBeUndefined());
});

describe("an answer that is checked against the output schema", () => {
  it.each(continued)("is none while %s stands beside the text", async (_, part) => {
    const response = { content: { role: "model", parts: [{ text: "no JSON" }, part] } };
    const step = createStep({ agent });
    expect(await checkOutput(step, response)).toBe(response);
    expect(step.outputVerdict).toBeUndefined();
  });

  it("may be answered again once, also where the earlier message to the model is in the stored turn", async () => {
    const response = { content: modelContent("no JSON") };
    const first = stepAfter(event({ content: modelContent("{}") }), event({ content: responses }));
    expect(await checkOutput(first, response)).toBe(response);
    expect(first.outputVerdict).toEqual({ kind: "to-fix", problems: ["it is not JSON"] });
    const second = stepAfter(event({ content: modelContent("{}") }), told);
    expect(await checkOutput(second, response)).toMatchObject({ errorCode: "OUTPUT_SCHEMA_VIOLATED" });
    expect(second.outputVerdict).toBeUndefined();
  });

  it("counts no message to the model of another agent", async () => {
    const step = stepAfter({ ...told, author: "other" });
    await checkOutput(step, { content: modelContent("no JSON") });
    expect(step.outputVerdict).toEqual({ kind: "to-fix", problems: ["it is not JSON"] });
  });

  it("does not fit without any content", async () => {
    const step = createStep({ agent });
    await checkOutput(step, {});
    await checkOutput(step, { content: {} });
    expect(step.outputVerdict).toEqual({ kind: "to-fix", problems: ["it is not JSON"] });
  });
});

describe("a stored answer that is the end of a turn", () => {
  const wrong = event({ content: modelContent("no JSON") });

  it("has its problems reported to the model if it does not fit", async () => {
    expect(await problemsLeft(stepAfter(wrong), wrong)).toEqual(["it is not JSON"]);
    const fits = event({ content: modelContent('{"city":"Rome"}') });
    expect(await problemsLeft(stepAfter(fits), fits)).toBeUndefined();
  });

  it.each<[string, Event]>([
    ["another agent's", { ...wrong, author: "other" }],
    ["one with an error", { ...wrong, errorCode: "OUTPUT_SCHEMA_VIOLATED" }],
    ["one without content", event({})],
    ...continued.map(([what, part]): [string, Event] => [
      `one with ${what}`,
      event({ content: { role: "model", parts: [{ text: "no JSON" }, part] } }),
    ]),
  ])("is not checked: %s", async (_, newest) => {
    expect(await problemsLeft(stepAfter(newest), newest)).toBeUndefined();
  });

  it("is not checked after the model was asked to answer again", async () => {
    expect(await problemsLeft(stepAfter(told, wrong), wrong)).toBeUndefined();
  });

  it("is checked if it has no parts, and the model is asked to answer again", async () => {
    const empty = event({ content: { role: "model" } });
    expect(await problemsLeft(stepAfter(empty), empty)).toEqual(["it is not JSON"]);
  });
});
