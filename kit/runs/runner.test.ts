import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { Runner } from "./runner.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

function agentOf(model: ScriptedModel): LlmAgent {
  return new LlmAgent({ name: "helper", model });
}

describe("Runner", () => {
  it("makes two commits for a short turn: begin with the user event, end with the answer", async () => {
    verifies("what-the-service-does:kit-runner");
    const world = await createAgentWorld(agentOf(new ScriptedModel(["hi"])));
    const calls: string[] = [];
    const { journal } = world.runner;
    const counting = new Proxy(journal, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          calls.push(String(method));
          return Reflect.apply(value, target, args);
        };
      },
    });
    const runner = new Runner({ app: world.runner.app, journal: counting, sessionService: world.store });
    await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("hi") }));
    expect(calls).toEqual(["begin", "finish"]);
  });

  it("gives the model the whole conversation on the next turn, also when another runner executes it", async () => {
    const model = new ScriptedModel(["one", "two", "three"]);
    const world = await createAgentWorld(agentOf(model));
    await world.run("a");
    await world.run("b");
    const other = new Runner({
      app: createApp({ name: "app", rootAgent: agentOf(model) }),
      journal: world.store,
      sessionService: world.store,
    });
    await Array.fromAsync(other.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("c") }));
    const spoken = model.requests[2]?.contents.map((content) => content.parts?.[0]?.text);
    expect(spoken).toEqual(["a", "one", "b", "two", "c"]);
  });

  it("applies the caller's state delta with the user's event and keeps temp: keys to the run", async () => {
    verifies("session:state-prefix:temp");
    const model = new ScriptedModel(["ok"]);
    const agent = new LlmAgent({ name: "helper", model, instruction: "{mood} {temp:hint}" });
    const world = await createAgentWorld(agent);
    await world.run("hi", {}, { mood: "calm", "temp:hint": "now" });
    expect(model.requests[0]?.systemInstruction).toContain("calm now");
    const session = await world.session();
    expect(session.state).toEqual({ mood: "calm" });
    expect(session.events[0]?.actions.stateDelta).toEqual({ mood: "calm" });
  });

  it("runs two messages to one session one after the other", async () => {
    const gate = Promise.withResolvers<void>();
    const model = new ScriptedModel([[gate.promise, { content: modelContent("first") }], "second"]);
    const world = await createAgentWorld(agentOf(model));
    const first = world.run("a");
    const second = world.run("b");
    gate.resolve();
    await Promise.all([first, second]);
    expect((await world.session()).events.map(brief)).toEqual([
      "user: a",
      "helper: first",
      "user: b",
      "helper: second",
    ]);
  });

  it("cancels the model call when the caller stops reading, and stores how the run ended", async () => {
    verifies("operations:runner:run");
    const never = Promise.withResolvers<void>();
    const model = new ScriptedModel([[...streamedText("he").slice(0, 1), never.promise]]);
    const world = await createAgentWorld(agentOf(model));
    const request = {
      userId: "ada",
      sessionId: "talk",
      newMessage: userContent("hi"),
      runConfig: { streamingMode: StreamingMode.SSE },
    };
    for await (const event of world.runner.runAsync(request)) {
      expect(brief(event)).toBe("helper~: he");
      break;
    }
    expect((await world.store.list({})).runs.map((run) => run.status)).toEqual(["cancelled"]);
    expect((await world.session()).events.at(-1)).toMatchObject({ errorCode: "RUN_CANCELLED" });
    expect((await world.store.begin({ ...BEGIN, runId: "next" })).kind).toBe("started");
  });

  it("stops at the next write when the run's end is asked for", async () => {
    const tool = new FunctionTool({
      name: "look",
      description: "Looks.",
      execute: async () => {
        const [run] = (await world.store.list({})).runs;
        await world.store.cancel(run?.runId ?? "");
      },
    });
    const model = new ScriptedModel([
      { content: { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] } },
      "unreached",
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [tool] }));
    await expect(world.run("go")).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect(model.callCount).toBe(1);
  });

  it("throws for a session that does not exist, unless the run may create it", async () => {
    verifies("configuration:run-config:auto-create-session", "errors:session:not-found");
    const world = await createAgentWorld(agentOf(new ScriptedModel(["made"])));
    const request = { userId: "ada", sessionId: "new", newMessage: userContent("hi") };
    await expect(Array.fromAsync(world.runner.runAsync(request))).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    const events = await Array.fromAsync(world.runner.runAsync({ ...request, runConfig: { autoCreateSession: true } }));
    expect(events.map(brief)).toEqual(["helper: made"]);
  });

  it.each([
    [{ role: "user", parts: [] }, "parts is empty"],
    [{ role: "model", parts: [{ text: "hi" }] }, 'role is "model"'],
    [{ parts: [{ functionCall: { name: "adk_request_confirmation", args: {} } }] }, "only a model calls functions"],
    [{ parts: [{}] }, "newMessage.parts.0 is empty"],
    [
      { parts: [{ functionResponse: { id: "1", name: "x", response: {} } }, { text: "and" }] },
      "mixes functionResponse",
    ],
  ])("refuses the message %j", async (message, problem) => {
    verifies("wire:run:message-validation");
    const world = await createAgentWorld(agentOf(new ScriptedModel([])));
    await expect(world.run(message)).rejects.toMatchObject({
      reason: "INVALID_MESSAGE",
      message: expect.stringContaining(problem),
    });
    expect((await world.session()).events).toEqual([]);
  });

  it("shows an agent what it yielded before it continues, and clients what is stored", async () => {
    const seen: number[] = [];
    class Steps extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
        yield context.createEvent({
          content: modelContent("one"),
          actions: createEventActions({ stateDelta: { step: 1 } }),
        });
        seen.push(Number(context.session.state["step"]), context.session.events.length);
        await context.persisted();
        seen.push((await world.session()).events.length);
        yield context.createEvent({ content: modelContent("two") });
      }
    }
    const world = await createAgentWorld(new Steps({ name: "steps" }));
    expect((await world.run("go")).map(brief)).toEqual(["steps: one", "steps: two"]);
    expect(seen).toEqual([1, 2, 2]);
  });

  it("gives a complete event before a slow agent continues", async () => {
    const gate = Promise.withResolvers<void>();
    class Slow extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
        yield context.createEvent({ content: modelContent("early") });
        await gate.promise;
      }
    }
    const world = await createAgentWorld(new Slow({ name: "slow" }));
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("go") });
    const { value } = await run.next();
    expect(value && brief(value)).toBe("slow: early");
    expect((await world.session()).events).toHaveLength(2);
    gate.resolve();
    expect((await run.next()).done).toBe(true);
  });

  it("sees state that was changed from outside while it ran, and the next run sees the events in their order", async () => {
    const change = new FunctionTool({
      name: "change",
      description: "Stands for somebody else.",
      execute: () =>
        world.store
          .applyStateDelta({ ...KEY, stateDelta: { rate: 2 }, author: "user", invocationId: "outside" })
          .then(() => "done"),
    });
    const model = new ScriptedModel([
      { content: { role: "model", parts: [{ functionCall: { name: "change", args: {} } }] } },
      "ok",
      "later",
    ]);
    const world = await createAgentWorld(
      new LlmAgent({ name: "helper", model, tools: [change], instruction: "rate {rate?}" }),
    );
    await world.run("go");
    expect(model.requests.map((request) => request.systemInstruction.match(/rate.*/)?.[0])).toEqual([
      "rate ",
      "rate 2",
    ]);
    await world.run("again");
    expect((await world.session()).events.map((event) => event.invocationId).includes("outside")).toBe(true);
  });

  it("records spans of invocation, agent, model and tool under one trace", async () => {
    verifies("what-the-service-does:kit-telemetry");
    const tool = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const model = new ScriptedModel([
      { content: { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] } },
      "ok",
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [tool] }));
    const events = await world.run("go");
    const names = new Map(world.spans.map((span) => [span.spanId, span.name]));
    expect(world.spans.map((span) => [span.name, names.get(span.parentSpanId ?? "")])).toEqual([
      ["call_llm", "invoke_agent helper"],
      ["execute_tool look", "invoke_agent helper"],
      ["call_llm", "invoke_agent helper"],
      ["invoke_agent helper", "invocation"],
      ["invocation", undefined],
    ]);
    expect(new Set(world.spans.map((span) => span.traceId)).size).toBe(1);
    expect(world.spans[0]?.attributes).toMatchObject({
      "gcp.vertex.agent.event_id": events[0]?.id,
      "gcp.vertex.agent.llm_request": "{}",
      "gen_ai.request.model": "scripted",
    });
    expect(world.spans[1]?.attributes["gcp.vertex.agent.event_id"]).toBe(events[1]?.id);
  });

  it("puts what was said on spans only if that is configured", async () => {
    verifies("events:trace:content");
    const contents: unknown[] = [];
    for (const captureContent of [undefined, true]) {
      const world = await createAgentWorld(agentOf(new ScriptedModel(["the answer"])));
      const spans: SpanRecord[] = [];
      const runner = new Runner({
        app: world.runner.app,
        journal: world.store,
        sessionService: world.store,
        onSpans: (_session, ended) => spans.push(...ended),
        ...(captureContent !== undefined && { captureContent }),
      });
      const newMessage = userContent("a secret");
      await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage }));
      const text = JSON.stringify(spans);
      contents.push([spans.length, text.includes("a secret"), text.includes("the answer")]);
    }
    expect(contents).toEqual([
      [3, false, false],
      [3, true, true],
    ]);
  });
});

