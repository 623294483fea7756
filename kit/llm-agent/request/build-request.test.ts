import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseTool, type ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** Changes the request and cannot be called. */
class Reminder extends BaseTool {
  seen: unknown;

  constructor() {
    super({ name: "reminder", description: "" });
  }

  override processLlmRequest(_context: ToolContext, request: ToolLlmRequest): void {
    const dataLength = request.contents[0]?.parts?.[1]?.inlineData?.data?.length;
    this.seen = [request.contents.length, dataLength, request.config.responseMimeType, [...request.tools.keys()]];
    request.appendInstructions("REMINDER");
  }

  override async runAsync(): Promise<unknown> {
    return undefined;
  }
}

describe("the request of a step", () => {
  it("is made of instructions, identity, history, output schema, transfer and tools, in this order", async () => {
    verifies("what-the-service-does:request-processor-order", "what-the-service-does:prompt-assembly");
    const model = new ScriptedModel(['{"a":0}', '{"a":1}'], { supportsOutputSchemaWithTools: true });
    const reminder = new Reminder();
    const add = new FunctionTool({ name: "add", description: "Adds.", execute: () => 1 });
    const root = new LlmAgent({
      name: "root",
      model,
      globalInstruction: "GLOBAL",
      instruction: "OWN",
      description: "Helps.",
      outputSchema: z.object({ a: z.number() }),
      tools: [reminder, add],
      subAgents: [new LlmAgent({ name: "child", description: "Knows more." })],
    });
    const world = await createAgentWorld(root);
    const picture = { mimeType: "image/png", data: Buffer.alloc(300 * 1024).toString("base64") };
    await world.run({ role: "user", parts: [{ text: "one" }, { inlineData: picture }] });
    await world.run("two");
    const { systemInstruction = "", contents, functionDeclarations } = model.requests[1] ?? {};
    const places = ["GLOBAL", "OWN", 'name is "root"', "Agent name: child", "REMINDER"].map((text) =>
      systemInstruction.indexOf(text),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(contents?.map(({ parts }) => parts?.[0]?.text)).toEqual(["one", '{"a":0}', "two"]);
    expect(contents?.[0]?.parts?.[1]?.inlineData).toEqual(picture);
    expect(JSON.stringify((await world.session()).events)).not.toContain(picture.data);
    expect(functionDeclarations?.map(({ name }) => name)).toEqual(["transfer_to_agent", "add"]);
    expect(reminder.seen).toEqual([3, picture.data.length, "application/json", ["transfer_to_agent"]]);
  });

  it("takes an instruction from a function of the context, and its text as it is", async () => {
    verifies("records:instruction:provider");
    const model = new ScriptedModel(["hi", "hi"]);
    const agent = new LlmAgent({
      name: "helper",
      model,
      instruction: async (context) => `${context.agentName} for ${context.userId}, turn of {mood}.`,
      globalInstruction: { kind: "provider", provide: ({ readonlyState }) => `Mood: ${readonlyState["mood"]}.` },
    });
    const world = await createAgentWorld(agent, { state: { mood: "calm" } });
    await world.run("hello");
    await world.run("hello", {}, { mood: "gay" });
    expect(model.requests.map(({ systemInstruction }) => systemInstruction.split("\n\n").slice(0, 2))).toEqual([
      ["Mood: calm.", "helper for ada, turn of {mood}."],
      ["Mood: gay.", "helper for ada, turn of {mood}."],
    ]);
  });

  it("takes an instruction as text, bare or as a record", async () => {
    verifies("records:instruction:static", "records:instruction:state-templates");
    const model = new ScriptedModel(["hi", "hi"]);
    for (const instruction of ["Be {mood}.", { kind: "static", text: "Be {mood}." } as const]) {
      const world = await createAgentWorld(new LlmAgent({ name: "helper", model, instruction }), {
        state: { mood: "kind" },
      });
      await world.run("hello");
    }
    expect(model.requests.map(({ systemInstruction }) => systemInstruction.split("\n\n")[0])).toEqual([
      "Be kind.",
      "Be kind.",
    ]);
  });
});

describe("the loop of an agent", () => {
  it("calls a model or a tool only when the store has what led to it, as plugins left it", async () => {
    verifies("what-the-service-does:run-loop-persist-barrier");
    const stored: string[][] = [];
    const look = async (): Promise<string> => {
      const { events } = await world.session();
      stored.push(events.map(({ author, content }) => `${author} ${Object.keys(content?.parts?.[0] ?? {})[0]}`));
      return "seen";
    };
    const tool = new FunctionTool({ name: "look", description: "Looks.", execute: look });
    const model = new ScriptedModel([
      async () => {
        await look();
        return functionCallResponse("look");
      },
      async () => {
        await look();
        return "done";
      },
    ]);
    const marked: string[] = [];
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [tool] }), {
      plugins: [
        {
          name: "marks",
          onEventCallback: async (_context, { author, id }) => {
            const isStored = (await world.session()).events.some((event) => event.id === id);
            marked.push(`${author} ${stored.length} ${isStored}`);
          },
        },
      ],
    });
    await world.run("go");
    expect(stored).toEqual([
      ["user text"],
      ["user text", "helper functionCall"],
      ["user text", "helper functionCall", "helper functionResponse"],
    ]);
    // Plugins get each event before it is stored, and the event is found only by the next request.
    expect(marked).toEqual(["helper 1 false", "helper 2 false", "helper 3 false"]);
  });
});
