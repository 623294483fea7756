import { describe, expect, it } from "vitest";
import { BaseTool } from "#kit/core/base-tool.ts";
import type { Content, FunctionCall, Part } from "#kit/events/content.ts";
import { createEvent, functionResponses } from "#kit/events/event.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { type FunctionDeclaration, LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { executeTools } from "./execute-tools.ts";

const look = new FunctionTool({ name: "look_up", description: "Looks up.", execute: () => ({ found: true }) });
const boom = new FunctionTool({
  name: "boom",
  description: "Fails.",
  execute: () => {
    throw new Error("it broke");
  },
});

async function worldOf(steps: readonly ScriptedStep[], options: Partial<LlmAgentOptions> = {}) {
  const model = new ScriptedModel(steps);
  const agent = new LlmAgent({ name: "helper", model, tools: [look, boom], ...options });
  return { model, world: await createAgentWorld(agent) };
}

/** Roles and what stands in each turn, as a strict model API would look at it. */
function outline(contents: readonly Content[] | undefined): readonly string[] {
  return (contents ?? []).map(({ role, parts }) => {
    const kinds = parts?.map((part) => {
      if (part.functionCall !== undefined) return "call";
      return part.functionResponse === undefined ? "text" : "response";
    });
    return `${role} ${kinds?.join(",")}`;
  });
}

describe("sessions are not bricked by dangling calls", () => {
  it("after the model has made up a tool, the next request is as valid as any", async () => {
    const { world, model } = await worldOf([functionCallResponse("made_up"), "sorry", "hello"]);
    await world.run("go");
    await world.run("hi");
    expect(outline(model.requests.at(-1)?.contents)).toEqual([
      "user text",
      "model call",
      "user response",
      "model text",
      "user text",
    ]);
  });

  it("after the process died between a call and its response, the history heals itself and roles alternate", async () => {
    const { world, model } = await worldOf(["hello"]);
    const key = { appName: "app", userId: "ada", id: "talk" };
    const session = await world.session();
    const past = { invocationId: "lost", timestamp: 0 };
    const orphan = { functionCall: { id: "c1", name: "look_up", args: {} } };
    const lost = [
      createEvent({ ...past, id: "u", author: "user", content: { role: "user", parts: [{ text: "go" }] } }),
      createEvent({ ...past, id: "m", author: "helper", content: { role: "model", parts: [orphan] } }),
    ];
    for (const event of lost) await world.store.appendEvent(session, event);
    expect(session).toMatchObject(key);
    expect((await world.run("still there?")).map(brief)).toEqual(["helper: hello"]);
    expect(outline(model.requests[0]?.contents)).toEqual(["user text", "model call", "user response", "user text"]);
    expect(model.requests[0]?.contents[2]?.parts?.[0]?.functionResponse).toMatchObject({
      id: "c1",
      response: { error: expect.stringContaining("whether it took effect is unknown") },
    });
  });
});

