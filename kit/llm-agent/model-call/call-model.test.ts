import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** Gives the first event of its sub-agents and then stops reading. */
class FirstWord extends BaseAgent {
  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    for (const agent of this.subAgents) {
      for await (const event of agent.runAsync(context)) {
        yield event;
        break;
      }
    }
  }
}

describe("the stream of a model", () => {
  it("is closed when the reader of the agent stops early", async () => {
    const log: string[] = [];
    const model: BaseLlm = {
      model: "streams",
      async *generateContentAsync(): AsyncGenerator<LlmResponse> {
        try {
          for (const text of ["one", "two"]) {
            log.push(text);
            yield { content: modelContent(text), partial: true };
          }
        } finally {
          log.push("closed");
        }
      },
    };
    const world = await createAgentWorld(
      new FirstWord({ name: "first", subAgents: [new LlmAgent({ name: "helper", model })] }),
    );
    const events = await world.run("go", { streamingMode: StreamingMode.SSE });
    expect([events.map(brief), log]).toEqual([["helper~: one"], ["one", "closed"]]);
  });

  it("is not read any further after a failure that a callback has answered", async () => {
    let reads = 0;
    const model: BaseLlm = {
      model: "odd",
      generateContentAsync: () => ({
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            reads += 1;
            if (reads === 1) throw new Error("down");
            return reads > 3
              ? { done: true, value: undefined }
              : { done: false, value: { content: modelContent("more") } };
          },
        }),
      }),
    };
    const agent = new LlmAgent({
      name: "helper",
      model,
      onModelErrorCallback: () => ({ content: modelContent("recovered") }),
    });
    const world = await createAgentWorld(agent);
    expect([(await world.run("go")).map(brief), reads]).toEqual([["helper: recovered"], 1]);
  });

  it("gives each complete response an event of its own, with its own id and actions", async () => {
    const model = new ScriptedModel([[{ content: modelContent("one") }, { content: modelContent("two") }]]);
    let count = 0;
    const agent = new LlmAgent({
      name: "helper",
      model,
      afterModelCallback: (context) => context.state.set(`key${++count}`, count),
    });
    const world = await createAgentWorld(agent);
    const events = await world.run("go");
    expect(events.map((event) => [brief(event), event.actions.stateDelta])).toEqual([
      ["helper: one", { key1: 1 }],
      ["helper: two", { key2: 2 }],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
    const span = world.spans.find(({ name }) => name === "call_llm");
    expect(span?.attributes["gcp.vertex.agent.event_id"]).toBe(events[1]?.id);
  });

  it("reports the request's parameters, the model that answered and the first chunk of a stream on its span", async () => {
    const model = new ScriptedModel(
      [
        [
          { content: modelContent("wo"), partial: true },
          { content: modelContent("word"), modelVersion: "scripted-001", finishReason: "MAX_TOKENS" },
        ],
      ],
      { repeatLast: true },
    );
    const generateContentConfig = { temperature: 0, topK: 3, maxOutputTokens: 9, stopSequences: ["."] };
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, generateContentConfig }));
    for (const streamingMode of [StreamingMode.SSE, StreamingMode.NONE]) await world.run("go", { streamingMode });
    const [streamed, whole] = world.spans.filter(({ name }) => name === "call_llm").map(({ attributes }) => attributes);
    const first = { "gen_ai.request.stream": true, "gen_ai.response.time_to_first_chunk": 0 };
    const both = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "_OTHER",
      "gen_ai.request.model": "scripted",
      "gen_ai.conversation.id": "talk",
      "gen_ai.agent.name": "helper",
      "gen_ai.request.temperature": 0,
      "gen_ai.request.top_k": 3,
      "gen_ai.request.max_tokens": 9,
      "gen_ai.request.stop_sequences": ["."],
      "gen_ai.response.model": "scripted-001",
      "gen_ai.response.finish_reasons": ["max_tokens"],
    };
    expect(streamed).toMatchObject({ ...both, ...first });
    expect(whole).toMatchObject(both);
    for (const name of Object.keys(first)) expect(whole).not.toHaveProperty([name]);
  });

  it("has the same id for a call in its chunks and in the complete response", async () => {
    const content = { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] };
    const model = new ScriptedModel([[{ content, partial: true }, { content }], "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const [first, second] = await world.run("go", { streamingMode: StreamingMode.SSE });
    expect([first?.partial, second?.partial]).toEqual([true, undefined]);
    expect(second && functionCalls(second)[0]?.id).toBe(first && functionCalls(first)[0]?.id);
  });

  it.each<[string, readonly LlmResponse[]]>([
    ["no response at all", []],
    ["chunks alone", [{ content: modelContent("wo"), partial: true }]],
    ["a chunk without content alone", [{ partial: true }]],
    ["a chunk of a content without parts alone", [{ content: { role: "model" }, partial: true }]],
  ])("is answered with an error if it has %s", async (_, responses) => {
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel([responses]) }));
    const events = await world.run("go", { streamingMode: StreamingMode.SSE });
    expect(events.map(({ partial }) => partial)).toEqual([...responses.map(() => true), undefined]);
    expect(events.at(-1)?.errorCode).toBe("MODEL_RETURNED_NO_CONTENT");
  });

  it("may end with a complete response without parts", async () => {
    const model = new ScriptedModel([{ content: { role: "model", parts: [] } }]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    expect((await world.run("go")).map(({ content, errorCode }) => [content, errorCode])).toEqual([
      [{ role: "model", parts: [] }, undefined],
    ]);
  });

  it("ends the run with what is wrong when a response has another form", async () => {
    // What an adapter in plain JavaScript may give.
    const model = new ScriptedModel([[42 as unknown as LlmResponse]]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    await expect(world.run("go")).rejects.toThrow("the answer is a number, not an object");
  });
});

describe("a failure of the model", () => {
  it("is on the span of the call", async () => {
    const model = new ScriptedModel([new Error("down")]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    await expect(world.run("go")).rejects.toThrow("down");
    expect(world.spans.filter(({ name }) => name === "call_llm").map(({ error }) => error)).toEqual(["Error: down"]);
  });

  it("is not shown to callbacks when the run was cancelled, which is not a failure of the model", async () => {
    const cancel = new AbortController();
    const errors: unknown[] = [];
    const model = new ScriptedModel([
      () => {
        cancel.abort();
        return [new Promise<never>(() => {})];
      },
    ]);
    const agent = new LlmAgent({
      name: "helper",
      model,
      onModelErrorCallback: (_context, _request, error) => void errors.push(error),
    });
    const world = await createAgentWorld(agent);
    const newMessage = userContent("go");
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage, signal: cancel.signal });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect([model.callCount, errors]).toEqual([1, []]);
  });

  it("may be answered with a text that is not held against the output schema", async () => {
    const model = new ScriptedModel([new Error("down")]);
    const agent = new LlmAgent({
      name: "helper",
      model,
      outputSchema: z.object({ city: z.string() }),
      onModelErrorCallback: () => ({ content: modelContent("sorry") }),
    });
    const world = await createAgentWorld(agent);
    expect((await world.run("go")).map(brief)).toEqual(["helper: sorry"]);
  });
});
