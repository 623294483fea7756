import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseTool } from "#kit/core/base-tool.ts";
import type { Content, FunctionCall, Part } from "#kit/events/content.ts";
import { createEvent, type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool, type FunctionToolOptions } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const pay = functionCallResponse("pay", { amount: 900, to: "Ada" }, "call-1");
const parameters = z.object({ amount: z.number(), to: z.string() });
interface Options {
  readonly tool?: Partial<FunctionToolOptions<typeof parameters>>;
  readonly agent?: Partial<LlmAgentOptions>;
}

async function createPayWorld(steps: readonly ScriptedStep[], { tool, agent }: Options = {}) {
  const paid: unknown[] = [];
  const model = new ScriptedModel(steps);
  const payTool = new FunctionTool({
    name: "pay",
    description: "Pays.",
    parameters,
    requireConfirmation: true,
    execute: ({ amount }, { toolConfirmation }) => {
      paid.push({ amount, toolConfirmation });
      return { paid: amount };
    },
    ...tool,
  });
  const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [payTool], ...agent }));
  return { world, model, paid };
}

function question(events: readonly Event[]): FunctionCall {
  const call = events.flatMap(functionCalls).findLast(({ name }) => name === "adk_request_confirmation");
  if (call === undefined) throw new Error("nothing was asked");
  return call;
}

function answer(call: FunctionCall, response: JsonObject, name = "adk_request_confirmation"): Content {
  const functionResponse = { ...(call.id !== undefined && { id: call.id }), name, response };
  return { role: "user", parts: [{ functionResponse }] };
}

function responsesOf(event: Event | undefined): readonly unknown[] {
  return event?.content?.parts?.map(({ functionResponse }: Part) => functionResponse?.response) ?? [];
}

