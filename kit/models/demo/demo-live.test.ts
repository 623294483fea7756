import { describe, expect, it } from "vitest";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { DemoModel } from "#kit/models/demo/demo-model.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const getWeather = new FunctionTool({
  name: "get_weather",
  description: "Gives the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => ({ report: `It is sunny in ${String(city)}.` }),
});

async function open(sleep: Sleep = async () => {}) {
  const model = new DemoModel({ model: "demo/live", sleep });
  const world = await createAgentWorld(new LlmAgent({ name: "desk", model, tools: [getWeather] }));
  const queue = new LiveRequestQueue();
  const talk = (modality: "TEXT" | "AUDIO") =>
    world.runner.runLive({
      userId: "ada",
      sessionId: "talk",
      liveRequestQueue: queue,
      runConfig: { responseModalities: [modality] },
    });
  return { queue, talk };
}

/** Reads until this many turns are complete, then hangs up. */
async function read(events: AsyncIterable<Event>, queue: LiveRequestQueue, turns = 1): Promise<readonly Event[]> {
  const all: Event[] = [];
  for await (const event of events) {
    all.push(event);
    if (event.turnComplete === true && all.filter(({ turnComplete }) => turnComplete).length === turns) queue.close();
  }
  return all;
}

const textsOf = (events: readonly Event[]): readonly unknown[] =>
  events.flatMap(({ content, partial }) => (content === undefined || partial === true ? [] : content.parts?.[0]));

/** A tenth of a second of 16-bit samples. */
const chunk = (level: number) => {
  const samples = Buffer.alloc(3200);
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(level, at);
  return { mimeType: "audio/pcm;rate=16000", data: samples.toString("base64") };
};

describe("the live demo model", () => {
  it("writes word by word, and calls the tool of its agent", async () => {
    const { queue, talk } = await open();
    queue.sendContent(userContent("What is the weather in Rome?"));
    const events = await read(talk("TEXT"), queue);
    expect(events.filter(({ partial }) => partial === true).length).toBeGreaterThan(5);
    expect(textsOf(events)).toEqual([
      { functionCall: expect.objectContaining({ name: "get_weather", args: { city: "Rome" } }) },
      { functionResponse: expect.objectContaining({ response: { report: "It is sunny in Rome." } }) },
      { text: "(demo model) The weather station says: It is sunny in Rome." },
    ]);
  });

  it("hears that the user speaks, and answers with tones and transcripts of both sides", async () => {
    const { queue, talk } = await open();
    for (const level of [3000, 3000, 0, 0, 0, 0, 0]) queue.sendRealtime(chunk(level));
    const events = await read(talk("AUDIO"), queue);
    const finished = events.flatMap(({ inputTranscription, outputTranscription }) => {
      const transcription = inputTranscription ?? outputTranscription;
      return transcription?.finished === true ? [transcription.text] : [];
    });
    expect(finished).toEqual([
      "What is the weather in Paris?",
      "(demo model) The weather station says: It is sunny in Paris.",
    ]);
    const sounds = events.flatMap(({ content }) => content?.parts?.flatMap(({ inlineData }) => inlineData ?? []) ?? []);
    expect(sounds.length).toBeGreaterThan(5);
    expect(new Set(sounds.map(({ mimeType }) => mimeType))).toEqual(new Set(["audio/pcm;rate=24000"]));
  });

  it("stops when the user speaks while it answers", async () => {
    let words = 0;
    const { queue, talk } = await open((_ms, signal) => {
      words += 1;
      if (words < 3) return Promise.resolve();
      // The third word is never said.
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    });
    queue.sendContent(userContent("Hello there, how are you today?"));
    const all: Event[] = [];
    for await (const event of talk("AUDIO")) {
      all.push(event);
      if (all.length === 4) queue.send({ activityStart: true });
      if (event.turnComplete === true) queue.close();
    }
    expect(all.slice(-2)).toMatchObject([{ interrupted: true }, { turnComplete: true }]);
    // The part of the answer that was spoken is stored.
    expect(all.at(-3)).toMatchObject({ outputTranscription: { finished: true } });
    expect(all).toHaveLength(7);
  });
});
