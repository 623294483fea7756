import { describe, expect, it } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { SequentialAgent } from "../agents/sequential-agent.ts";
import { type Content, modelContent, type Part, userContent } from "../events/content.ts";
import { LlmRequest } from "../models/llm-request.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { ContextFilterPlugin, type ContextFilterPluginOptions } from "./context-filter-plugin.ts";
import { GlobalInstructionPlugin } from "./global-instruction-plugin.ts";
import { LoggingPlugin } from "./logging-plugin.ts";
import { ReflectAndRetryToolPlugin } from "./reflect-and-retry-tool-plugin.ts";
import { ReplayPlugin } from "./replay-plugin.ts";
import { SaveFilesAsArtifactsPlugin } from "./save-files-as-artifacts-plugin.ts";
import { ToolCallIntegrityPlugin } from "./tool-call-integrity-plugin.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };
const echo = new FunctionTool({ name: "echo", description: "Says it again.", execute: (args) => args });

async function createWorld(plugins: readonly Plugin[], steps: readonly ScriptedStep[], logger = new RecordingLogger()) {
  const model = new ScriptedModel(steps);
  const agent = new LlmAgent({ name: "helper", model, instruction: "Be kind.", tools: [echo] });
  const world = await createAgentWorld(agent, { plugins, logger, state: { tone: "short" } });
  return { ...world, model, logger };
}

const texts = (contents: readonly Content[] = []) =>
  contents.map(({ parts }) => parts?.[0]?.text ?? "call or response");

describe("LoggingPlugin", () => {
  it("writes a line for each step, with ids and names", async () => {
    verifies("plugins:provided:logging");
    const world = await createWorld([new LoggingPlugin()], [functionCallResponse("echo", { secret: 1 }), "done"]);
    await world.run("my secret");
    expect(world.logger.lines.map(({ message }) => message)).toEqual([
      "user message",
      "run starts",
      "agent starts",
      "model call",
      "model answer",
      "event",
      "tool starts",
      "tool ends",
      "event",
      "model call",
      "model answer",
      "event",
      "agent ends",
      "run ends",
    ]);
    expect(JSON.stringify(world.logger.lines)).not.toContain("secret");
    expect(world.logger.lines.at(-1)?.fields).toMatchObject({ sessionId: "talk", status: "succeeded" });
  });

  it("writes what was said, cut short, if that is configured", async () => {
    const world = await createWorld([new LoggingPlugin({ content: true })], ["x".repeat(500)]);
    await world.run("my secret");
    expect(world.logger.lines[0]?.fields["message"]).toContain("my secret");
    expect(String(world.logger.lines.find(({ message }) => message === "event")?.fields["content"])).toHaveLength(201);
  });
});

describe("ContextFilterPlugin", () => {
  it("sends only the newest turns, and history keeps all", async () => {
    verifies("plugins:provided:context-filter:recent-turns");
    const plugin = new ContextFilterPlugin({ numInvocationsToKeep: 2 });
    const world = await createWorld([plugin], ["one", functionCallResponse("echo"), "two", "three"]);
    for (const message of ["a", "b", "c"]) await world.run(message);
    expect(texts(world.model.requests[2]?.contents)).toEqual(["a", "one", "b", "call or response", "call or response"]);
    expect(texts(world.model.requests[3]?.contents)).toEqual(["b", "call or response", "call or response", "two", "c"]);
    expect((await world.session()).events).toHaveLength(8);
  });

  it("applies a function of the user's own, and never leaves half of a call", async () => {
    verifies("plugins:provided:context-filter:function");
    const plugin = new ContextFilterPlugin({
      customFilter: (contents) => contents.filter((_content, index) => index !== 1),
    });
    const world = await createWorld([plugin], [functionCallResponse("echo"), "done"]);
    await world.run("a");
    expect(texts(world.model.requests[1]?.contents)).toEqual(["a"]);
  });

  it("leaves the prompt as it was when the function throws", async () => {
    const plugin = new ContextFilterPlugin({
      customFilter: () => {
        throw new Error("no");
      },
    });
    const world = await createWorld([plugin], ["one"]);
    expect((await world.run("a")).map(brief)).toEqual(["helper: one"]);
    expect(world.logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "context filter failed; nothing filtered"],
    ]);
  });
});

