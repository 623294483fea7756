import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { functionCallResponse, streamedText } from "#kit/testing/index.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type AgentWorld, brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { CutWorld } from "#test/helpers/worlds/cut-runs.ts";
import { AgentTool, AgentToolArtifacts, type AgentToolOptions, AgentToolState } from "./agent-tool.ts";
import { FunctionTool, LongRunningFunctionTool } from "./function-tool.ts";

function expert(steps: readonly ScriptedStep[], options: Partial<LlmAgentOptions> = {}): LlmAgent {
  return new LlmAgent({ name: "expert", description: "Knows.", model: new ScriptedModel(steps), ...options });
}

interface Setup {
  readonly world: AgentWorld;
  /** Of the caller. */
  readonly model: ScriptedModel;
}

/** An agent `boss` that calls the tool once with the arguments and then answers "Done." */
async function bossWith(
  options: AgentToolOptions,
  { args = { request: "Why?" }, state }: { args?: JsonObject; state?: JsonObject } = {},
): Promise<Setup> {
  const model = new ScriptedModel([functionCallResponse("expert", args, "call.1"), "Done."], { repeatLast: true });
  const boss = new LlmAgent({ name: "boss", model, tools: [new AgentTool(options)] });
  const world = await createAgentWorld(boss, state === undefined ? {} : { state });
  return { world, model };
}

/** The tool's result in the caller's model requests. */
function toolResponse(model: ScriptedModel): JsonObject | undefined {
  return model.requests[1]?.contents.at(-1)?.parts?.[0]?.functionResponse?.response;
}

const note = new FunctionTool({
  name: "note",
  description: "",
  execute: async (_args, context) => {
    const before = context.state.get("topic") ?? null;
    context.state.set("topic", "clouds");
    await context.saveArtifact("note.txt", { text: "clouds" });
    return { before };
  },
});

const noting = (): LlmAgent => expert([functionCallResponse("note", {}), "Noted."], { tools: [note] });

it("calls another agent: its events are stored and streamed, its answer is the tool's result", async () => {
  verifies("tools:agent", "what-the-service-does:kit-agent-tool");
  const { world, model } = await bossWith({ agent: noting() });

  const events = await world.run("Go.");

  expect(events.map((event) => [event.branch, brief(event)])).toEqual([
    [undefined, 'boss: expert({"request":"Why?"})'],
    ["expert@call_1", "expert: note({})"],
    ["expert@call_1", 'expert: note -> {"before":null}'],
    ["expert@call_1", "expert: Noted."],
    [undefined, 'boss: expert -> {"result":"Noted."}'],
    [undefined, "boss: Done."],
  ]);
  expect((await world.session()).events.slice(1).map(brief)).toEqual(events.map(brief));
  expect(toolResponse(model)).toEqual({ result: "Noted." });
});

it("passes only the arguments to the agent, and only its answer to the caller", async () => {
  const agent = noting();
  const { world, model } = await bossWith({ agent });

  await world.run("A secret of the caller.");
  await world.run("And now?");

  const { requests } = agent.model instanceof ScriptedModel ? agent.model : expect.unreachable();
  expect(requests[0]?.contents).toEqual([{ role: "user", parts: [{ text: "Why?" }] }]);
  expect(requests[1]?.contents.map(({ parts }) => parts?.map((part) => Object.keys(part)[0]))).toEqual([
    ["text"],
    ["functionCall"],
    ["functionResponse"],
  ]);
  expect(JSON.stringify(model.requests.at(-1)?.contents)).not.toContain("note");
});

it("gives each call a view of its own, also in concurrent calls of the same agent", async () => {
  const model = new ScriptedModel([
    {
      content: {
        role: "model",
        parts: ["left", "right"].map((request) => ({
          functionCall: { id: request, name: "expert", args: { request } },
        })),
      },
    },
    "Done.",
  ]);
  const echo: ScriptedStep = (request) => `heard ${request.contents.map(({ parts }) => parts?.[0]?.text).join()}`;
  const agent = expert([], { model: new ScriptedModel([echo], { repeatLast: true }) });
  const world = await createAgentWorld(new LlmAgent({ name: "boss", model, tools: [new AgentTool({ agent })] }));

  const events = await world.run("Go.");

  expect(events.map(brief)).toContain('boss: expert -> {"result":"heard left"} | expert -> {"result":"heard right"}');
});

