import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool, type FunctionToolOptions } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { answer, responsesOf } from "#test/helpers/worlds/pay-world.ts";

const parameters = z.object({ from: z.string() });
const ASKS = functionCallResponse("book", { from: "Rome" }, "call-1");
const WAITS = { error: "This call has no result yet: it waits for the user's answer to a question." };
const responseSchema = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };

async function createBookingWorld(
  steps: readonly ScriptedStep[],
  options: Partial<FunctionToolOptions<typeof parameters>> = {},
) {
  const booked: unknown[] = [];
  const tool = new FunctionTool({
    name: "book",
    description: "Books a journey.",
    parameters,
    execute: ({ from }, context) => {
      const { toolInput } = context;
      const to = toolInput?.response["to"];
      if (typeof to === "string") {
        booked.push({ from, to, state: toolInput?.request.state });
        return { booked: to };
      }
      const message = toolInput === undefined ? "Where to?" : "Name a place.";
      return context.requestInput({ message, responseSchema, payload: { from }, state: { key: ["s-1"] } });
    },
    ...options,
  });
  const model = new ScriptedModel(steps);
  return { world: await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [tool] })), booked, model };
}

function asked(events: readonly Event[]) {
  const call = events.flatMap(functionCalls).findLast(({ name }) => name === "adk_request_input");
  if (call === undefined) throw new Error("no question was asked");
  return call;
}

describe("a tool that asks the user for data", () => {
  it("ends the run with the question, and gets the answer and its stored state in the next run", async () => {
    verifies("tools:input:asks");
    const { world, booked, model } = await createBookingWorld([ASKS, "Booked."]);
    const events = await world.run("a journey");
    expect(events.slice(1).map(({ content }) => content?.parts)).toEqual([
      [{ functionResponse: { id: "call-1", name: "book", response: WAITS } }],
      [
        {
          functionCall: {
            id: expect.stringMatching(/^adk-/),
            name: "adk_request_input",
            args: {
              originalFunctionCall: { id: "call-1", name: "book", args: { from: "Rome" } },
              message: "Where to?",
              response_schema: responseSchema,
              payload: { from: "Rome" },
            },
          },
        },
      ],
    ]);
    expect([events.at(-1)?.longRunningToolIds, booked]).toEqual([[asked(events).id], []]);
    const resumed = await world.run(answer(asked(events), { to: "Bern" }, "adk_request_input"));
    expect(resumed.map(brief)).toEqual(['clerk: book -> {"booked":"Bern"}', "clerk: Booked."]);
    expect(booked).toEqual([{ from: "Rome", to: "Bern", state: { key: ["s-1"] } }]);
    expect(JSON.stringify(model.requests.at(-1)?.contents)).not.toContain("adk_request_input");
  });

  it("may ask again until an answer is complete", async () => {
    const { world, booked } = await createBookingWorld([ASKS, "Booked."]);
    const first = await world.run("a journey");
    const second = await world.run(answer(asked(first), { result: "hm" }, "adk_request_input"));
    expect(asked(second).args?.["message"]).toBe("Name a place.");
    await world.run(answer(asked(second), { to: "Bern" }, "adk_request_input"));
    expect(booked).toHaveLength(1);
  });

  it("is not asked for a consent that its call had when it asked", async () => {
    const { world, booked } = await createBookingWorld([ASKS, "Booked."], { requireConfirmation: true });
    const confirm = (await world.run("a journey")).flatMap(functionCalls).at(-1);
    const events = await world.run(answer(confirm ?? {}, { confirmed: true }));
    expect(responsesOf(events[0])).toEqual([WAITS]);
    await world.run(answer(asked(events), { to: "Bern" }, "adk_request_input"));
    expect(booked).toHaveLength(1);
  });

  it("keeps the questions of calls of one answer apart", async () => {
    const both = [
      { functionCall: { id: "call-1", name: "book", args: { from: "Rome" } } },
      { functionCall: { id: "call-2", name: "book", args: { from: "Oslo" } } },
    ];
    const { world, booked } = await createBookingWorld([{ content: { role: "model", parts: both } }, "Booked."]);
    const questions = (await world.run("two journeys")).flatMap(functionCalls).slice(2);
    const parts = questions.map(({ id = "" }, index) => ({
      functionResponse: { id, name: "adk_request_input", response: { to: `place ${index + 1}` } },
    }));
    await world.run({ role: "user", parts });
    expect(booked).toMatchObject([
      { from: "Rome", to: "place 1" },
      { from: "Oslo", to: "place 2" },
    ]);
  });

  it.each([
    ["a question that was never asked", () => ({ id: "adk-made-up" }), "INPUT_UNKNOWN"],
    ["another name", undefined, "INPUT_MISMATCH"],
  ])("does not run for an answer to %s", async (_, other, errorCode) => {
    verifies("tools:input:answers");
    const { world, booked } = await createBookingWorld([ASKS, "Booked."]);
    const question = asked(await world.run("a journey"));
    const reply = answer(
      other?.() ?? question,
      { to: "Bern" },
      other === undefined ? "adk_request_confirmation" : "adk_request_input",
    );
    await expect(world.run(reply)).rejects.toMatchObject({ reason: "RUN_FAILED" });
    expect([(await world.session()).events.at(-1)?.errorCode, booked]).toEqual([errorCode, []]);
  });

  it("does not run again for a second answer", async () => {
    verifies("tools:input:answers");
    const { world, booked } = await createBookingWorld([ASKS, "Booked."]);
    const reply = answer(asked(await world.run("a journey")), { to: "Bern" }, "adk_request_input");
    await world.run(reply);
    await expect(world.run(reply)).rejects.toMatchObject({ reason: "RUN_FAILED" });
    expect([(await world.session()).events.at(-1)?.errorCode, booked.length]).toEqual(["INPUT_ALREADY_USED", 1]);
  });

  it("does not run for an answer without a response", async () => {
    verifies("tools:input:answers");
    const { world, booked } = await createBookingWorld([ASKS, "Booked."]);
    const { id = "" } = asked(await world.run("a journey"));
    const reply = { role: "user", parts: [{ functionResponse: { id, name: "adk_request_input" } }] };
    await expect(world.run(reply)).rejects.toMatchObject({ reason: "RUN_FAILED" });
    expect([(await world.session()).events.at(-1)?.errorCode, booked]).toEqual(["INPUT_MALFORMED", []]);
  });
});
