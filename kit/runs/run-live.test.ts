import { describe, expect, it, vi } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { type RunConfig, StreamingMode } from "#kit/core/context/run-config.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { RecordingPlugin } from "#kit/testing/recording-plugin.ts";
import { type LiveTurn, ScriptedConnection } from "#kit/testing/scripted-connection.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const add = new FunctionTool({ name: "add", description: "Adds.", execute: () => ({ sum: 3 }) });

class TextOnly extends BaseAgent {
  protected override async *runAsyncImpl(): AsyncGenerator<Event> {}
}

function liveModel(turns: readonly LiveTurn[], options: { hangsUp?: boolean } = {}) {
  return new ScriptedModel(["text answer"], { live: turns, ...options });
}

type World = Awaited<ReturnType<typeof createAgentWorld>>;

function start(world: World, queue: LiveRequestQueue, runConfig: Partial<RunConfig> = {}, signal?: AbortSignal) {
  return world.runner.runLive({
    userId: "ada",
    sessionId: "talk",
    liveRequestQueue: queue,
    runConfig,
    ...(signal !== undefined && { signal }),
  });
}

/** Says the texts one after another, each when the model has answered the one before, and hangs up. */
async function converse(world: World, texts: readonly string[], runConfig: Partial<RunConfig> = {}): Promise<Event[]> {
  const queue = new LiveRequestQueue();
  const left = [...texts];
  const next = (): void => {
    const text = left.shift();
    if (text === undefined) queue.close();
    else queue.sendContent(userContent(text));
  };
  next();
  const events: Event[] = [];
  for await (const event of start(world, queue, runConfig)) {
    events.push(event);
    if (event.turnComplete === true) next();
  }
  return events;
}