describe("ContextFilterPlugin alone", () => {
  const said = (role: string, ...parts: readonly Part[]): Content => ({ role, parts });
  const call = (id?: string): Part => ({ functionCall: { name: "echo", args: {}, ...(id !== undefined && { id }) } });
  const response = (id: string): Part => ({ functionResponse: { name: "echo", response: {}, id } });

  async function filtered(contents: readonly Content[], options: ContextFilterPluginOptions): Promise<Content[]> {
    const request = new LlmRequest<BaseTool>({ model: "m", contents: [...contents] });
    await new ContextFilterPlugin(options).beforeModelCallback(new CallbackContext(createInvocation()), request);
    return request.contents;
  }

  it("counts consecutive contents of the user as one turn", async () => {
    const [first, answer, more, current] = [
      userContent("a"),
      modelContent("one"),
      userContent("more"),
      userContent("b"),
    ];
    expect(await filtered([first, answer, more, current], { numInvocationsToKeep: 1 })).toEqual([more, current]);
  });

  it("drops a call without its response, keeps the text beside it, calls without id, and contents without parts", async () => {
    const given = [said("user"), said("model", { text: "I look." }, call("c1")), said("model", call())];
    const answered = [said("model", call("c2")), said("user", response("c2"))];
    expect(await filtered([...given, said("model", call("c3")), ...answered], {})).toEqual([
      said("user"),
      said("model", { text: "I look." }),
      said("model", call()),
      ...answered,
    ]);
  });
});

describe("GlobalInstructionPlugin", () => {
  it("gives each model the same instruction first, filled from the state", async () => {
    verifies("plugins:provided:global-instruction");
    const text = await createWorld([new GlobalInstructionPlugin({ globalInstruction: "Be {tone}." })], ["one"]);
    await text.run("a");
    expect(text.model.requests[0]?.systemInstruction).toMatch(/^Be short\.\n\nBe kind\./);
    const plugin = new GlobalInstructionPlugin({ globalInstruction: (context) => `For ${context.userId}: {tone}` });
    const provided = await createWorld([plugin], ["one"]);
    await provided.run("a");
    expect(provided.model.requests[0]?.systemInstruction).toMatch(/^For ada: \{tone\}\n\n/);
  });
});

it("does not change a prompt when the global instruction is empty", async () => {
  const world = await createWorld([new GlobalInstructionPlugin({ globalInstruction: "" })], ["one"]);
  await world.run("a");
  expect(world.model.requests[0]?.systemInstruction).toMatch(/^Be kind\./);
});

it.each<[() => Plugin, string]>([
  [() => new ContextFilterPlugin(), "context_filter"],
  [() => new ContextFilterPlugin({ name: "mine" }), "mine"],
  [() => new GlobalInstructionPlugin({ globalInstruction: "", name: "mine" }), "mine"],
  [() => new LoggingPlugin(), "logging"],
  [() => new ReflectAndRetryToolPlugin(), "reflect_and_retry_tool"],
  [() => new ReflectAndRetryToolPlugin({ name: "mine" }), "mine"],
  [() => new ReplayPlugin({ directory: "." }), "adk_replay"],
  [() => new ReplayPlugin({ directory: ".", name: "mine" }), "mine"],
  [() => new SaveFilesAsArtifactsPlugin(), "save_files_as_artifacts"],
  [() => new ToolCallIntegrityPlugin(), "tool_call_integrity"],
])("names the plugin, or takes the name given: %#", (create, name) => {
  expect(create().name).toBe(name);
});