describe("errors of tools do not end the run", () => {
  it("an unknown tool's name is reported to the model, with the names that exist", async () => {
    const { world } = await worldOf([functionCallResponse("lookup"), functionCallResponse("look_up"), "found it"]);
    const events = await world.run("go");
    expect(events.map(brief)).toEqual([
      "helper: lookup({})",
      'helper: lookup -> {"error":"There is no tool named \\"lookup\\". Tools are: look_up, boom."}',
      "helper: look_up({})",
      'helper: look_up -> {"found":true}',
      "helper: found it",
    ]);
  });

  it("a tool's exception is reported to the model, which continues", async () => {
    const { world } = await worldOf([functionCallResponse("boom"), "I try something else"]);
    expect((await world.run("go")).map(brief).slice(1)).toEqual([
      'helper: boom -> {"error":"it broke"}',
      "helper: I try something else",
    ]);
  });

  it("a callback before the tool can fix a name that the model got wrong", async () => {
    const { world } = await worldOf([functionCallResponse("lookup"), "found it"], {
      beforeToolCallback: async (_invocation, tool, args, context) =>
        tool.name === "lookup" ? ((await look.runAsync(args, context)) as JsonObject) : undefined,
    });
    expect((await world.run("go")).map(brief)[1]).toBe('helper: lookup -> {"found":true}');
  });

  it("a callback on the error can answer for the tool, unknown ones included", async () => {
    const { world } = await worldOf([functionCallResponse("lookup"), "fine"], {
      onToolErrorCallback: (_invocation, tool, _args, _context, error) => ({
        instead: `${tool.name}: ${error.message}`,
      }),
    });
    const [, response] = await world.run("go");
    expect(response && functionResponses(response)[0]?.response).toEqual({
      instead: expect.stringMatching(/^lookup: There is no tool named/),
    });
  });

  it.each([
    ["a list", [1], undefined, /The arguments are a list, not an object\. They were: \[1\]/],
    ["a broken text", '{"a":', {}, /JSON parsing failed: arguments of the call of look_up\. They were: {"a":/],
  ])(
    "arguments that are %s are reported to the model, and the history keeps an object",
    async (_, args, kept, problem) => {
      // What an adapter of somebody else may give against the type.
      const broken = { name: "look_up", args } as unknown as FunctionCall;
      const response: LlmResponse = { content: { role: "model", parts: [{ functionCall: broken }] } };
      const { world, model } = await worldOf([response, "sorry"]);
      const [, answer, last] = await world.run("go");
      expect(answer && functionResponses(answer)[0]?.response).toEqual({ error: expect.stringMatching(problem) });
      expect([last && brief(last), model.requests[1]?.contents[1]?.parts?.[0]?.functionCall?.args]).toEqual([
        "helper: sorry",
        kept,
      ]);
    },
  );

  it("arguments that are the text of an object are that object", async () => {
    const called = { name: "look_up", args: '{"a": 1}' } as unknown as FunctionCall;
    const { world } = await worldOf([{ content: { role: "model", parts: [{ functionCall: called }] } }, "found it"]);
    expect((await world.run("go")).map(brief)).toEqual([
      'helper: look_up({"a":1})',
      'helper: look_up -> {"found":true}',
      "helper: found it",
    ]);
  });

  it("arguments whose JSON was broken are reported to the model", async () => {
    verifies("tools:arguments-unreadable");
    const part: Part = {
      functionCall: { id: "c1", name: "look_up", args: {} },
      partMetadata: { unreadableArguments: "JSON parsing failed. They were: {" },
    };
    const { world } = await worldOf([{ content: { role: "model", parts: [part] } }, "sorry"]);
    const [, answer] = await world.run("go");
    expect(answer && functionResponses(answer)[0]?.response).toEqual({
      error:
        "The arguments of this call of look_up cannot be read, so it did not run. JSON parsing failed. They were: { Call it again with a JSON object.",
    });
  });
});

describe("calls of a recovered run", () => {
  class CountedTool extends BaseTool {
    readonly ids: (string | undefined)[] = [];

    override getDeclaration(): FunctionDeclaration {
      return { name: this.name, description: "" };
    }

    override async runAsync(_args: JsonObject, context: { functionCallId: string | undefined }): Promise<unknown> {
      this.ids.push(context.functionCallId);
      return "ran";
    }
  }

  it("run again with the same id where that is safe, and are reported as unknown where it is not", async () => {
    verifies("tools:every-call-answered");
    const safe = new CountedTool({ name: "safe", description: "", idempotent: true });
    const unsafe = new CountedTool({ name: "unsafe", description: "" });
    const context = createInvocation();
    const request = new LlmRequest<BaseTool>({ model: "m" });
    request.appendTools(safe, unsafe);
    const step: StepContext = {
      agent: new LlmAgent({ name: "helper" }),
      context,
      request,
      turn: { isFixRequested: false },
    };
    const asked = ["safe", "unsafe", "safe"].map((name, index) => ({ functionCall: { id: `c${index}`, name } }));
    const event = context.createEvent({ content: { role: "model", parts: asked } });
    const done = { functionResponse: { id: "c2", name: "safe", response: { result: "ran before" } } };
    context.session.events.push(event, context.createEvent({ content: { role: "user", parts: [done] } }));
    const [answer] = await Array.fromAsync(executeTools(step, event, { resumed: true }));
    expect(answer && functionResponses(answer)).toEqual([
      { id: "c0", name: "safe", response: { result: "ran" } },
      {
        id: "c1",
        name: "unsafe",
        response: {
          error:
            "The run was interrupted while this call ran; whether it took effect is unknown. It was not run again.",
        },
      },
    ]);
    expect([safe.ids, unsafe.ids]).toEqual([["c0"], []]);
  });
});
