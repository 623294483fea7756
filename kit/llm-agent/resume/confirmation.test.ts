import { describe, expect, it } from "vitest";
import { BaseTool } from "#kit/core/base-tool.ts";
import { functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { answer, createPayWorld, pay, question, responsesOf, WAITS } from "#test/helpers/worlds/pay-world.ts";

describe("a call that has to be confirmed", () => {
  it("waits: its placeholder is stored, then the question with the call as it was made", async () => {
    verifies("tools:confirmation:asks");
    const { world, paid } = await createPayWorld([pay]);
    const [call, placeholder, asked] = await world.run("pay Ada 900");
    expect(call && functionCalls(call)).toEqual([{ id: "call-1", name: "pay", args: { amount: 900, to: "Ada" } }]);
    const toolConfirmation = { hint: "Confirm or reject the call of pay.", confirmed: false };
    expect([responsesOf(placeholder), placeholder?.actions]).toEqual([
      [WAITS],
      expect.objectContaining({ requestedToolConfirmations: { "call-1": toolConfirmation }, skipSummarization: true }),
    ]);
    const id = expect.stringMatching(/^adk-/);
    expect(asked).toMatchObject({ author: "clerk", longRunningToolIds: [id] });
    expect(asked?.content).toEqual({
      role: "model",
      parts: [
        {
          functionCall: {
            id,
            name: "adk_request_confirmation",
            args: {
              originalFunctionCall: { id: "call-1", name: "pay", args: { amount: 900, to: "Ada" } },
              toolConfirmation,
            },
          },
        },
      ],
    });
    expect(paid).toEqual([]);
  });

  it("runs with the user's answer when it is confirmed, in the same invocation", async () => {
    verifies("tools:confirmation:asks");
    const { world, paid, model } = await createPayWorld([pay, "paid"]);
    const asked = await world.run("pay Ada 900");
    const events = await world.run(answer(question(asked), { confirmed: true, payload: { note: "ok" } }));
    expect(events.map(brief)).toEqual(['clerk: pay -> {"paid":900}', "clerk: paid"]);
    expect(paid).toEqual([{ amount: 900, toolConfirmation: { confirmed: true, payload: { note: "ok" } } }]);
    expect(new Set((await world.session()).events.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect(model.requests.at(-1)?.contents.map(({ role, parts }) => [role, parts?.length])).toEqual([
      ["user", 1],
      ["model", 1],
      ["user", 1],
    ]);
  });

  it("takes the decision as a JSON text too", async () => {
    const { world, paid } = await createPayWorld([pay, "paid"]);
    const asked = await world.run("pay Ada 900");
    await world.run(answer(question(asked), { response: '{"confirmed":true}' }));
    expect(paid).toEqual([{ amount: 900, toolConfirmation: { confirmed: true } }]);
  });

  it("does not run when it is rejected, and the model gets the reason", async () => {
    verifies("tools:confirmation:asks");
    const { world, paid, model } = await createPayWorld([pay, "as you wish"]);
    const asked = await world.run("pay Ada 900");
    const events = await world.run(answer(question(asked), { confirmed: false, payload: "too much" }));
    const rejection = { error: "The user rejected this call. It did not run.", payload: "too much" };
    expect([responsesOf(events[0]), events.map(brief).at(-1)]).toEqual([[rejection], "clerk: as you wish"]);
    expect(model.requests.at(-1)?.contents.at(-1)?.parts?.[0]?.functionResponse?.response).toEqual(rejection);
    expect(paid).toEqual([]);
  });

  it.each([
    [50, ["clerk: pay", "clerk: done"]],
    [5000, ["clerk: pay", "clerk: adk_request_confirmation"]],
  ])("may depend on the arguments: %d", async (amount, expected) => {
    const { world } = await createPayWorld([functionCallResponse("pay", { amount, to: "Ada" }), "done"], {
      tool: { requireConfirmation: ({ amount: asked }) => asked > 100 },
    });
    const events = await world.run("pay");
    expect(events.slice(1).map((event) => brief(event).split(/[(]| ->/)[0])).toEqual(expected);
  });

  it("is not asked about when its arguments are wrong", async () => {
    const { world } = await createPayWorld([functionCallResponse("pay", { amount: "much" }), "sorry"]);
    const events = await world.run("pay");
    expect(events.map(brief).at(-1)).toBe("clerk: sorry");
  });

  it("fails closed when the rule that decides throws", async () => {
    const { world, paid } = await createPayWorld([pay, "sorry"], {
      tool: {
        requireConfirmation: () => {
          throw new Error("no rates today");
        },
      },
    });
    const events = await world.run("pay");
    expect([responsesOf(events[1]), paid]).toEqual([[{ error: "no rates today" }], []]);
  });

  it("may be held back by the tool itself, with a response of its own for the model", async () => {
    const { world } = await createPayWorld([pay, "done"], {
      tool: {
        requireConfirmation: false,
        execute: ({ amount }, context) => {
          if (context.toolConfirmation !== undefined) return { paid: amount };
          context.requestConfirmation({ hint: "Sure?", payload: { limit: 10 } });
          return { status: "asked the manager" };
        },
      },
    });
    const asked = await world.run("pay");
    expect(responsesOf(asked[1])).toEqual([{ status: "asked the manager" }]);
    expect(question(asked).args?.["toolConfirmation"]).toEqual({
      hint: "Sure?",
      payload: { limit: 10 },
      confirmed: false,
    });
    const events = await world.run(answer(question(asked), { confirmed: true }));
    expect(events.map(brief)).toEqual(['clerk: pay -> {"paid":900}', "clerk: done"]);
  });

  it.each([
    ["a tool that returns nothing", false],
    ["a long-running tool that returns nothing", true],
  ])("has the placeholder as its answer when %s asks for the confirmation itself", async (_, isLongRunning) => {
    const { world } = await createPayWorld([pay], {
      tool: {
        requireConfirmation: false,
        isLongRunning,
        execute: (_args, context) => context.requestConfirmation({ hint: "Sure?" }),
      },
    });
    const [, placeholder, asked] = await world.run("pay");
    expect(responsesOf(placeholder)).toEqual([WAITS]);
    expect(asked?.longRunningToolIds).toHaveLength(1);
  });

  it("runs again when it asked by itself and is rejected, and answers in its own words", async () => {
    verifies("tools:confirmation:asks");
    const { world, model } = await createPayWorld([pay, "as you wish"], {
      tool: {
        requireConfirmation: false,
        execute: ({ amount }, context) => {
          const { toolConfirmation } = context;
          if (toolConfirmation === undefined) return context.requestConfirmation({ hint: "Sure?" });
          if (toolConfirmation.confirmed) return { paid: amount };
          return { kept: amount, because: toolConfirmation.payload };
        },
      },
    });
    const asked = await world.run("pay");
    const events = await world.run(answer(question(asked), { confirmed: false, payload: "too much" }));
    const kept = { kept: 900, because: "too much" };
    expect([responsesOf(events[0]), events.map(brief).at(-1)]).toEqual([[kept], "clerk: as you wish"]);
    expect(model.requests.at(-1)?.contents.at(-1)?.parts?.[0]?.functionResponse?.response).toEqual(kept);
  });

  it("is rejected by the kit when its tool is declared to need confirmation, whatever its rule says by then", async () => {
    let isStrict = true;
    const { world, paid } = await createPayWorld([pay, "as you wish"], {
      tool: { requireConfirmation: () => isStrict },
    });
    const asked = await world.run("pay");
    isStrict = false;
    const events = await world.run(answer(question(asked), { confirmed: false }));
    expect(responsesOf(events[0])).toEqual([{ error: "The user rejected this call. It did not run." }]);
    expect(paid).toEqual([]);
  });

  it("is rejected by the kit when a class of its own asks for confirmation without declaring it", async () => {
    const paid: unknown[] = [];
    class Pay extends BaseTool {
      override getDeclaration() {
        return { name: "pay", description: "Pays." };
      }
      override needsConfirmation(): boolean {
        return true;
      }
      override async runAsync(args: JsonObject): Promise<unknown> {
        paid.push(args);
        return {};
      }
    }
    const tools = [new Pay({ name: "pay", description: "Pays." })];
    const model = new ScriptedModel([pay, "as you wish"]);
    const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools }));
    const asked = await world.run("pay");
    const events = await world.run(answer(question(asked), { confirmed: false }));
    expect(responsesOf(events[0])).toEqual([{ error: "The user rejected this call. It did not run." }]);
    expect(paid).toEqual([]);
  });

  it("does not hold back the other calls of the same answer, whose results are stored first", async () => {
    verifies("tools:confirmation:asks");
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const calls = {
      content: { role: "model", parts: [...(pay.content?.parts ?? []), { functionCall: { name: "look" } }] },
    };
    const model = new ScriptedModel([calls]);
    const tool = new FunctionTool({ name: "pay", description: "Pays.", requireConfirmation: true, execute: () => 1 });
    const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [tool, look] }));
    const [, responses, asked] = await world.run("go");
    expect(responsesOf(responses)).toEqual([WAITS, { result: "seen" }]);
    expect(asked?.longRunningToolIds).toHaveLength(1);
  });

  it("may be answered after other messages", async () => {
    const { world, paid } = await createPayWorld([pay, "I wait for you", "paid"]);
    const asked = await world.run("pay Ada 900");
    expect((await world.run("and?")).map(brief)).toEqual(["clerk: I wait for you"]);
    await world.run(answer(question(asked), { confirmed: true }));
    expect(paid).toHaveLength(1);
  });
});