describe("SaveFilesAsArtifactsPlugin", () => {
  const file = (displayName?: string) => ({
    inlineData: { mimeType: "text/plain", data: "aGk=", ...(displayName !== undefined && { displayName }) },
  });

  it("saves files under their names, leaves notes in the message, and reports the versions", async () => {
    const world = await createWorld([new SaveFilesAsArtifactsPlugin()], ["seen"]);
    const message = { role: "user", parts: [{ text: "look" }, file("a.txt"), file("user:b.txt"), file()] };
    const given = structuredClone(message);
    const [event] = await world.run(message);
    const third = `artifact_${event?.invocationId}_3`;
    expect(message).toEqual(given);
    expect(world.model.requests[0]?.contents[0]?.parts).toEqual([
      { text: "look" },
      { text: '[The user sent a file; it is the artifact "a.txt".]' },
      { text: '[The user sent a file; it is the artifact "user:b.txt".]' },
      { text: `[The user sent a file; it is the artifact "${third}".]` },
    ]);
    expect(await world.artifacts.listArtifactKeys(KEY)).toEqual({ filenames: ["a.txt", third, "user:b.txt"] });
    expect(event?.actions.artifactDelta).toEqual({ "a.txt": 0, "user:b.txt": 0, [third]: 0 });
  });

  it("puts the versions on the first event of the turn alone, however many agents take part", async () => {
    const say = (name: string) => new LlmAgent({ name, model: new ScriptedModel([name]) });
    const pair = new SequentialAgent({ name: "pair", subAgents: [say("first"), say("second")] });
    const world = await createAgentWorld(pair, { plugins: [new SaveFilesAsArtifactsPlugin()] });
    const events = await world.run({ role: "user", parts: [file("a.txt")] });
    expect(events.map((event) => [brief(event), event.actions.artifactDelta])).toEqual([
      ["pair: ", { "a.txt": 0 }],
      ["first: first", {}],
      ["second: second", {}],
    ]);
  });

  it("keeps the versions of two sessions apart, and forgets those of a turn that ended before its first agent", async () => {
    const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
    const plugin = new SaveFilesAsArtifactsPlugin();
    const start = async (sessionId: string, name: string): Promise<InvocationContext> => {
      const context = createInvocation({ artifactService, sessionId });
      await plugin.onUserMessageCallback(context, { role: "user", parts: [file(name)] });
      return context;
    };
    const reported = (context: InvocationContext): unknown => {
      const callback = new CallbackContext(context);
      plugin.beforeAgentCallback(context.agent, callback);
      return callback.eventActions.artifactDelta;
    };
    const [one, other, ended] = [await start("s", "a.txt"), await start("t", "b.txt"), await start("u", "c.txt")];
    plugin.afterRunCallback(ended);
    expect([one, other, ended].map(reported)).toEqual([{ "a.txt": 0 }, { "b.txt": 0 }, {}]);
  });

  it("refuses a name of the server's in a stored event, and the next turn works", async () => {
    const world = await createWorld([new SaveFilesAsArtifactsPlugin()], ["fine"]);
    await expect(world.run({ role: "user", parts: [file("_inline/x")] })).rejects.toThrow("filename must not start");
    expect((await world.session()).events.map(({ errorCode }) => errorCode)).toEqual(["INVALID_IDENTIFIER"]);
    expect((await world.run("hi")).map(brief)).toEqual(["helper: fine"]);
  });
});

describe("ToolCallIntegrityPlugin", () => {
  const broken = (change: (contents: Content[]) => Content[]): Plugin => ({
    name: "breaks",
    beforeModelCallback: (_context, request) => {
      request.contents = change(request.contents);
    },
  });

  it("lets whole prompts pass", async () => {
    const world = await createWorld([new ToolCallIntegrityPlugin()], [functionCallResponse("echo"), "done"]);
    expect((await world.run("a")).at(-1)?.content?.parts).toEqual([{ text: "done" }]);
  });

  it.each([
    ["(echo) has no response behind it", (contents: Content[]) => contents.slice(0, 2)],
    ["(echo) has no response behind it", (contents: Content[]) => contents.toSpliced(2, 1, userContent("hello?"))],
    ["is not right before it", (contents: Content[]) => contents.toSpliced(1, 1)],
    [
      "twice",
      (contents: Content[]) =>
        contents.map((content, index) =>
          index === 2 ? { ...content, parts: [...(content.parts ?? []), ...(content.parts ?? [])] } : content,
        ),
    ],
  ])("refuses a prompt whose call or response %s, and the session stays usable", async (problem, change) => {
    const steps = [functionCallResponse("echo"), "next turn"];
    const plugins = [
      broken((contents) => (contents.length === 3 ? change(contents) : contents)),
      new ToolCallIntegrityPlugin(),
    ];
    const world = await createWorld(plugins, steps);
    await expect(world.run("a")).rejects.toMatchObject({ details: { reason: "TOOL_CALL_INTEGRITY" } });
    const events = (await world.session()).events;
    expect(events.at(-1)?.errorMessage).toContain(problem);
    expect((await world.run("b")).map(brief)).toEqual(["helper: next turn"]);
  });

  it("only logs if that is configured", async () => {
    const plugins = [broken((contents) => contents.slice(0, 2)), new ToolCallIntegrityPlugin({ logOnly: true })];
    const world = await createWorld(plugins, [functionCallResponse("echo"), "done"]);
    await world.run("a");
    expect(world.logger.lines.map(({ message }) => message)).toEqual(["prompt with a broken tool call"]);
  });
});
