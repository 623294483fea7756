import { describe, expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import {
  Agent,
  AgentTool,
  App,
  BaseAgent,
  BaseToolset,
  CallbackContext,
  Context,
  createApp,
  createEvent,
  createEventActions,
  createResumabilityConfig,
  createSession,
  ENTERPRISE_WEB_SEARCH,
  type Event,
  EXIT_LOOP,
  FunctionTool,
  GOOGLE_MAPS_GROUNDING,
  GOOGLE_SEARCH,
  getFunctionCalls,
  getFunctionResponses,
  hasThoughts,
  InMemoryRunner,
  type InvocationContext,
  isAgentTool,
  isApp,
  isBaseAgent,
  isBaseTool,
  isBaseToolset,
  isFinalResponse,
  isFunctionTool,
  isLlmAgent,
  isLoopAgent,
  isParallelAgent,
  isRunner,
  isSequentialAgent,
  LlmAgent,
  LOAD_ARTIFACTS,
  LOAD_MEMORY,
  LoopAgent,
  ParallelAgent,
  PRELOAD_MEMORY,
  pruneThoughts,
  Runner,
  SequentialAgent,
  stringifyContent,
  ToolContext,
  URL_CONTEXT,
} from "./index.ts";

const call = { functionCall: { name: "work", args: {} } };
const answer = { functionResponse: { name: "work", response: {} } };

describe("events by ADK's names", () => {
  it("are created from any of their members", () => {
    const content = modelContent("hi");
    const { id, timestamp, ...rest } = createEvent({ content, actions: { escalate: true } });
    expect(rest).toEqual({
      invocationId: "",
      author: "",
      content,
      actions: { ...createEventActions(), escalate: true },
    });
    expect([id.length, Number.isSafeInteger(timestamp)]).toEqual([36, true]);
    const given = { id: "e1", invocationId: "i1", author: "desk", timestamp: 7, actions: createEventActions() };
    expect(createEvent(given)).toEqual(given);
    expect(createEvent().id).not.toBe(id);
  });

  it("are final unless they are partial, call a function or answer one", () => {
    const event = createEvent({ content: modelContent("hi") });
    const isFinal = (change: Partial<Event>): boolean => isFinalResponse({ ...event, ...change });
    const authRequest = createEventActions({ requestedAuthConfigs: { c1: {} } });
    expect([
      isFinal({}),
      isFinal({ partial: true }),
      isFinal({ content: { parts: [call] } }),
      isFinal({ content: { parts: [answer] } }),
      isFinal({ content: { parts: [call] }, longRunningToolIds: ["c1"] }),
      isFinal({ content: { parts: [call] }, actions: authRequest }),
    ]).toEqual([true, false, false, false, true, true]);
  });

  it("are read: calls, responses, text and thoughts", () => {
    const thought = { text: "hm", thought: true };
    const event = createEvent({
      content: { role: "model", parts: [thought, { text: "a" }, call, answer, { text: "b" }] },
    });
    expect([getFunctionCalls(event), getFunctionResponses(event), stringifyContent(event)]).toEqual([
      [call.functionCall],
      [answer.functionResponse],
      "ab",
    ]);
    const pruned = pruneThoughts(event);
    expect([hasThoughts(event), hasThoughts(pruned), pruned.content?.parts?.length]).toEqual([true, false, 4]);
    const empty = createEvent();
    expect([pruneThoughts(empty), stringifyContent(empty), hasThoughts(empty)]).toEqual([empty, "", false]);
  });
});

describe("sessions and apps by ADK's names", () => {
  it("are created from the members that are given", () => {
    expect(createSession({ id: "s1", appName: "shop" })).toEqual({
      id: "s1",
      appName: "shop",
      userId: "",
      state: {},
      events: [],
      lastUpdateTime: 0,
      revision: 0,
    });
    expect([createResumabilityConfig(), createResumabilityConfig({ isResumable: true })]).toEqual([
      { isResumable: false },
      { isResumable: true },
    ]);
  });

  it("are one class, with or without new", () => {
    const rootAgent = new LlmAgent({ name: "desk" });
    const app = new App({ name: "shop", rootAgent, resumabilityConfig: { isResumable: true } });
    expect(app).toEqual(createApp({ name: "shop", rootAgent, resumability: { isResumable: true } }));
    expect(Object.keys(app)).toEqual(["name", "rootAgent", "plugins", "resumability"]);
    expect(() => new App({ name: "", rootAgent })).toThrow("name");
  });
});

describe("guards by ADK's names", () => {
  class Tools extends BaseToolset {
    protected override async loadTools() {
      return [];
    }
  }
  const agent = new LlmAgent({ name: "desk" });
  const values = {
    llm: agent,
    loop: new LoopAgent({ name: "loop", subAgents: [] }),
    parallel: new ParallelAgent({ name: "parallel", subAgents: [] }),
    sequential: new SequentialAgent({ name: "sequential", subAgents: [] }),
    functionTool: new FunctionTool({ name: "work", description: "Works.", execute: () => 1 }),
    agentTool: new AgentTool({ agent }),
    toolset: Reflect.construct(Tools, [{}]),
    app: createApp({ name: "shop", rootAgent: agent }),
    runner: new Runner({ appName: "shop", agent }),
    text: "text",
    nothing: undefined,
  };

  it.each([
    [isBaseAgent, ["llm", "loop", "parallel", "sequential"]],
    [isLlmAgent, ["llm"]],
    [isLoopAgent, ["loop"]],
    [isParallelAgent, ["parallel"]],
    [isSequentialAgent, ["sequential"]],
    [isBaseTool, ["functionTool", "agentTool"]],
    [isFunctionTool, ["functionTool"]],
    [isAgentTool, ["agentTool"]],
    [isBaseToolset, ["toolset"]],
    [isApp, ["app"]],
    [isRunner, ["runner"]],
  ])("%o accepts the values of its kind alone", (isKind, expected) => {
    const accepted = Object.entries(values).flatMap(([name, value]) => (isKind(value) ? [name] : []));
    expect(accepted).toEqual(expected);
  });
});

describe("classes and tools by ADK's names", () => {
  it("are the kit's own", () => {
    expect([Agent, Context]).toEqual([LlmAgent, CallbackContext]);
    expect(ToolContext.prototype).toBeInstanceOf(Context);
    const shared = { ENTERPRISE_WEB_SEARCH, EXIT_LOOP, GOOGLE_MAPS_GROUNDING, GOOGLE_SEARCH, LOAD_ARTIFACTS };
    const names = Object.values({ ...shared, LOAD_MEMORY, PRELOAD_MEMORY, URL_CONTEXT }).map(({ name }) => name);
    expect(names).toEqual([
      "enterprise_web_search",
      "exit_loop",
      "google_maps",
      "google_search",
      "load_artifacts",
      "load_memory",
      "preload_memory",
      "url_context",
    ]);
  });

  it("let a model leave a loop with the shared tool", async () => {
    const model = new ScriptedModel(["one", functionCallResponse("exit_loop"), "never"]);
    const writer = new Agent({ name: "writer", model, tools: [EXIT_LOOP], includeContents: "none" });
    const runner = new InMemoryRunner({
      agent: new LoopAgent({ name: "loop", subAgents: [writer], maxIterations: 5 }),
    });
    const newMessage = { parts: [{ text: "go" }] };
    await Array.fromAsync(runner.runEphemeral({ userId: "ada", newMessage }));
    expect([model.callCount, writer.includeContents]).toEqual([2, "NONE"]);
  });

  it("run an agent of one's own that yields events from createEvent", async () => {
    class Greeter extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, void> {
        const { invocationId, userId, appName } = context;
        yield createEvent({ invocationId, author: this.name, content: modelContent(`${appName} greets ${userId}`) });
      }
    }
    const runner = new InMemoryRunner({ agent: new Greeter({ name: "greeter" }) });
    const newMessage = { role: "user", parts: [{ text: "hi" }] };
    const events = await Array.fromAsync(runner.runEphemeral({ userId: "ada", newMessage }));
    expect(events.map(stringifyContent)).toEqual(["InMemoryRunner greets ada"]);
  });
});
