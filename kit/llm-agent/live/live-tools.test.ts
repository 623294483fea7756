import { describe, expect, it, vi } from "vitest";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { type Content, modelContent, userContent } from "#kit/events/content.ts";
import { functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { eventually, openCall } from "#test/helpers/live/open-call.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

async function start(...tools: readonly FunctionTool[]) {
  const model = new ScriptedModel([], { live: [] });
  return openCall(new LlmAgent({ name: "helper", model, tools }), model);
}

const texts = (sent: readonly unknown[]): readonly unknown[] =>
  (sent as readonly { readonly content?: Content }[]).flatMap(
    ({ content }) => content?.parts?.map(({ text, functionResponse }) => text ?? functionResponse?.response) ?? [],
  );

/** A tool whose calls a test ends. */
function heldTool(name: string) {
  const signals: AbortSignal[] = [];
  const answers: (() => void)[] = [];
  const tool = new FunctionTool({
    name,
    description: "Waits.",
    execute: (_args, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => answers.push(() => resolve({ done: name })));
    },
  });
  return { tool, signals, answers };
}

describe("a tool of a live run", () => {
  it("runs beside the conversation", async () => {
    const { tool, answers } = heldTool("slow");
    const call = await start(tool);
    call.connection().say(functionCallResponse("slow", {}, "c1"), { content: modelContent("meanwhile") });
    await eventually(() => expect(call.events.map(({ content }) => content?.parts?.[0]?.text)).toContain("meanwhile"));
    call.queue.sendContent(userContent("and me"));
    await eventually(() => expect(texts(call.sent())).toEqual(["and me"]));
    answers[0]?.();
    await eventually(() => expect(texts(call.sent())).toEqual(["and me", { done: "slow" }]));
    call.queue.close();
    expect(await call.ended).toBeUndefined();
  });

  it("is stopped if the model cancels its call, of which the model gets no answer", async () => {
    const [slow, other] = [heldTool("slow"), heldTool("other")];
    const call = await start(slow.tool, other.tool);
    const parts = ["slow", "other"].map((name) => ({ functionCall: { id: name, name, args: {} } }));
    call.connection().say({ content: { role: "model", parts } });
    await eventually(() => expect([slow.signals.length, other.signals.length]).toEqual([1, 1]));
    call.connection().say({ cancelledCallIds: ["slow"] });
    await eventually(() => expect(slow.signals[0]?.aborted).toBe(true));
    expect(other.signals[0]?.aborted).toBe(false);
    other.answers[0]?.();
    await eventually(() => expect(texts(call.sent())).toEqual([{ done: "other" }]));
    call.queue.close();
    await call.ended;
    const responses = (await call.world.session()).events.flatMap(({ content }) => content?.parts ?? []);
    expect(responses.map(({ functionResponse }) => functionResponse?.response).filter(Boolean)).toEqual([
      { error: expect.stringContaining("The model cancelled this call") },
      { done: "other" },
    ]);
  });

  it("tells the model whether to wait for it, and how to take its answer up", async () => {
    const tool = new FunctionTool({
      name: "look",
      description: "Looks.",
      behavior: "NON_BLOCKING",
      responseScheduling: "WHEN_IDLE",
      execute: () => ({ seen: true }),
    });
    const call = await start(tool);
    expect(call.connection().request.functionDeclarations).toMatchObject([{ name: "look", behavior: "NON_BLOCKING" }]);
    call.connection().say(functionCallResponse("look", {}, "c1"));
    const functionResponse = { id: "c1", name: "look", response: { seen: true }, scheduling: "WHEN_IDLE" };
    await eventually(() =>
      expect(call.sent()).toEqual([{ kind: "content", content: { role: "user", parts: [{ functionResponse }] } }]),
    );
    call.queue.close();
    await call.ended;
  });

  it("ends with the run, also in the background", async () => {
    const { tool, signals } = heldTool("slow");
    const call = await start(tool);
    call.connection().say(functionCallResponse("slow", {}, "c1"));
    await eventually(() => expect(signals).toHaveLength(1));
    call.queue.close();
    expect(await call.ended).toBeUndefined();
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("a tool that returns a stream", () => {
  const open = Promise.withResolvers<void>();
  let ended = 0;
  async function* count() {
    try {
      yield { count: 1 };
      yield { count: 2 };
      await open.promise;
      yield { count: 3 };
    } finally {
      ended += 1;
    }
  }

  it("answers at once; each value reaches the model as a text that names it, until the model stops it", async () => {
    const call = await start(new FunctionTool({ name: "count", description: "Counts.", execute: count }));
    expect(call.connection().request.functionDeclarations.map(({ name }) => name)).toContain("stop_streaming");
    call.connection().say(functionCallResponse("count", {}, "c1"));
    await eventually(() =>
      expect(new Set(texts(call.sent()))).toEqual(
        new Set([
          { status: "count is running. Each of its results will follow as a message that names it." },
          'Function count returned: {"count":1}',
          'Function count returned: {"count":2}',
        ]),
      ),
    );
    call.connection().say(functionCallResponse("stop_streaming", { function_name: "count" }, "c2"));
    await eventually(() => expect(texts(call.sent())).toContainEqual({ status: "count was stopped." }));
    open.resolve();
    await vi.waitFor(() => expect(ended).toBe(1));
    call.connection().say(functionCallResponse("stop_streaming", { function_name: "count" }, "c3"));
    await eventually(() => expect(texts(call.sent())).toContainEqual({ status: "count is not running." }));
    expect(texts(call.sent())).not.toContain('Function count returned: {"count":3}');
    call.queue.close();
    await call.ended;
  });

  it("may read what the client sends", async () => {
    const watch = new FunctionTool({
      name: "watch",
      description: "Watches.",
      execute: async function* (_args: unknown, context: ToolContext) {
        for await (const { blob } of context.liveInput()) if (blob !== undefined) yield { saw: blob.mimeType };
      },
    });
    const call = await start(watch);
    call.queue.sendRealtime({ mimeType: "image/before", data: "AAAA" });
    call.connection().say(functionCallResponse("watch", {}, "c1"));
    await eventually(() => expect(texts(call.sent())).toHaveLength(1));
    call.queue.sendRealtime({ mimeType: "image/jpeg", data: "AAAA" });
    await eventually(() => expect(texts(call.sent())).toContain('Function watch returned: {"saw":"image/jpeg"}'));
    expect(JSON.stringify(texts(call.sent()))).not.toContain("image/before");
    call.queue.close();
    await call.ended;
  });

  it("does not exist in other runs, whose tools have no live input", async () => {
    const model = new ScriptedModel([functionCallResponse("watch", {}, "c1"), "ok"]);
    const execute = (_args: unknown, context: ToolContext) => context.liveInput();
    const tools = [new FunctionTool({ name: "watch", description: "Watches.", execute })];
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools }));
    const events = await world.run("go");
    expect(JSON.stringify(events)).toContain("Only tools of a live run have live input");
  });
});

describe("a question to the user in a live run", () => {
  it.each([true, false])("runs the call if the answer is %s, and the model gets the result", async (confirmed) => {
    const pay = new FunctionTool({
      name: "pay",
      description: "Pays.",
      requireConfirmation: true,
      execute: () => ({ paid: true }),
    });
    const call = await start(pay);
    call.connection().say(functionCallResponse("pay", {}, "c1"));
    const question = await eventually(() => {
      const found = call.events.flatMap(functionCalls).find(({ name }) => name === "adk_request_confirmation");
      if (found === undefined) throw new Error("There is no question.");
      return found;
    });
    await eventually(() => expect(call.sent()).toHaveLength(1));
    const { id, name } = question;
    call.queue.sendContent({ role: "user", parts: [{ functionResponse: { id, name, response: { confirmed } } }] });
    await eventually(() => expect(call.sent()).toHaveLength(2));
    const [, report] = texts(call.sent());
    expect(report).toContain("The user has answered the question about pay.");
    expect(report).toContain(confirmed ? '{"paid":true}' : "rejected");
    call.queue.close();
    await call.ended;
    expect((await call.world.store.list({})).runs.map(({ status }) => status)).toEqual(["succeeded"]);
  });
});