it("streams the chunks of the agent's answer, and stores none", async () => {
  const { world } = await bossWith({ agent: expert([streamedText("Be", "cause.")]) });

  const events = await world.run("Go.", { streamingMode: StreamingMode.SSE });

  expect(events.filter(({ branch }) => branch !== undefined).map(brief)).toEqual([
    "expert~: Be",
    "expert~: cause.",
    "expert: Because.",
  ]);
  expect((await world.session()).events.some(({ partial }) => partial === true)).toBe(false);
});

it("keeps the chunks to itself if that is configured", async () => {
  const { world } = await bossWith({ agent: expert([streamedText("Be", "cause.")]), streamChunks: false });
  const events = await world.run("Go.", { streamingMode: StreamingMode.SSE });
  expect(events.filter(({ branch }) => branch !== undefined).map(brief)).toEqual(["expert: Because."]);
});

describe("state and artifacts", () => {
  it("are the session's own by default", async () => {
    const { world } = await bossWith({ agent: noting() }, { state: { topic: "sun" } });
    const events = await world.run("Go.");
    expect(events.map(brief)).toContain('expert: note -> {"before":"sun"}');
    const { state } = await world.session();
    expect(state).toEqual({ topic: "clouds" });
    expect(await world.artifacts.listArtifactKeys({ appName: "app", userId: "ada", id: "talk" })).toEqual({
      filenames: ["note.txt"],
    });
  });

  it("can be readable only", async () => {
    const agent = expert([functionCallResponse("note", {}), functionCallResponse("note", {}), "Noted."], {
      tools: [note],
      outputKey: "said",
    });
    const { world } = await bossWith({ agent, state: AgentToolState.READ_ONLY }, { state: { topic: "sun" } });
    const events = await world.run("Go.");
    expect(events.map(brief)).toEqual(
      expect.arrayContaining(['expert: note -> {"before":"sun"}', 'expert: note -> {"before":"clouds"}']),
    );
    expect((await world.session()).state).toEqual({ topic: "sun" });
  });

  it.each([AgentToolState.READ_ONLY, AgentToolState.ISOLATED])(
    "are unchanged for the caller in the rest of its turn, at any depth (%s)",
    async (state) => {
      const spoil = new FunctionTool({
        name: "spoil",
        description: "",
        execute: (_args, context) => {
          const plan = context.state.get("plan");
          // A tool may change what it reads.
          if (isJsonObject(plan)) Object.assign(plan, { city: "Rome" });
          context.state.set("topic", "clouds");
          return {};
        },
      });
      const agent = expert([functionCallResponse("spoil", {}), "Done."], { tools: [spoil], outputKey: "said" });
      const seen: JsonValue[] = [];
      const look = new FunctionTool({
        name: "look",
        description: "",
        execute: (_args, context) => {
          for (const key of ["topic", "plan", "said"]) seen.push(structuredClone(context.state.get(key)) ?? null);
          return {};
        },
      });
      const model = new ScriptedModel([
        functionCallResponse("expert", { request: "Why?" }),
        functionCallResponse("look", {}),
        "Done.",
      ]);
      const boss = new LlmAgent({ name: "boss", model, tools: [new AgentTool({ agent, state }), look] });
      const world = await createAgentWorld(boss, { state: { topic: "sun", plan: { city: "Oslo" } } });
      await world.run("Go.");
      expect(seen).toEqual(["sun", { city: "Oslo" }, null]);
    },
  );

  it.each([AgentToolState.READ_ONLY, AgentToolState.ISOLATED])(
    "are seen by the later agents of the same call (%s)",
    async (state) => {
      const first = new LlmAgent({ name: "first", model: new ScriptedModel(["a draft"]), outputKey: "draft" });
      const model = new ScriptedModel(["Done."]);
      const second = new LlmAgent({ name: "second", model, instruction: "Improve {draft}." });
      const agent = new SequentialAgent({ name: "expert", subAgents: [first, second] });
      const { world } = await bossWith({ agent, state });
      await world.run("Go.");
      expect(model.requests[0]?.systemInstruction).toContain("Improve a draft.");
      expect((await world.session()).state).toEqual({});
    },
  );

  it("can be kept from the agent", async () => {
    const { world } = await bossWith(
      { agent: noting(), state: AgentToolState.ISOLATED, artifacts: AgentToolArtifacts.ISOLATED },
      { state: { topic: "sun" } },
    );
    const events = await world.run("Go.");
    expect(events.map(brief)).toContain('expert: note -> {"before":null}');
    expect((await world.session()).state).toEqual({ topic: "sun" });
    expect(events.flatMap(({ actions }) => Object.keys(actions.artifactDelta))).toEqual([]);
    expect(await world.artifacts.listArtifactKeys({ appName: "app", userId: "ada", id: "talk" })).toEqual({
      filenames: [],
    });
  });
});

