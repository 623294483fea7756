import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { EventSummarizer } from "#kit/compaction/event-summarizer.ts";
import { LlmEventSummarizer } from "#kit/compaction/llm-event-summarizer.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent, type UsageMetadata, userContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import type { BaseLlmConnection } from "#kit/models/base-llm-connection.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import type { ModelCallEstimate, RunBudget } from "./model-budget.ts";
import { RunMeter } from "./run-meter.ts";

const REFUSAL = new PlatformError("QUOTA_EXCEEDED", "full");
const signal = new AbortController().signal;

/** A budget with room for this many calls, which records the reserved and used amounts. */
function recordingBudget(calls = Number.POSITIVE_INFINITY) {
  const reserved: ModelCallEstimate[] = [];
  const used: UsageMetadata[] = [];
  const ends: PlatformError[] = [];
  const budget: RunBudget = {
    reserve: async (call) => {
      if (reserved.length >= calls) throw REFUSAL;
      reserved.push(call);
      return { settle: (usage) => void used.push(usage) };
    },
  };
  const meter = new RunMeter({ budget, end: (refusal) => void ends.push(refusal) });
  return { meter, reserved, used, ends };
}

const requestOf = (text: string): LlmRequest => new LlmRequest({ model: "scripted", contents: [userContent(text)] });

function chunkOf(characters: number): LlmResponse {
  return { partial: true, content: modelContent("x".repeat(characters)) };
}

async function call(meter: RunMeter, model: ScriptedModel, text: string): Promise<void> {
  await Array.fromAsync(meter.model(model).generateContentAsync(requestOf(text), { stream: true, signal }));
}

it("reserves by the size of the prompt, then by what the model reported for the run's last one", async () => {
  const { meter, reserved, used } = recordingBudget();
  const reports = (promptTokenCount: number): ScriptedStep => ({
    content: modelContent("well"),
    usageMetadata: { promptTokenCount },
  });
  const model = new ScriptedModel([reports(250), reports(0), reports(1e9), "end"]);
  for (let turn = 0; turn < 4; turn += 1) await call(meter, model, "x".repeat(400));
  expect(reserved.map(({ promptTokens }) => promptTokens)).toEqual([100, 250, 250, 1000]);
  expect(used.map(({ promptTokenCount }) => promptTokenCount)).toEqual([250, 0, 1e9, 1000]);
});

it("counts instructions, tools and the longest answer that the request allows", async () => {
  const { meter, reserved } = recordingBudget();
  const request = new LlmRequest({ model: "m", contents: [], config: { maxOutputTokens: 70 } });
  request.appendInstructions("x".repeat(40), "x".repeat(40));
  request.appendTools({ name: "add", getDeclaration: () => ({ name: "add", description: "x".repeat(80) }) });
  const model = new ScriptedModel(["end"]);
  await Array.fromAsync(meter.model(model).generateContentAsync(request, { stream: false, signal }));
  expect(reserved).toEqual([{ model: "m", promptTokens: 49, maxOutputTokens: 70 }]);
});

it("counts the chunks of an answer whose reader stops", async () => {
  const { meter, used } = recordingBudget();
  const chunk = { partial: true, content: modelContent("x".repeat(40)) };
  const model = new ScriptedModel([[chunk, chunk, chunk]]);
  let read = 0;
  for await (const _ of meter.model(model).generateContentAsync(requestOf("hi"), { stream: true, signal })) {
    read += 1;
    if (read === 2) break;
  }
  expect(used).toEqual([{ promptTokenCount: 1, candidatesTokenCount: 20 }]);
});

