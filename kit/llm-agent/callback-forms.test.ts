import { describe, expect, it } from "vitest";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { modelContent, textOf } from "#kit/events/content.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "../testing/scripted-model.ts";
import { LlmAgent } from "./llm-agent.ts";

const echo = new FunctionTool({
  name: "echo",
  description: "Echoes.",
  parameters: { type: "object" },
  execute: (args) => args,
});

describe("callbacks that take one object", () => {
  it("of the model get the context and the request, or the response", async () => {
    const seen: unknown[] = [];
    const agent = new LlmAgent({
      name: "desk",
      model: new ScriptedModel(["hello"]),
      beforeModelCallback: ({ context, request }) => {
        context.state.set("asked", request.contents.length);
        request.appendInstructions("Be brief.");
        seen.push([context.agentName, request.systemInstruction]);
      },
      afterModelCallback: ({ context, response }) => {
        seen.push([context.agentName, textOf(response.content)]);
        return { content: modelContent("changed") };
      },
    });
    const [event] = await (await createAgentWorld(agent)).run("hi");
    expect(seen[0]).toEqual(["desk", expect.stringContaining("Be brief.")]);
    expect(seen[1]).toEqual(["desk", "hello"]);
    expect([event?.content, event?.actions.stateDelta]).toEqual([modelContent("changed"), { asked: 1 }]);
  });

  it("of the model get each chunk of a stream", async () => {
    const seen: string[] = [];
    const agent = new LlmAgent({
      name: "desk",
      model: new ScriptedModel([streamedText("a", "b")]),
      afterModelCallback: ({ response }) => void seen.push(textOf(response.content)),
    });
    await (await createAgentWorld(agent)).run("hi", { streamingMode: "SSE" });
    expect(seen).toEqual(["a", "b", "ab"]);
  });

  it("of a tool get the tool, its arguments, its context and its response", async () => {
    const seen: unknown[] = [];
    const agent = new LlmAgent({
      name: "desk",
      model: new ScriptedModel([functionCallResponse("echo", { x: 1 }, "c1"), "done"]),
      tools: [echo],
      beforeToolCallback: ({ tool, args, context }) => {
        args["y"] = 2;
        seen.push([tool.name, context.functionCallId]);
        return undefined;
      },
      afterToolCallback: async ({ tool, args, context, response }) => {
        seen.push([tool.name, args, context.functionCallId, response]);
        return { replaced: true };
      },
    });
    const [, answer] = await (await createAgentWorld(agent)).run("go");
    expect(seen).toEqual([
      ["echo", "c1"],
      ["echo", { x: 1, y: 2 }, "c1", { x: 1, y: 2 }],
    ]);
    expect(answer?.content?.parts?.[0]?.functionResponse?.response).toEqual({ replaced: true });
  });

  it("of tools that run at the same time get their own call each", async () => {
    const seen: unknown[] = [];
    const parts = ["c1", "c2"].map((id) => ({ functionCall: { name: "echo", id, args: { id } } }));
    const agent = new LlmAgent({
      name: "desk",
      model: new ScriptedModel([{ content: { role: "model", parts } }, "done"]),
      tools: [echo],
      afterToolCallback: async (call) => {
        await Promise.resolve();
        seen.push([call.args["id"], call.context.functionCallId, call.response["id"]]);
      },
    });
    await (await createAgentWorld(agent)).run("go");
    expect(seen).toEqual([
      ["c1", "c1", "c1"],
      ["c2", "c2", "c2"],
    ]);
  });

  it("and one parameter still get the invocation, whose turn they can end", async () => {
    const model = new ScriptedModel([functionCallResponse("echo"), "never"]);
    const seen: unknown[] = [];
    const agent = new LlmAgent({
      name: "desk",
      model,
      tools: [echo],
      afterToolCallback: (invocation) => {
        const before = invocation.endInvocation;
        invocation.endInvocation = true;
        const { context } = invocation;
        seen.push(before, context.invocationContext.endInvocation, invocation instanceof InvocationContext);
        seen.push(invocation.session === context.invocationContext.session, invocation.agent === agent);
      },
    });
    await (await createAgentWorld(agent)).run("go");
    expect([seen, model.callCount]).toEqual([[false, true, true, true, true], 1]);
  });

  it("may stand in a list with callbacks that take their arguments in order", async () => {
    const seen: string[] = [];
    const agent = new LlmAgent({
      name: "desk",
      model: new ScriptedModel(["hello"]),
      beforeModelCallback: [
        ({ request }) => void seen.push(`one object ${request.model}`),
        (context: CallbackContext, request) => void seen.push(`in order ${context.agentName} ${request.model}`),
      ],
    });
    await (await createAgentWorld(agent)).run("hi");
    expect(seen).toEqual(["one object scripted", "in order desk scripted"]);
  });
});
