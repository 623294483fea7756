import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

const write = new FunctionTool({
  name: "write",
  description: "Writes a file and notes it.",
  execute: async (args, context) => {
    await context.saveArtifact("notes.txt", { text: String(args["text"]) });
    context.state.set("last", String(args["text"]));
    context.state.set("user:last", String(args["text"]));
  },
});

function writer(steps: readonly ScriptedStep[]) {
  const model = new ScriptedModel(steps);
  return { model, agent: new LlmAgent({ name: "helper", model, tools: [write] }) };
}

describe("Runner.rewind", () => {
  it("takes prompts, the session's state and its files back to before the invocation", async () => {
    const { model, agent } = writer([
      functionCallResponse("write", { text: "one" }),
      "noted one",
      functionCallResponse("write", { text: "two" }),
      "noted two",
      "hello again",
    ]);
    const world = await createAgentWorld(agent);
    await world.run("first");
    const [second] = await world.run("second");
    await world.runner.rewind({ ...KEY, sessionId: "talk", rewindBeforeInvocationId: second?.invocationId ?? "" });
    const session = await world.session();
    expect(session.state).toEqual({ last: "one", "user:last": "two" });
    expect(session.events.at(-1)?.actions).toMatchObject({
      rewindBeforeInvocationId: second?.invocationId,
      stateDelta: { last: "one" },
      artifactDelta: { "notes.txt": 2 },
    });
    expect(await world.artifacts.loadArtifact({ session: KEY, filename: "notes.txt" })).toEqual({ text: "one" });
    await world.run("third");
    expect(model.requests.at(-1)?.contents.map(({ parts }) => parts?.[0]?.text)).toEqual([
      "first",
      undefined,
      undefined,
      "noted one",
      "third",
    ]);
  });

  it("removes what was not there before the invocation", async () => {
    const { agent } = writer([functionCallResponse("write", { text: "one" }), "noted"]);
    const world = await createAgentWorld(agent);
    const [first] = await world.run("first");
    await world.runner.rewind({ ...KEY, sessionId: "talk", rewindBeforeInvocationId: first?.invocationId ?? "" });
    expect((await world.session()).state).toEqual({ "user:last": "one" });
    expect((await world.session()).events.at(-1)?.actions.deletedArtifactIds).toEqual(["notes.txt"]);
    expect(await world.artifacts.listArtifactKeys(KEY)).toEqual({ filenames: [] });
  });

  it("is heeded by agents that see only the current turn", async () => {
    const model = new ScriptedModel(["one", "two"]);
    const world = await createAgentWorld(
      new LlmAgent({ name: "helper", model, includeContents: IncludeContents.NONE }),
    );
    const [first] = await world.run("first");
    await world.runner.rewind({ ...KEY, sessionId: "talk", rewindBeforeInvocationId: first?.invocationId ?? "" });
    await Array.fromAsync(world.runner.runAsync({ ...KEY, sessionId: "talk", stateDelta: { k: 1 } }));
    expect(model.requests.map(({ contents }) => contents)).toEqual([[userContent("first")], []]);
  });

  it("refuses an invocation that the session does not have, or has rewound already", async () => {
    const { agent } = writer(["one", "two"]);
    const world = await createAgentWorld(agent);
    const [first] = await world.run("first");
    const [second] = await world.run("second");
    const rewind = (rewindBeforeInvocationId = "") =>
      world.runner.rewind({ ...KEY, sessionId: "talk", rewindBeforeInvocationId });
    await expect(rewind("e-none")).rejects.toMatchObject({ reason: "INVOCATION_NOT_FOUND" });
    await rewind(first?.invocationId);
    await expect(rewind(second?.invocationId)).rejects.toMatchObject({ reason: "INVOCATION_NOT_FOUND" });
    expect((await world.session()).events).toHaveLength(5);
  });
});