it("leaves no listener on the run's signal when a call has ended, however it ended", async () => {
  const { meter, used } = recordingBudget();
  const run = new AbortController();
  const options = { stream: true, config: {}, signal: run.signal };
  const own = { ...noConnection(), receive: () => emptyAnswer() };
  const model = { model: "m", generateContentAsync: () => emptyAnswer(), connect: async () => own };
  await Array.fromAsync(meter.model(model).generateContentAsync(requestOf("hi"), options));
  const failing = { model: "m", generateContentAsync: () => failingAnswer() };
  await expect(Array.fromAsync(meter.model(failing).generateContentAsync(requestOf("hi"), options))).rejects.toThrow();
  const connection = await meter.model(model).connect?.(requestOf("hi"), options);
  await connection?.close();
  expect(getEventListeners(run.signal, "abort")).toEqual([]);
  const settled = used.length;
  run.abort();
  expect(used).toHaveLength(settled);
});

it("passes on all that is sent to a live connection", async () => {
  const { meter } = recordingBudget();
  const sent: unknown[] = [];
  const note = async (...args: readonly unknown[]): Promise<void> => void sent.push(args);
  const own = { sendHistory: note, sendContent: note, sendRealtime: note, close: note, receive: () => emptyAnswer() };
  const model = { model: "m", generateContentAsync: () => emptyAnswer(), connect: async () => own };
  const connection = await meter.model(model).connect?.(requestOf("hi"), { config: {}, signal });
  const blob = { mimeType: "audio/pcm", data: "AA==" };
  await connection?.sendHistory([userContent("a")], { turnComplete: false });
  await connection?.sendContent(userContent("b"), { turnComplete: false });
  await connection?.sendRealtime({ blob });
  await connection?.close();
  expect(sent).toEqual([
    [[userContent("a")], { turnComplete: false }],
    [userContent("b"), { turnComplete: false }],
    [{ blob }],
    [],
  ]);
});

it("ends the run at a refusal, and does not call the model", async () => {
  const { meter, ends } = recordingBudget(0);
  const model = new ScriptedModel(["never"]);
  await expect(call(meter, model, "hi")).rejects.toBe(REFUSAL);
  expect(ends).toEqual([REFUSAL]);
  expect(model.callCount).toBe(0);
});

it.each(["generateContentAsync", "connect"] as const)(
  "does not end a run by a refusal if its call of %s waited for room until the run was cancelled",
  async (method) => {
    const run = new AbortController();
    const ends: PlatformError[] = [];
    const budget: RunBudget = {
      reserve: (_call, waits) =>
        new Promise((_resolve, reject) => waits.addEventListener("abort", () => reject(waits.reason), { once: true })),
    };
    const model = new RunMeter({ budget, end: (refusal) => void ends.push(refusal) }).model(
      new ScriptedModel([], { live: [] }),
    );
    const options = { stream: true, config: {}, signal: run.signal };
    const call =
      method === "connect"
        ? model.connect?.(requestOf("hi"), options)
        : Array.fromAsync(model.generateContentAsync(requestOf("hi"), options));
    const cancelled = new PlatformError("RUN_CANCELLED", "cancelled");
    run.abort(cancelled);
    await expect(call).rejects.toBe(cancelled);
    expect(ends).toEqual([]);
  },
);

it.each<[string, readonly LlmResponse[], number]>([
  ["chunks and then the whole answer", [chunkOf(4), chunkOf(8), { content: modelContent("x".repeat(12)) }], 3],
  ["chunks alone", [chunkOf(4), chunkOf(8)], 3],
  ["chunks that are followed by their end", [chunkOf(8), { finishReason: "STOP" }], 0],
  ["two whole answers", [{ content: modelContent("x".repeat(12)) }, { content: modelContent("x".repeat(8)) }], 2],
])("estimates an answer of %s by its text, once", async (_title, responses, tokens) => {
  const { meter, used } = recordingBudget();
  await call(meter, new ScriptedModel([responses]), "hi");
  expect(used).toEqual([{ promptTokenCount: 1, candidatesTokenCount: tokens }]);
});