describe("schemas", () => {
  const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const outputSchema = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };

  it("of the first and the last agent become those of the call", async () => {
    const first = new LlmAgent({ name: "first", model: new ScriptedModel(["So."]), inputSchema });
    const last = new LlmAgent({ name: "last", model: new ScriptedModel(['{"celsius":21}']), outputSchema });
    const agent = new SequentialAgent({ name: "expert", subAgents: [first, last] });
    const { world, model } = await bossWith({ agent }, { args: { city: "Rome" } });

    await world.run("Go.");

    expect(model.requests[0]?.functionDeclarations).toEqual([
      { name: "expert", description: "", parameters: inputSchema, response: outputSchema },
    ]);
    const { requests } = first.model instanceof ScriptedModel ? first.model : expect.unreachable();
    expect(requests[0]?.contents).toEqual([{ role: "user", parts: [{ text: '{"city":"Rome"}' }] }]);
    expect(toolResponse(model)).toEqual({ celsius: 21 });
  });

  it("are reported to the model when its arguments break them", async () => {
    verifies("agents:llm:input-schema");
    const { world, model } = await bossWith({ agent: expert([], { inputSchema }) }, { args: { town: "Rome" } });
    await world.run("Go.");
    expect(toolResponse(model)).toEqual({
      error: expect.stringMatching(/^Wrong arguments for expert: .*city.*\. Call it again with corrected arguments\.$/),
    });
  });

  it("are reported to the model when the answer breaks them", async () => {
    const { world, model } = await bossWith({ agent: expert(['{"kelvin":294}', '{"kelvin":295}'], { outputSchema }) });
    await world.run("Go.");
    expect(toolResponse(model)).toEqual({
      error: expect.stringMatching(/^expert failed: The answer does not fit the output schema of .*celsius/),
    });
  });
});

it("ends the caller's turn with the answer when it skips the summary", async () => {
  const { world, model } = await bossWith({ agent: expert(["Because."]), skipSummarization: true });
  const events = await world.run("Go.");
  expect(events.map(brief).at(-1)).toBe('boss: expert -> {"result":"Because."}');
  expect(model.callCount).toBe(1);
});

it("reports to the model how the agent failed, and the run continues", async () => {
  const { world, model } = await bossWith({ agent: expert([new Error("no luck")]) });
  const events = await world.run("Go.");
  expect(toolResponse(model)).toEqual({ error: "no luck" });
  expect(brief(events.at(-1) ?? expect.unreachable())).toBe("boss: Done.");
});

it("reports to the model that the agent waits for a person, and leaves no run waiting", async () => {
  const ask = new LongRunningFunctionTool({ name: "ask", description: "", execute: () => undefined });
  const { world, model } = await bossWith({
    agent: expert([functionCallResponse("ask", {}, "q"), "?"], { tools: [ask] }),
  });
  const events = await world.run("Go.");
  expect(toolResponse(model)).toEqual({
    error: "expert called ask. The call waits for a person, and an agent that serves as a tool cannot ask one.",
  });
  expect(events.flatMap(({ longRunningToolIds }) => longRunningToolIds ?? [])).toEqual([]);
  expect(brief(events.at(-1) ?? expect.unreachable())).toBe("boss: Done.");
});