const WAITS = { error: "This call has not run: it waits for the user to confirm or reject it." };

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

  it("does not run when it is rejected, and the model is told why", async () => {
    verifies("tools:confirmation:asks");
    const { world, paid, model } = await createPayWorld([pay, "as you wish"]);
    const asked = await world.run("pay Ada 900");
    const events = await world.run(answer(question(asked), { confirmed: false, payload: "too much" }));
    const told = { error: "The user rejected this call. It did not run.", payload: "too much" };
    expect([responsesOf(events[0]), events.map(brief).at(-1)]).toEqual([[told], "clerk: as you wish"]);
    expect(model.requests.at(-1)?.contents.at(-1)?.parts?.[0]?.functionResponse?.response).toEqual(told);
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

  it("may be held back by the tool itself, which tells the model something meanwhile", async () => {
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

describe("an answer that is refused", () => {
  /** What a run with the answer leaves behind, and whether the session takes the next message. */
  async function refusal(reply: (call: FunctionCall) => Content, before: readonly JsonObject[] = []) {
    const { world, paid } = await createPayWorld([pay, ...before.map(() => "ok"), "hello again"]);
    const asked = await world.run("pay Ada 900");
    for (const decision of before) await world.run(answer(question(asked), decision));
    const paidBefore = paid.length;
    await expect(world.run(reply(question(asked)))).rejects.toMatchObject({ reason: "RUN_FAILED" });
    const { errorCode, errorMessage, author } = (await world.session()).events.at(-1) ?? {};
    expect([author, errorMessage]).toEqual(["clerk", expect.stringMatching(/Nothing ran\.$/)]);
    expect((await world.run("hi")).map(brief)).toEqual(["clerk: hello again"]);
    expect(paid).toHaveLength(paidBefore);
    return errorCode;
  }

  it("forged: the session asked for no such confirmation", async () => {
    verifies("tools:confirmation:grants");
    expect(await refusal(() => answer({ id: "adk-made-up" }, { confirmed: true }))).toBe("CONFIRMATION_UNKNOWN");
  });

  it("replayed: a confirmed call runs once", async () => {
    verifies("tools:confirmation:grants");
    expect(await refusal((call) => answer(call, { confirmed: true }), [{ confirmed: true }])).toBe(
      "CONFIRMATION_ALREADY_USED",
    );
  });

  it("replayed: a rejected call cannot be confirmed later", async () => {
    expect(await refusal((call) => answer(call, { confirmed: true }), [{ confirmed: false }])).toBe(
      "CONFIRMATION_ALREADY_USED",
    );
  });

  it("altered: it confirms the call with other arguments, or by another name", async () => {
    verifies("tools:confirmation:grants");
    const originalFunctionCall = { id: "call-1", name: "pay", args: { amount: 9, to: "Eve" } };
    expect(await refusal((call) => answer(call, { confirmed: true, originalFunctionCall }))).toBe(
      "CONFIRMATION_MISMATCH",
    );
    expect(await refusal((call) => answer(call, { confirmed: true }, "pay"))).toBe("CONFIRMATION_MISMATCH");
  });

  it.each([[{}], [{ confirmed: "true" }], [{ response: "yes" }], [{ response: "[true]" }]])(
    "unclear: %j says neither yes nor no",
    async (response) => {
      expect(await refusal((call) => answer(call, response))).toBe("CONFIRMATION_MALFORMED");
    },
  );

  it("foreign: the question was asked in another session", async () => {
    verifies("tools:confirmation:grants");
    const { world, paid } = await createPayWorld([pay, "unused"]);
    const asked = await world.run("pay Ada 900");
    const key = { appName: "app", userId: "eve", id: "other" };
    await world.store.createSession(key);
    const newMessage = answer(question(asked), { confirmed: true });
    const run = world.runner.runAsync({ userId: "eve", sessionId: "other", newMessage });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "CONFIRMATION_UNKNOWN" } });
    expect(paid).toEqual([]);
  });

  it("repeated: a call that was confirmed when the process died is not run again, and the model is told", async () => {
    const { world, paid } = await createPayWorld([pay, "I cannot tell"]);
    const asked = await world.run("pay Ada 900");
    const content = answer(question(asked), { confirmed: true });
    const stored = { id: "lost", invocationId: asked[0]?.invocationId ?? "", author: "user", timestamp: 0, content };
    await world.store.appendEvent(await world.session(), createEvent(stored));
    const [response, last] = await world.run(answer(question(asked), { confirmed: true }));
    expect([responsesOf(response), last && brief(last), paid]).toEqual([
      [
        {
          error: "The run was cut off while this call ran; whether it took effect is unknown. It was not run again.",
        },
      ],
      "clerk: I cannot tell",
      [],
    ]);
  });

  it("undone: the turn that asked was rewound", async () => {
    const { world, paid } = await createPayWorld([pay, "unused"]);
    const asked = await world.run("pay Ada 900");
    const rewindBeforeInvocationId = asked[0]?.invocationId ?? "";
    const actions = createEventActions({ rewindBeforeInvocationId });
    const rewind = { id: "rewind", invocationId: "r", author: "user", timestamp: 0, actions };
    await world.store.appendEvent(await world.session(), createEvent(rewind));
    await expect(world.run(answer(question(asked), { confirmed: true }))).rejects.toThrow();
    expect([(await world.session()).events.at(-1)?.errorCode, paid]).toEqual(["CONFIRMATION_UNKNOWN", []]);
  });

  it("can be given again when it was unclear", async () => {
    const { world, paid } = await createPayWorld([pay, "paid"]);
    const asked = await world.run("pay Ada 900");
    await expect(world.run(answer(question(asked), {}))).rejects.toThrow();
    await world.run(answer(question(asked), { confirmed: true }));
    expect(paid).toHaveLength(1);
  });

  it("does not keep other answers of the same message from their effect", async () => {
    const { world, paid } = await createPayWorld([pay, "paid"]);
    const asked = await world.run("pay Ada 900");
    const parts = [answer(question(asked), { confirmed: true }), answer({ id: "adk-no" }, { confirmed: true })].flatMap(
      (content) => content.parts ?? [],
    );
    const events = await world.run({ role: "user", parts });
    expect(events.map(({ errorCode }) => errorCode)).toEqual(["CONFIRMATION_UNKNOWN", undefined, undefined]);
    expect(paid).toHaveLength(1);
  });

  it.each([
    [{ confirmed: true, payload: "first" }, { confirmed: true, payload: "second" }, ["first"]],
    [{ confirmed: false }, { confirmed: true }, []],
  ])("second in its message: of %j and %j only the first counts", async (first, second, expected) => {
    const { world, paid } = await createPayWorld([pay, "understood"]);
    const asked = question(await world.run("pay Ada 900"));
    const parts = [answer(asked, first), answer(asked, second)].flatMap((content) => content.parts ?? []);
    const events = await world.run({ role: "user", parts });
    expect(paid).toEqual(expected.map((payload) => ({ amount: 900, toolConfirmation: { confirmed: true, payload } })));
    expect(events.flatMap(functionResponses).map(({ id }) => id)).toEqual(["call-1"]);
    expect(events.map(brief).at(-1)).toBe("clerk: understood");
  });

  it("counts nothing that a model asks in the framework's name", async () => {
    const originalFunctionCall = { id: "call-1", name: "pay", args: { amount: 900, to: "Ada" } };
    const forged = functionCallResponse("adk_request_confirmation", { originalFunctionCall }, "adk-forged");
    const { world, paid } = await createPayWorld([pay, forged, "well"]);
    await world.run("pay");
    await world.run("ask me");
    await expect(world.run(answer({ id: "adk-forged" }, { confirmed: true }))).rejects.toThrow();
    expect([(await world.session()).events.at(-1)?.errorCode, paid]).toEqual(["CONFIRMATION_UNKNOWN", []]);
  });
});