it("reserves a live connection, and again with each usage that it reports", async () => {
  const { meter, reserved, used, ends } = recordingBudget(2);
  const turn = { content: modelContent("well"), usageMetadata: { totalTokenCount: 5 } };
  const model = new ScriptedModel([], { live: [[turn], [turn]], hangsUp: true });
  const connection = await meter.model(model).connect?.(requestOf("hi"), { config: {}, signal });
  if (connection === undefined) throw new Error("The model has no live connection.");
  await connection.sendContent(userContent("one"));
  await connection.sendContent(userContent("two"));
  await expect(Array.fromAsync(connection.receive())).rejects.toBe(REFUSAL);
  expect(reserved).toHaveLength(2);
  expect(used).toEqual([{ totalTokenCount: 5 }, { totalTokenCount: 5 }]);
  expect(ends).toEqual([REFUSAL]);
});

it("settles a connection that cannot be opened, and has none for a model without", async () => {
  const { meter, used } = recordingBudget();
  const failing = {
    model: "m",
    generateContentAsync: () => emptyAnswer(),
    connect: () => Promise.reject(new Error("down")),
  };
  await expect(meter.model(failing).connect?.(requestOf("hi"), { config: {}, signal })).rejects.toThrow("down");
  expect(used).toEqual([{}]);
  expect(meter.model(new ScriptedModel([])).connect).toBeUndefined();
});

describe("a live connection", () => {
  const open = async (meter: RunMeter, model: ScriptedModel) => {
    const connection = await meter.model(model).connect?.(requestOf("hi"), { config: {}, signal });
    if (connection === undefined) throw new Error("The model has no live connection.");
    return connection;
  };

  it("is settled when it is closed before its responses are read", async () => {
    const { meter, used } = recordingBudget();
    const connection = await open(meter, new ScriptedModel([], { live: [] }));
    await connection.close();
    await connection.close();
    expect(used).toEqual([{}]);
  });

  it.each(["opens", "answers"])("is settled with its run if it never %s", async (what) => {
    const { meter, used } = recordingBudget();
    const never = new Promise<never>(() => {});
    const connection = {
      ...noConnection(),
      receive: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }),
    };
    const model = {
      model: "m",
      generateContentAsync: () => emptyAnswer(),
      connect: async () => (what === "opens" ? never : (connection as unknown as BaseLlmConnection)),
    };
    const run = new AbortController();
    const opening = meter.model(model).connect?.(requestOf("hi"), { config: {}, signal: run.signal });
    if (what === "answers") void (await opening)?.receive()[Symbol.asyncIterator]().next();
    // The reservation is made in a later turn.
    await expect.poll(() => used).toEqual([]);
    run.abort();
    await expect.poll(() => used).toEqual([{}]);
  });

  it("counts what arrives before and after it is closed while its responses are read", async () => {
    const { meter, used } = recordingBudget();
    const content = modelContent("well");
    const turn = [
      { content, partial: true },
      { content, usageMetadata: { totalTokenCount: 5 } },
    ];
    const connection = await open(meter, new ScriptedModel([], { live: [turn] }));
    await connection.sendContent(userContent("one"));
    for await (const _ of connection.receive()) await connection.close();
    expect(used).toEqual([{ totalTokenCount: 5 }, {}]);
  });
});

it("counts the prompt of a call that is aborted before its answer begins, but not of one that is never made", async () => {
  const { meter, used } = recordingBudget();
  const abort = new AbortController();
  const model = new ScriptedModel([
    () => {
      abort.abort();
      return new Promise(() => {});
    },
  ]);
  const options = { stream: true, signal: abort.signal };
  const request = requestOf("x".repeat(40));
  for (let call = 0; call < 2; call += 1)
    await expect(Array.fromAsync(meter.model(model).generateContentAsync(request, options))).rejects.toThrow();
  expect(used).toEqual([{ promptTokenCount: 10, candidatesTokenCount: 0 }, {}]);
});