it("asks the user for no confirmation in the agent's name", async () => {
  const wipe = new FunctionTool({ name: "wipe", description: "", requireConfirmation: true, execute: () => "gone" });
  const agent = expert([functionCallResponse("wipe", {}, "w"), "?"], { tools: [wipe] });
  const { world, model } = await bossWith({ agent });
  const events = await world.run("Go.");
  expect(toolResponse(model)).toEqual({
    error: "expert called wipe. The call waits for a person, and an agent that serves as a tool cannot ask one.",
  });
  expect(events.map(brief)).toEqual([
    'boss: expert({"request":"Why?"})',
    "expert: wipe({})",
    expect.stringMatching(/^expert: wipe -> \{"error"/),
    expect.stringMatching(/^boss: expert -> \{"error"/),
    "boss: Done.",
  ]);
  expect(events.flatMap(({ actions }) => Object.keys(actions.requestedToolConfirmations))).toEqual([]);
});

describe("a run that was cut off", () => {
  const count = (): FunctionTool =>
    new FunctionTool({
      name: "count",
      description: "",
      idempotent: true,
      execute: (_args, context) => {
        context.state.set("counted", true);
        return { count: 1 };
      },
    });
  /** Answers only from the history: the process has no other memory of earlier runs. */
  const byHistory = (name: string, args: JsonObject, end: string): ScriptedModel =>
    new ScriptedModel(
      [
        ({ contents }) => {
          const answered = contents.some(({ parts }) => parts?.[0]?.functionResponse !== undefined);
          return answered ? end : functionCallResponse(name, args, `call-${name}`);
        },
      ],
      { repeatLast: true },
    );
  const createBoss = (): LlmAgent => {
    const agent = expert([], { model: byHistory("count", {}, "One."), tools: [count()] });
    const model = byHistory("expert", { request: "How many?" }, "Done.");
    return new LlmAgent({ name: "boss", model, tools: [new AgentTool({ agent })] });
  };
  const shown = (events: readonly Event[]): readonly string[] => events.filter(({ content }) => content).map(brief);

  it("resumes inside the agent, at any depth", async () => {
    const whole = new CutWorld(createBoss);
    const writes = await whole.run("Go.");
    const expected = shown(await whole.events());
    expect(expected).toContain('boss: expert -> {"result":"One."}');
    expect(writes).toBe(expected.length);
    for (let write = 1; write <= writes; write += 1) {
      for (const when of ["before", "after"] as const) {
        const world = new CutWorld(createBoss);
        await world.run("Go.", [{ write, when }]);
        expect(shown(await world.events()), `${when} write ${write}`).toEqual(expected);
        expect((await world.session()).state).toEqual({ counted: true });
      }
    }
  });
});

it("counts the agent's model calls to the limit of the whole invocation", async () => {
  const endless = new ScriptedModel([functionCallResponse("note", {})], { repeatLast: true });
  const { world } = await bossWith({ agent: expert([], { tools: [note], model: endless }) });
  await expect(world.run("Go.", { maxLlmCalls: 4 })).rejects.toThrow("The limit of 4 model calls");
  expect((await world.session()).events.at(-1)?.errorCode).toBe("LLM_CALL_LIMIT_EXCEEDED");
});

it("is watched by the app's plugins unless that is switched off", async () => {
  const seen: string[] = [];
  const watch = {
    name: "watch",
    beforeModelCallback: (context: { readonly agentName: string }) => void seen.push(context.agentName),
  };
  for (const includePlugins of [true, false]) {
    const model = new ScriptedModel([functionCallResponse("expert", { request: "?" }), "Done."]);
    const tool = new AgentTool({ agent: expert(["So."]), includePlugins });
    const world = await createAgentWorld(new LlmAgent({ name: "boss", model, tools: [tool] }), { plugins: [watch] });
    await world.run("Go.");
    seen.push("|");
  }
  expect(seen).toEqual(["boss", "expert", "boss", "|", "boss", "boss", "|"]);
});

it("does not answer the next message", async () => {
  const { world } = await bossWith({ agent: expert(["Because."]) });
  await world.run("Go.");
  const events = await world.run("Thanks.");
  expect(events.map(({ author }) => author)).toEqual(["boss"]);
});

it("is closed with the agent that has it, and closes the agent", async () => {
  let closed = 0;
  const toolset = { getTools: async () => [], close: async () => void (closed += 1) };
  const { world } = await bossWith({ agent: expert([], { tools: [toolset] }) });
  await world.runner.close();
  expect(closed).toBe(1);
});