describe("Runner.runLive", () => {
  it("talks turn by turn, stores what was said, and ends when the client closes its side", async () => {
    verifies("operations:runner:run");
    const model = liveModel([
      [{ content: modelContent("hello"), turnComplete: true }],
      [{ content: modelContent("bye"), turnComplete: true }],
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, instruction: "Be kind." }));
    // The client has its own messages.
    expect((await converse(world, ["hi", "see you"])).map(brief)).toEqual(["helper: hello", "helper: bye"]);
    expect((await world.session()).events.map(brief)).toEqual([
      "user: hi",
      "helper: hello",
      "user: see you",
      "helper: bye",
    ]);
    expect(model.connections[0]?.request.systemInstruction).toContain("Be kind.");
    expect(model.connections[0]?.sent.at(-1)).toEqual({ kind: "close" });
    expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("passes the conversation so far to the model, and what was said live to the next text run", async () => {
    const model = liveModel([[{ content: modelContent("live answer"), turnComplete: true }]]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    await world.run("typed");
    await converse(world, ["spoken"]);
    expect(model.connections[0]?.sent[0]).toEqual({
      kind: "history",
      history: [userContent("typed"), modelContent("text answer")],
    });
    expect((await world.session()).events.map(brief).slice(-2)).toEqual(["user: spoken", "helper: live answer"]);
  });

  it("runs the tools that the model calls and sends their answers over the connection", async () => {
    const model = liveModel([
      [functionCallResponse("add", { a: 1, b: 2 }, "call-1")],
      [{ content: modelContent("three"), turnComplete: true }],
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [add] }));
    expect((await converse(world, ["1+2?"])).map(brief)).toEqual([
      'helper: add({"a":1,"b":2})',
      'helper: add -> {"sum":3}',
      "helper: three",
    ]);
    expect(model.connections[0]?.sent[1]).toEqual({
      kind: "content",
      content: { role: "user", parts: [{ functionResponse: { id: "call-1", name: "add", response: { sum: 3 } } }] },
    });
  });

  it("continues as the agent that the model transfers to, on that agent's own connection", async () => {
    const specialist = liveModel([[{ content: modelContent("specialist here"), turnComplete: true }]]);
    const front = liveModel([[functionCallResponse("transfer_to_agent", { agent_name: "expert" }, "t")]]);
    const closes = vi.spyOn(ScriptedConnection.prototype, "close");
    const opened = { front: vi.spyOn(front, "connect"), specialist: vi.spyOn(specialist, "connect") };
    const world = await createAgentWorld(
      new LlmAgent({
        name: "front",
        model: front,
        subAgents: [new LlmAgent({ name: "expert", description: "Knows.", model: specialist })],
      }),
    );
    const events = await converse(world, ["help"]);
    expect(events.map(({ author }) => author)).toEqual(["front", "front", "expert"]);
    expect(closes.mock.contexts).toEqual(expect.arrayContaining([...front.connections, ...specialist.connections]));
    // Each connection has a signal of its own, which ends what a provider still waits for.
    for (const [, { signal }] of [...opened.front.mock.calls, ...opened.specialist.mock.calls])
      expect(signal.aborted).toBe(true);
  });

  it("streams audio without storing it, unless the run says so", async () => {
    const audio = { role: "model", parts: [{ inlineData: { mimeType: "audio/pcm", data: "AAAA" } }] };
    const stored: number[] = [];
    for (const saveLiveBlob of [false, true]) {
      const model = liveModel([[{ content: audio }, { turnComplete: true, content: modelContent("said") }]]);
      const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
      const events = await converse(world, ["speak"], { saveLiveBlob });
      expect(events.map(({ partial }) => partial === true)).toEqual(
        saveLiveBlob ? [true, false, false] : [true, false],
      );
      stored.push((await world.session()).events.length);
    }
    expect(stored).toEqual([2, 3]);
  });

  it("passes the client's media on, and stores a transcription once it is finished", async () => {
    const model = liveModel([
      [
        { inputTranscription: { text: "hel" } },
        { inputTranscription: { text: "hello", finished: true } },
        { content: modelContent("hi"), turnComplete: true },
      ],
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const queue = new LiveRequestQueue();
    queue.sendRealtime({ mimeType: "audio/pcm", data: "AAAA" });
    queue.sendContent(userContent("(spoken)"));
    for await (const event of start(world, queue)) if (event.turnComplete === true) queue.close();
    expect(model.connections[0]?.sent[0]).toEqual({
      kind: "realtime",
      input: { blob: { mimeType: "audio/pcm", data: "AAAA" } },
    });
    expect((await world.session()).events.map(({ inputTranscription }) => inputTranscription)).toEqual([
      undefined,
      { text: "hello", finished: true },
      undefined,
    ]);
  });

  it("speaks and transcribes both sides by default", async () => {
    verifies("configuration:run-config:input-audio-transcription", "configuration:run-config:other-fields");
    const model = liveModel([[{ content: modelContent("x"), turnComplete: true }]]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    await converse(world, ["a"]);
    await converse(world, ["b"], { responseModalities: ["TEXT"] });
    const settings = {
      inputAudioTranscription: { languageCodes: ["de"] },
      outputAudioTranscription: { languageCodes: ["en"] },
      speechConfig: { voice: "a" },
    };
    await converse(world, ["c"], settings);
    const configs = model.connections.map(({ config }) => [
      config.responseModalities,
      config.inputAudioTranscription,
      config.outputAudioTranscription,
      config.speechConfig,
    ]);
    expect(configs).toEqual([
      [["AUDIO"], {}, {}, undefined],
      [["TEXT"], {}, undefined, undefined],
      [["AUDIO"], ...Object.values(settings)],
    ]);
  });

  it("is the one run whose settings say BIDI, which a run of one message refuses", async () => {
    verifies("configuration:streaming-mode:bidi");
    const modes: string[] = [];
    const model = liveModel([[{ content: modelContent("x"), turnComplete: true }]]);
    const beforeModelCallback = ({ invocationContext }: CallbackContext): void =>
      void modes.push(invocationContext.runConfig.streamingMode);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, beforeModelCallback }));
    await converse(world, ["a"]);
    // Before the connection, and with what the user has written.
    expect(modes).toEqual(["BIDI", "BIDI"]);
    await expect(world.run("typed", { streamingMode: StreamingMode.BIDI })).rejects.toMatchObject({
      reason: "INVALID_FIELD",
      details: { field: "streamingMode" },
    });
    expect((await world.session()).events.map(brief)).toEqual(["user: a", "helper: x"]);
  });

  it("runs all hooks of the run", async () => {
    const plugin = new RecordingPlugin();
    const model = liveModel([[{ content: modelContent("x"), turnComplete: true }]]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), { plugins: [plugin] });
    await converse(world, ["a"]);
    expect(plugin.hooks).toEqual([
      "beforeRunCallback",
      "beforeAgentCallback",
      "beforeModelCallback",
      "onEventCallback",
      "beforeModelCallback",
      "afterModelCallback",
      "onEventCallback",
      "afterAgentCallback",
      "afterRunCallback",
    ]);
  });

  it("lets callbacks change what the model says, and answer when its connection breaks", async () => {
    const model = liveModel([[{ content: modelContent("a secret"), turnComplete: true }], [new Error("line broke")]]);
    const world = await createAgentWorld(
      new LlmAgent({
        name: "helper",
        model,
        afterModelCallback: ({ state }, response) => {
          state.set("screened", true);
          return { ...response, content: modelContent("***") };
        },
        onModelErrorCallback: () => ({ content: modelContent("call again later") }),
      }),
    );
    expect((await converse(world, ["tell", "more"])).map(brief)).toEqual(["helper: ***", "helper: ***"]);
    expect((await world.session()).state).toEqual({ screened: true });
  });

  it("opens no connection when a callback answers in the model's place", async () => {
    const model = liveModel([]);
    const agent = new LlmAgent({
      name: "helper",
      model,
      beforeModelCallback: () => ({ content: modelContent("closed today") }),
    });
    const world = await createAgentWorld(agent);
    expect((await Array.fromAsync(start(world, new LiveRequestQueue()))).map(brief)).toEqual(["helper: closed today"]);
    expect(model.connections).toEqual([]);
  });

  it("ends when the model hangs up", async () => {
    const model = liveModel([[{ content: modelContent("that is all") }]], { hangsUp: true });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const queue = new LiveRequestQueue();
    queue.sendContent(userContent("hi"));
    expect((await Array.fromAsync(start(world, queue))).map(brief)).toEqual(["helper: that is all"]);
  });

  it("stores the model's failure as an event, and the session takes the next message", async () => {
    const model = liveModel([[new Error("line broke")]]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const queue = new LiveRequestQueue();
    queue.sendContent(userContent("hi"));
    await expect(Array.fromAsync(start(world, queue))).rejects.toMatchObject({ reason: "RUN_FAILED" });
    expect((await world.session()).events.map(brief)).toEqual(["user: hi", "helper: ! INTERNAL: Error: line broke"]);
    expect((await world.run("and now?")).map(brief)).toEqual(["helper: text answer"]);
  });

  it("ends silently when the cap on model calls is reached: no, in a stored event that says so", async () => {
    const front = liveModel([[functionCallResponse("transfer_to_agent", { agent_name: "expert" }, "t")]]);
    const expert = new LlmAgent({ name: "expert", description: "Knows.", model: liveModel([]) });
    const world = await createAgentWorld(new LlmAgent({ name: "front", model: front, subAgents: [expert] }));
    const queue = new LiveRequestQueue();
    queue.sendContent(userContent("help"));
    await expect(Array.fromAsync(start(world, queue, { maxLlmCalls: 1 }))).rejects.toMatchObject({
      reason: "LLM_CALL_LIMIT_EXCEEDED",
    });
    expect((await world.session()).events.at(-1)?.errorCode).toBe("LLM_CALL_LIMIT_EXCEEDED");
  });

  it("closes the connection when its caller cancels", async () => {
    const model = liveModel([]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const abort = new AbortController();
    const queue = new LiveRequestQueue();
    queue.sendContent(userContent("hi"));
    const run = start(world, queue, {}, abort.signal);
    const events = Array.fromAsync(run);
    await vi.waitFor(() => expect(model.connections[0]?.sent).toHaveLength(1));
    abort.abort();
    await expect(events).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect(model.connections[0]?.isClosed).toBe(true);
  });

  it.each([
    ["a model without a live connection", "helper", new LlmAgent({ name: "helper", model: new ScriptedModel([]) })],
    ["a kind of agent that has no live way to work", "own", new TextOnly({ name: "own" })],
    ["a loop", "again", new LoopAgent({ name: "again", maxIterations: 1 })],
    ["agents at the same time", "both", new ParallelAgent({ name: "both" })],
    ["a step that cannot", "own", new SequentialAgent({ name: "steps", subAgents: [new TextOnly({ name: "own" })] })],
  ])("refuses %s by name, before it stores anything", async (_case, name, agent) => {
    const world = await createAgentWorld(agent);
    await expect(Array.fromAsync(start(world, new LiveRequestQueue()))).rejects.toMatchObject({
      reason: "LIVE_NOT_SUPPORTED",
      message: expect.stringContaining(`"${name}"`),
    });
    expect((await world.session()).events).toEqual([]);
  });
});