const SUMMARY_REQUEST = {
  previous: [modelContent("x".repeat(40))],
  overlap: [],
  events: [
    createEvent({ id: "e", invocationId: "i", author: "user", timestamp: 0, content: userContent("x".repeat(40)) }),
  ],
  signal,
};

it("counts summaries, and a refused one does not end the run", async () => {
  const summarizer: EventSummarizer = { summarizeEvents: async () => ({ content: modelContent("x".repeat(8)) }) };
  const { meter, reserved, used } = recordingBudget();
  await meter.summarizer(summarizer).summarizeEvents(SUMMARY_REQUEST);
  expect(reserved).toEqual([{ model: "unknown", promptTokens: 20 }]);
  expect(used).toEqual([{ promptTokenCount: 20, candidatesTokenCount: 2 }]);
  const full = recordingBudget(0);
  await expect(full.meter.summarizer(summarizer).summarizeEvents(SUMMARY_REQUEST)).rejects.toBe(REFUSAL);
  expect(full.ends).toEqual([]);
});

it("prices a summary by the summarizer's own model, and else by that of the conversation", async () => {
  const { meter, reserved } = recordingBudget();
  const own = new ScriptedModel(["short"], { model: "small" });
  const model = new ScriptedModel(["short"], { model: "large" });
  for (const summarizer of [new LlmEventSummarizer({ model: own }), new LlmEventSummarizer()])
    await meter.summarizer(summarizer).summarizeEvents({ ...SUMMARY_REQUEST, model });
  expect(reserved.map((call) => call.model)).toEqual(["small", "large"]);
});

it("counts the prompt of a summary that is aborted, and nothing of one that fails", async () => {
  const { meter, used } = recordingBudget();
  const failing: EventSummarizer = { summarizeEvents: () => Promise.reject(new Error("down")) };
  await expect(meter.summarizer(failing).summarizeEvents(SUMMARY_REQUEST)).rejects.toThrow("down");
  const begun = Promise.withResolvers<void>();
  const hanging: EventSummarizer = {
    summarizeEvents: () => {
      begun.resolve();
      return new Promise(() => {});
    },
  };
  const abort = new AbortController();
  void meter.summarizer(hanging).summarizeEvents({ ...SUMMARY_REQUEST, signal: abort.signal });
  await begun.promise;
  abort.abort();
  expect(used).toEqual([{}, { promptTokenCount: 20, candidatesTokenCount: 0 }]);
});

function noConnection(): Omit<BaseLlmConnection, "receive"> {
  const nothing = async (): Promise<void> => {};
  return { sendHistory: nothing, sendContent: nothing, sendRealtime: nothing, close: nothing };
}

async function* failingAnswer(): AsyncGenerator<never> {
  throw new Error("down");
}

async function* emptyAnswer(): AsyncGenerator<never> {}

it("reserves and counts what another live model says under the name of that one", async () => {
  const { meter, reserved, used } = recordingBudget();
  const change = { liveModelChange: { from: "scripted", to: "other", reason: "CONNECTION_LOST", replayed: true } };
  const turn = (totalTokenCount: number): LlmResponse => ({ usageMetadata: { totalTokenCount } });
  const model = new ScriptedModel([], { live: [[turn(5), change, turn(7)]], hangsUp: true });
  const connect = async (options: Partial<Parameters<NonNullable<typeof model.connect>>[1]>) => {
    const connection = await meter.model(model).connect?.(requestOf("hi"), { config: {}, signal, ...options });
    await connection?.sendContent(userContent("go"));
    return connection;
  };
  await Array.fromAsync((await connect({}))?.receive() ?? []);
  expect(reserved.map((call) => call.model)).toEqual(["scripted", "scripted", "other", "other"]);
  expect(used).toEqual([{ totalTokenCount: 5 }, {}, { totalTokenCount: 7 }, {}]);
  await (await connect({ resumption: { handle: "h", model: "other" } }))?.close();
  expect(reserved.at(-1)?.model).toBe("other");
});