describe("the policy rollback", () => {
  it("rewinds the run that it interrupted, and answers as if its message had never been sent", async () => {
    const { model, agent } = writer([
      "hello",
      functionCallResponse("write", { text: "wrong" }),
      [new Promise<never>(() => {}), { content: modelContent("never said") }],
      "right",
    ]);
    const world = await createAgentWorld(agent);
    await world.run("hi");
    const cutOff = world.run("wrong question");
    const failed = expect(cutOff).rejects.toMatchObject({ reason: "RUN_FAILED" });
    while (model.callCount < 3) await Promise.resolve();
    const begin = {
      session: KEY,
      runId: "r2",
      policy: "rollback" as const,
      request: { newMessage: userContent("right question") },
    };
    const queued = await world.runner.beginRun(begin);
    if (queued.kind !== "queued") throw new Error(queued.kind);
    await world.runner.cancel(queued.behind);
    await failed;
    const started = await world.runner.beginRun(begin);
    if (started.kind !== "started") throw new Error(started.kind);
    const shown = (await Array.fromAsync(world.runner.executeRun(started.run))).flat();
    expect(shown.map(({ event }) => brief(event))).toEqual(["helper: right"]);
    expect(model.requests.at(-1)?.contents).toEqual([
      userContent("hi"),
      modelContent("hello"),
      userContent("right question"),
    ]);
    expect((await world.session()).state).toEqual({ "user:last": "wrong" });
    expect(await world.artifacts.listArtifactKeys(KEY)).toEqual({ filenames: [] });
  });

  it("leaves an invocation alone that had waited for an answer before it was interrupted", async () => {
    const model = new ScriptedModel([
      functionCallResponse("job", {}, "call-1"),
      "started",
      [new Promise<never>(() => {}), { content: modelContent("never said") }],
      "right",
    ]);
    const job = new LongRunningFunctionTool({ name: "job", description: "", execute: () => ({ id: 1 }) });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [job] }));
    await world.run("first");
    const functionResponse = { id: "call-1", name: "job", response: { done: true } };
    const cutOff = expect(world.run({ role: "user", parts: [{ functionResponse }] })).rejects.toMatchObject({
      reason: "RUN_FAILED",
    });
    while (model.callCount < 3) await Promise.resolve();
    const request = { newMessage: userContent("second") };
    const begin = { session: KEY, runId: "r2", policy: "rollback" as const, request };
    const queued = await world.runner.beginRun(begin);
    if (queued.kind !== "queued") throw new Error(queued.kind);
    await world.runner.cancel(queued.behind);
    await cutOff;
    const started = await world.runner.beginRun(begin);
    if (started.kind !== "started") throw new Error(started.kind);
    await Array.fromAsync(world.runner.executeRun(started.run));
    expect(model.requests.at(-1)?.contents.slice(0, 1)).toEqual([userContent("first")]);
    expect(model.requests.at(-1)?.contents.at(-1)).toEqual(userContent("second"));
    const { events } = await world.session();
    expect(events.map(({ actions }) => actions.rewindBeforeInvocationId).filter(Boolean)).toEqual([]);
  });

  it("leaves a run alone that had ended before its message came", async () => {
    const { model, agent } = writer(["one", "two"]);
    const world = await createAgentWorld(agent);
    await world.run("a");
    const begun = await world.runner.beginRun({
      session: KEY,
      policy: "rollback",
      request: { newMessage: userContent("b") },
    });
    if (begun.kind !== "started") throw new Error(begun.kind);
    await Array.fromAsync(world.runner.executeRun(begun.run));
    expect(model.requests.at(-1)?.contents).toEqual([userContent("a"), modelContent("one"), userContent("b")]);
  });
});

describe("Runner.cancel", () => {
  it("ends a run that is executed here immediately", async () => {
    const { model, agent } = writer([[new Promise<never>(() => {})]]);
    const world = await createAgentWorld(agent);
    const run = expect(world.run("hi")).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    while (model.callCount < 1) await Promise.resolve();
    const [record] = (await world.store.list({})).runs;
    await world.runner.cancel(record?.runId ?? "");
    await run;
    expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  it("refuses an unknown run", async () => {
    const world = await createAgentWorld(writer([]).agent);
    await expect(world.runner.cancel("none")).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
  });
});