const BEGIN = {
  session: KEY,
  invocationId: "i",
  request: {},
  policy: "reject",
  holder: "test",
  leaseMs: 1000,
  haveRevision: 0,
} as const;

describe("large inline data", () => {
  const picture = { inlineData: { mimeType: "image/png", data: Buffer.alloc(300 * 1024, 7).toString("base64") } };

  it("stays out of the stored event and reaches the model in place, also on later turns", async () => {
    const model = new ScriptedModel(["nice", "still nice"]);
    const world = await createAgentWorld(agentOf(model));
    await world.run({ role: "user", parts: [picture] });
    await world.run("and?");
    expect((await world.session()).events[0]?.content?.parts).toEqual([
      { fileData: { fileUri: expect.stringMatching(/^fairlead-inline:/), mimeType: "image/png" } },
    ]);
    expect(model.requests.map((request) => request.contents[0]?.parts)).toEqual([[picture], [picture]]);
  });
});

describe("sessions that change under a runner", () => {
  it("does not show a session made anew what was said in the one before", async () => {
    const model = new ScriptedModel(["one", "two"]);
    const world = await createAgentWorld(agentOf(model));
    await world.run("old");
    await world.store.deleteSession(KEY);
    // As long as the old one, so that its length does not give it away.
    const imported = (text: string) =>
      createEvent({ id: text, invocationId: "i", author: "user", timestamp: 0, content: userContent(text) });
    await world.store.createSession({ ...KEY, events: [imported("first"), imported("second")] });
    await world.run("new");
    const spoken = model.requests[1]?.contents.map((content) => content.parts?.[0]?.text);
    expect(spoken).toEqual(["first", "second", "new"]);
  });

  it("ends a run whose session is closed meanwhile", async () => {
    const close = new FunctionTool({
      name: "close",
      description: "Closes.",
      execute: () => world.store.closeSession(KEY),
    });
    const model = new ScriptedModel([functionCallResponse("close"), "unreached"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [close] }));
    await expect(world.run("go")).rejects.toThrow(/closed/);
    expect((await world.store.list({})).runs.map((run) => run.status)).toEqual(["failed"]);
  });

  it("ends a run whose session is deleted meanwhile, and stores nothing", async () => {
    const remove = new FunctionTool({
      name: "remove",
      description: "Deletes.",
      execute: () => world.store.deleteSession(KEY),
    });
    const model = new ScriptedModel([functionCallResponse("remove"), "unreached"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [remove] }));
    await expect(world.run("go")).rejects.toMatchObject({ reason: "LEASE_LOST" });
    expect(await world.store.getSession(KEY)).toBeUndefined();
  });
});
