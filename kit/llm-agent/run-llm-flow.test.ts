import { describe, expect, it } from "vitest";
import { z } from "zod";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { SequentialAgent } from "../agents/sequential-agent.ts";
import { LlmCallLimitExceededError } from "../errors/kit-errors.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep, streamedText } from "../testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "../tools/function-tool.ts";
import { LlmAgent } from "./llm-agent.ts";

const add = new FunctionTool({
  name: "add",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const boom = new FunctionTool({
  name: "boom",
  description: "Fails.",
  execute: () => {
    throw new Error("it broke");
  },
});

function agentWith(model: ScriptedModel, options: Partial<ConstructorParameters<typeof LlmAgent>[0]> = {}): LlmAgent {
  return new LlmAgent({ name: "helper", model, tools: [add, boom], ...options });
}

describe("the loop of an LLM agent", () => {
  it("answers", async () => {
    verifies("what-the-service-does:kit-llm-agent", "event:author:user", "agents:llm:model", "agents:llm:instruction");
    const model = new ScriptedModel(["hello"]);
    const world = await createAgentWorld(agentWith(model, { instruction: "Be kind to {name}." }), {
      state: { name: "Ada" },
    });
    expect((await world.run("hi")).map(brief)).toEqual(["helper: hello"]);
    expect(model.requests[0]?.systemInstruction).toContain("Be kind to Ada.");
    expect((await world.session()).events.map(brief)).toEqual(["user: hi", "helper: hello"]);
  });

  it("keeps a state key named __proto__ as data", async () => {
    const tool = new FunctionTool({
      name: "write",
      description: "Writes.",
      execute: (_args, context) => context.state.set("__proto__", { polluted: true }),
    });
    const world = await createAgentWorld(
      agentWith(new ScriptedModel([functionCallResponse("write"), "ok"]), { tools: [tool] }),
    );
    const [, answer] = await world.run("go");
    expect(Object.entries(answer?.actions.stateDelta ?? {})).toEqual([["__proto__", { polluted: true }]]);
    expect(Object.entries((await world.session()).state)).toEqual([["__proto__", { polluted: true }]]);
  });

  it("runs a tool and passes its result to the model", async () => {
    verifies("tools:function:wraps", "what-the-service-does:kit-function-tool", "agents:llm:tools");
    const model = new ScriptedModel([functionCallResponse("add", { a: 2, b: 3 }), "five"]);
    const world = await createAgentWorld(agentWith(model));
    expect((await world.run("sum")).map(brief)).toEqual([
      'helper: add({"a":2,"b":3})',
      'helper: add -> {"result":5}',
      "helper: five",
    ]);
    expect(model.requests[1]?.contents.map((content) => content.role)).toEqual(["user", "model", "user"]);
  });

  it("gives calls that came without an id one, and the answer carries it", async () => {
    const world = await createAgentWorld(
      agentWith(new ScriptedModel([functionCallResponse("add", { a: 1, b: 1 }), "ok"])),
    );
    const [call, answer] = await world.run("sum");
    const id = call?.content?.parts?.[0]?.functionCall?.id;
    expect(id).toMatch(/^adk-/);
    expect(answer?.content?.parts?.[0]?.functionResponse?.id).toBe(id);
  });

  it("reports wrong arguments, unknown tools and tools that fail to the model, and continues", async () => {
    verifies("tools:function:arguments-validated", "tools:function:errors", "tools:unknown");
    const calls: ScriptedStep = {
      content: {
        role: "model",
        parts: [
          { functionCall: { name: "add", args: { a: "x", b: 1 } } },
          { functionCall: { name: "nope", args: {} } },
          { functionCall: { name: "boom", args: {} } },
        ],
      },
    };
    const world = await createAgentWorld(agentWith(new ScriptedModel([calls, "sorry"])));
    const [, answers, last] = await world.run("go");
    expect(answers?.content?.parts?.map((part) => part.functionResponse?.response)).toEqual([
      { error: expect.stringMatching(/Wrong arguments for add: a: /) },
      { error: 'There is no tool named "nope". Tools are: add, boom.' },
      { error: "it broke" },
    ]);
    expect(last && brief(last)).toBe("helper: sorry");
  });

  it.each([undefined, "NONE", "PARALLEL", "PARALLEL_SUBSCRIBE", "SEQUENTIAL"] as const)(
    "answers calls in their order when run %s",
    async (toolExecutionMode) => {
      verifies(
        "tools:parallel-order",
        "configuration:tool-execution-mode:values",
        "configuration:run-config:tool-execution-mode",
      );
      const inParallel = toolExecutionMode !== "SEQUENTIAL";
      const order: string[] = [];
      const gates = new Map([
        ["slow", Promise.withResolvers<void>()],
        ["fast", Promise.withResolvers<void>()],
      ]);
      const wait = new FunctionTool({
        name: "wait",
        description: "Waits.",
        parameters: z.object({ tag: z.string() }),
        execute: async ({ tag }) => {
          order.push(`begin ${tag}`);
          if (inParallel && tag === "fast") gates.get("slow")?.resolve();
          if (inParallel && tag === "slow") await gates.get("slow")?.promise;
          order.push(`end ${tag}`);
          return tag;
        },
      });
      const calls = {
        content: {
          role: "model",
          parts: [
            { functionCall: { name: "wait", args: { tag: "slow" } } },
            { functionCall: { name: "wait", args: { tag: "fast" } } },
          ],
        },
      };
      const world = await createAgentWorld(agentWith(new ScriptedModel([calls, "ok"]), { tools: [wait] }));
      const [, answers] = await world.run("go", { ...(toolExecutionMode && { toolExecutionMode }) });
      expect(answers?.content?.parts?.map((part) => part.functionResponse?.response)).toEqual([
        { result: "slow" },
        { result: "fast" },
      ]);
      expect(order).toEqual(
        inParallel
          ? ["begin slow", "begin fast", "end fast", "end slow"]
          : ["begin slow", "end slow", "begin fast", "end fast"],
      );
    },
  );

  it("streams chunks and then the complete answer, and stores only the complete answer", async () => {
    verifies("event:field:partial", "configuration:run-config:streaming-mode");
    const world = await createAgentWorld(agentWith(new ScriptedModel([streamedText("he", "llo")])));
    const events = await world.run("hi", { streamingMode: StreamingMode.SSE });
    expect(events.map(brief)).toEqual(["helper~: he", "helper~: llo", "helper: hello"]);
    expect((await world.session()).events.map(brief)).toEqual(["user: hi", "helper: hello"]);
  });

  it("keeps the final text in the state, where the next agent's instruction finds it", async () => {
    verifies("what-the-service-does:kit-sequential-agent", "agents:llm:output-key", "agents:sequential");
    const second = new ScriptedModel(["done"]);
    const pipeline = new SequentialAgent({
      name: "pipeline",
      subAgents: [
        new LlmAgent({ name: "outline", model: new ScriptedModel(["three points"]), outputKey: "outline" }),
        new LlmAgent({ name: "draft", model: second, instruction: "Write from: {outline}" }),
      ],
    });
    const world = await createAgentWorld(pipeline);
    expect((await world.run("write")).map(brief)).toEqual(["outline: three points", "draft: done"]);
    expect(second.requests[0]?.systemInstruction).toContain("Write from: three points");
    expect((await world.session()).state).toEqual({ outline: "three points" });
  });

  it("keeps structured output as a value and sends the schema", async () => {
    verifies("agents:llm:output-key");
    const model = new ScriptedModel(['{"city":"Rome"}']);
    const agent = agentWith(model, { tools: [], outputSchema: z.object({ city: z.string() }), outputKey: "place" });
    const world = await createAgentWorld(agent);
    await world.run("where");
    expect(model.requests[0]?.config["responseSchema"]).toMatchObject({ type: "object", required: ["city"] });
    expect((await world.session()).state).toEqual({ place: { city: "Rome" } });
  });

  it.each([
    ['```json\n{"city":"Rome"}\n```', { city: "Rome" }],
    ['\n```\n{"city":"Rome"}\n```\n', { city: "Rome" }],
  ])("takes structured output out of a code block: %j", async (text, place) => {
    verifies("agents:llm:output-key");
    const agent = agentWith(new ScriptedModel([text]), {
      tools: [],
      outputSchema: z.object({ city: z.string() }),
      outputKey: "place",
    });
    const world = await createAgentWorld(agent);
    expect((await world.run("where")).map(brief)).toEqual([`helper: ${text}`]);
    expect((await world.session()).state).toEqual({ place });
  });

  it("gives the chunks of an answer the id of the event that they become", async () => {
    verifies("wire:sse:partial-events");
    const world = await createAgentWorld(agentWith(new ScriptedModel([streamedText("he", "llo")]), { tools: [] }));
    const events = await world.run("hi", { streamingMode: StreamingMode.SSE });
    expect(events.map(brief)).toEqual(["helper~: he", "helper~: llo", "helper: hello"]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
  });

  it("keeps a final text before it runs the tools of the same answer, and hands over after them", async () => {
    verifies("what-the-service-does:response-processor-order");
    const order: string[] = [];
    const say = (text: string, name: string, args: object = {}) => ({
      content: { role: "model", parts: [{ text }, { functionCall: { name, args: { ...args } } }] },
    });
    const job = new LongRunningFunctionTool({
      name: "job",
      description: "Starts a job.",
      execute: (_args, { state }) => void order.push(`job sees ${state.get("said")}`),
    });
    const finalWithCall = new ScriptedModel([say("in progress", "job", {})]);
    const first = new LlmAgent({ name: "first", model: finalWithCall, tools: [job], outputKey: "said" });
    await (await createAgentWorld(first)).run("go");

    const noted = new FunctionTool({ name: "note", description: "Notes.", execute: () => void order.push("note") });
    const both: ScriptedStep = {
      content: {
        role: "model",
        parts: [
          { functionCall: { name: "transfer_to_agent", args: { agent_name: "child" } } },
          { functionCall: { name: "note", args: {} } },
        ],
      },
    };
    const child = new LlmAgent({
      name: "child",
      model: new ScriptedModel([
        () => {
          order.push("child");
          return "here";
        },
      ]),
    });
    const root = new LlmAgent({ name: "root", model: new ScriptedModel([both]), tools: [noted], subAgents: [child] });
    await (await createAgentWorld(root)).run("go");
    expect(order).toEqual(["job sees in progress", "note", "child"]);
  });

  it("stops at a long-running call that says nothing yet, and takes the answer up later", async () => {
    verifies(
      "tools:function:long-running",
      "what-the-service-does:kit-long-running-function-tool",
      "event:field:long-running-tool-ids",
    );
    const job = new LongRunningFunctionTool({ name: "job", description: "Starts a job.", execute: () => undefined });
    const model = new ScriptedModel([functionCallResponse("job", {}, "call-1"), "finished"]);
    const world = await createAgentWorld(agentWith(model, { tools: [job] }));
    const [call] = await world.run("start");
    expect(call?.longRunningToolIds).toEqual(["call-1"]);
    expect((await world.store.list({})).runs[0]?.status).toBe("awaiting_input");
    const answer = {
      role: "user",
      parts: [{ functionResponse: { id: "call-1", name: "job", response: { ok: true } } }],
    };
    expect((await world.run(answer)).map(brief)).toEqual(["helper: finished"]);
  });

  it("hands over to a sub-agent, which stays, and back to the parent", async () => {
    verifies("event-actions:transfer-to-agent", "agents:llm:transfer");
    const billing = new LlmAgent({
      name: "billing",
      description: "Knows invoices.",
      model: new ScriptedModel([
        "billing here",
        "still billing",
        functionCallResponse("transfer_to_agent", { agent_name: "boss" }),
      ]),
    });
    const bossModel = new ScriptedModel([
      functionCallResponse("transfer_to_agent", { agent_name: "billing" }),
      "boss again",
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "boss", model: bossModel, subAgents: [billing] }));
    expect((await world.run("invoice?")).map(brief)).toEqual([
      'boss: transfer_to_agent({"agent_name":"billing"})',
      'boss: transfer_to_agent -> {"result":null}',
      "billing: billing here",
    ]);
    expect((await world.session()).events[2]?.actions.transferToAgent).toBe("billing");
    expect((await world.run("more")).map(brief)).toEqual(["billing: still billing"]);
    expect((await world.run("boss please")).at(-1)).toMatchObject({ author: "boss" });
    expect(bossModel.requests[0]?.systemInstruction).toContain(
      "Agent name: billing\nAgent description: Knows invoices.",
    );
  });

  it.each([
    ["disallowTransferToParent", ["peer"]],
    ["disallowTransferToPeers", ["boss"]],
  ] as const)("offers no transfer that %s forbids", async (flag, allowed) => {
    verifies("agents:llm:disallow-transfer-to-parent", "agents:llm:disallow-transfer-to-peers");
    const model = new ScriptedModel(["hi"]);
    const child = new LlmAgent({ name: "child", model, [flag]: true });
    const peer = new LlmAgent({ name: "peer", model: new ScriptedModel([]) });
    const bossModel = new ScriptedModel([functionCallResponse("transfer_to_agent", { agent_name: "child" })]);
    const world = await createAgentWorld(new LlmAgent({ name: "boss", model: bossModel, subAgents: [child, peer] }));
    await world.run("go");
    const [declaration] = model.requests[0]?.functionDeclarations ?? [];
    expect(declaration?.parameters).toMatchObject({ properties: { agent_name: { enum: allowed } } });
  });

  it("reports a transfer to an unknown or disallowed agent to the model", async () => {
    verifies("agents:llm:transfer");
    const model = new ScriptedModel([functionCallResponse("transfer_to_agent", { agent_name: "ghost" }), "I stay"]);
    const child = new LlmAgent({ name: "child", model: new ScriptedModel([]) });
    const world = await createAgentWorld(new LlmAgent({ name: "boss", model, subAgents: [child] }));
    expect((await world.run("go")).map(brief).slice(1)).toEqual([
      'boss: transfer_to_agent -> {"error":"There is no agent \\"ghost\\" to hand over to. Choose one of: child."}',
      "boss: I stay",
    ]);
  });

  it("sends only the current turn when the agent asks for no more", async () => {
    verifies(
      "enumerations:include-contents:none",
      "agents:llm:include-contents",
      "enumerations:include-contents:default",
    );
    const secondRequestOf = async (includeContents: "DEFAULT" | "NONE") => {
      const model = new ScriptedModel(["one", "two"]);
      const world = await createAgentWorld(agentWith(model, { includeContents }));
      await world.run("first");
      await world.run("second");
      return model.requests[1]?.contents.map(({ parts }) => parts?.[0]?.text);
    };
    expect(await secondRequestOf("NONE")).toEqual(["second"]);
    expect(await secondRequestOf("DEFAULT")).toEqual(["first", "one", "second"]);
  });

  it("ends with a stored event when the model calls are used up", async () => {
    verifies(
      "configuration:run-config:llm-call-limit",
      "limits:llm-calls",
      "limits:llm-calls:increment",
      "errors:llm-call-limit",
      "errors:class-names",
    );
    const model = new ScriptedModel([functionCallResponse("add", { a: 1, b: 1 })], { repeatLast: true });
    const world = await createAgentWorld(agentWith(model));
    await expect(world.run("loop", { maxLlmCalls: 3 })).rejects.toBeInstanceOf(LlmCallLimitExceededError);
    expect(model.callCount).toBe(3);
    expect((await world.session()).events.at(-1)).toMatchObject({
      author: "helper",
      errorCode: "LLM_CALL_LIMIT_EXCEEDED",
    });
  });

  it("ends with a stored event when the model fails, and the next turn works", async () => {
    verifies("errors:model:event");
    const world = await createAgentWorld(agentWith(new ScriptedModel([new Error("no luck"), "fine"])));
    await expect(world.run("a")).rejects.toThrow("no luck");
    expect((await world.session()).events.map(brief)).toEqual(["user: a", "helper: ! INTERNAL: Error: no luck"]);
    expect((await world.run("b")).map(brief)).toEqual(["helper: fine"]);
  });

  it("says so when a stream ends without an answer", async () => {
    const pieces = streamedText("half").slice(0, 1);
    const world = await createAgentWorld(agentWith(new ScriptedModel([pieces])));
    const events = await world.run("a", { streamingMode: StreamingMode.SSE });
    expect(events.at(-1)).toMatchObject({ errorCode: "MODEL_RETURNED_NO_CONTENT" });
  });

  it("keeps the root's global instruction for all agents", async () => {
    verifies("agents:llm:global-instruction");
    const model = new ScriptedModel(["hi"]);
    const child = new LlmAgent({ name: "child", model, instruction: "Own." });
    const bossModel = new ScriptedModel([functionCallResponse("transfer_to_agent", { agent_name: "child" })]);
    const root = new LlmAgent({
      name: "boss",
      model: bossModel,
      globalInstruction: "Everyone: be brief.",
      subAgents: [child],
    });
    const world = await createAgentWorld(root);
    await world.run("go");
    expect(model.requests[0]?.systemInstruction).toMatch(/^Everyone: be brief\.\n\nOwn\./);
  });

  it("passes the generation config on without sharing it", async () => {
    verifies("agents:llm:generate-content-config");
    const model = new ScriptedModel(["hi"]);
    const generateContentConfig = { temperature: 0.2 };
    const agent = agentWith(model, {
      generateContentConfig,
      beforeModelCallback: (_context, request) => void (request.config = { ...request.config, topK: 3 }),
    });
    const world = await createAgentWorld(agent);
    await world.run("go");
    expect(model.requests[0]?.config).toEqual({ temperature: 0.2, topK: 3 });
    expect(generateContentConfig).toEqual({ temperature: 0.2 });
  });
});
