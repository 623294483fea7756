import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { eventually, type OpenCallOptions, openCall } from "#test/helpers/live/open-call.ts";

type Options = Partial<ConstructorParameters<typeof LlmAgent>[0]>;

async function start(options: Options = {}, call: OpenCallOptions = {}) {
  const model = new ScriptedModel([], { live: [] });
  return { ...(await openCall(new LlmAgent({ name: "helper", model, ...options }), model, call)), model };
}

/** What the caller gets for the responses, and what is stored. */
async function hear(responses: readonly LlmResponse[], options: Options = {}, callOptions: OpenCallOptions = {}) {
  const call = await start(options, callOptions);
  call.connection().say(...responses);
  await eventually(() => expect(call.connection().isClosed || call.events.length > 0).toBe(true));
  call.queue.close();
  const failure = await call.ended;
  return { events: call.events, stored: (await call.world.session()).events, failure, world: call.world };
}

const brief = ({ author, partial, content, inputTranscription, outputTranscription, ...rest }: Event): string => {
  const mark = partial === true ? "~" : "";
  const said = inputTranscription ?? outputTranscription;
  if (said !== undefined) return `${author}${mark} [${said.text}]${said.finished === true ? "." : ""}`;
  const [part] = content?.parts ?? [];
  const text = part?.text ?? part?.functionCall?.name ?? part?.functionResponse?.name ?? part?.inlineData?.mimeType;
  const signals = Object.keys(rest).filter((name) =>
    /turnComplete|interrupted|goAway|live|voice|generation/.test(name),
  );
  return `${author}${mark} ${[text, ...signals].filter((word) => word !== undefined).join(" ")}`;
};

describe("what a live model says", () => {
  it("is streamed in chunks, and stored as one event for each content and each utterance", async () => {
    const { events, stored } = await hear([
      { inputTranscription: { text: "hel", finished: false }, partial: true },
      { inputTranscription: { text: "hello", finished: true } },
      { content: modelContent("o"), partial: true },
      { content: modelContent("oh hi") },
      { outputTranscription: { text: "oh", finished: false }, partial: true },
      { outputTranscription: { text: "oh hi", finished: true } },
      { turnComplete: true },
    ]);
    expect(events.map(brief)).toEqual([
      "user~ [hel]",
      "user [hello].",
      "helper~ o",
      "helper oh hi",
      "helper~ [oh]",
      "helper [oh hi].",
      "helper turnComplete",
    ]);
    expect(stored.map(brief)).toEqual(events.map(brief).filter((text) => !text.includes("~")));
  });

  it("has a transcript also if an utterance ends without one: at an interruption, or before a call", async () => {
    const { stored } = await hear([
      { outputTranscription: { text: "Once upon " }, partial: true },
      { interrupted: true },
      { inputTranscription: { text: "weather" }, partial: true },
      functionCallResponse("look", {}, "c1"),
    ]);
    expect(stored.map(brief).slice(0, 4)).toEqual([
      "helper [Once upon ].",
      "helper interrupted",
      "user [weather].",
      "helper look",
    ]);
  });

  it("has signals, which are streamed only, and never the secret handle", async () => {
    const { events, stored } = await hear([
      { goAway: { timeLeft: "50s" } },
      { liveSessionResumptionUpdate: { newHandle: "SECRET", resumable: true } },
      { voiceActivity: { type: "ACTIVITY_START" } },
      { generationComplete: true },
    ]);
    expect(events.map(brief)).toEqual([
      "helper~ goAway",
      "helper~ liveSessionResumptionUpdate",
      "helper~ voiceActivity",
      "helper~ generationComplete",
    ]);
    expect(events[1]?.liveSessionResumptionUpdate).toEqual({ resumable: true });
    expect([JSON.stringify(events), stored]).toEqual([expect.not.stringContaining("SECRET"), []]);
  });

  it("has a stored event that names both models when the model changes", async () => {
    const liveModelChange = { from: "a", to: "b", reason: "MODEL_UNAVAILABLE", replayed: true };
    const { stored } = await hear([{ liveModelChange }, { liveInputDropped: { chunks: 2, bytes: 640 } }]);
    expect(stored.map(({ customMetadata }) => customMetadata)).toEqual([
      { liveModelChange },
      { liveInputDropped: { chunks: 2, bytes: 640 } },
    ]);
  });

  it("is part of the next prompt, also what was only spoken", async () => {
    const call = await start();
    call
      .connection()
      .say(
        { inputTranscription: { text: "how are you", finished: true } },
        { outputTranscription: { text: "fine", finished: true } },
        { turnComplete: true },
      );
    await eventually(() => expect(call.events).toHaveLength(3));
    call.queue.close();
    await call.ended;
    const model = new ScriptedModel([], { live: [] });
    const next = await openCall(new LlmAgent({ name: "helper", model }), model, { world: { store: call.world.store } });
    expect(next.sent()[0]).toEqual({ kind: "history", history: [userContent("how are you"), modelContent("fine")] });
    next.queue.close();
    await next.ended;
  });
});

describe("the output of an agent that speaks", () => {
  const output = async (...responses: readonly LlmResponse[]): Promise<unknown> => {
    const { world } = await hear(responses, { outputKey: "answer" });
    return (await world.session()).state["answer"];
  };
  const says = (text: string): LlmResponse => ({ outputTranscription: { text, finished: true } });
  const begins = (text: string): LlmResponse => ({ outputTranscription: { text }, partial: true });
  const END: LlmResponse = { turnComplete: true };

  it("is the transcript of its turn, whole or in chunks", async () => {
    expect(await output(says("It is"), says("sunny."), END)).toBe("It is sunny.");
    expect(await output(begins("It "), begins("rains."), END)).toBe("It rains.");
    expect(await output(says("First."), END, says("Second."), END)).toBe("Second.");
  });

  it("has neither what comes before a call, nor an answer that was interrupted", async () => {
    const call = functionCallResponse("look", {}, "c1");
    expect(await output(begins("Let me look."), call)).toBeUndefined();
    expect(await output(begins("Once upon "), { interrupted: true })).toBeUndefined();
  });
});

describe("the sound of a live run", () => {
  const sound = (text: string): LlmResponse => ({
    content: {
      role: "model",
      parts: [{ inlineData: { mimeType: "audio/pcm;rate=24000", data: Buffer.from(text).toString("base64") } }],
    },
  });

  it("is streamed and never stored, unless the run says so", async () => {
    const { events, stored } = await hear([sound("ab"), { turnComplete: true }]);
    expect(events.map(brief)).toEqual(["helper~ audio/pcm;rate=24000", "helper turnComplete"]);
    expect(stored.map(brief)).toEqual(["helper turnComplete"]);
  });

  it("becomes an artifact for each utterance of each side if the run says so", async () => {
    const call = await start({}, { runConfig: { saveLiveBlob: true } });
    const spoken = { mimeType: "audio/pcm;rate=16000", data: Buffer.from("xyz!").toString("base64") };
    call.queue.sendRealtime(spoken);
    call.queue.sendRealtime(spoken);
    await eventually(() => expect(call.connection().sent).toHaveLength(2));
    call.connection().say(sound("a"), sound("bc"), { turnComplete: true });
    await eventually(() => expect(call.events.at(-1)?.turnComplete).toBe(true));
    call.queue.close();
    await call.ended;
    const session = { appName: "app", userId: "ada", id: "talk" };
    const names = call.events.flatMap(({ actions }) => Object.keys(actions.artifactDelta));
    const saved = await Promise.all(names.map((filename) => call.world.artifacts.loadArtifact({ session, filename })));
    expect(saved.map((part) => Buffer.from(part?.inlineData?.data ?? "", "base64").toString())).toEqual([
      "xyz!xyz!",
      "abc",
    ]);
    expect(JSON.stringify((await call.world.session()).events)).not.toContain("inlineData");
  });
});

describe("a callback of a live run", () => {
  it("cuts what the model says, whose rest is not heard; the next session has the conversation without it", async () => {
    const seen: unknown[] = [];
    const afterModelCallback: NonNullable<Options["afterModelCallback"]> = (_context, { outputTranscription }) => {
      seen.push(outputTranscription?.text);
      return outputTranscription?.text?.includes("secret") === true
        ? { content: modelContent("I may not.") }
        : undefined;
    };
    const call = await start({ afterModelCallback });
    call.queue.sendContent(userContent("tell"));
    await eventually(() => expect(call.connection().sent).toHaveLength(1));
    const first = call.connection();
    first.say(
      { outputTranscription: { text: "The " }, partial: true },
      { outputTranscription: { text: "secret is" }, partial: true },
      { outputTranscription: { text: " 42" }, partial: true },
    );
    await eventually(() => expect(call.model.connections).toHaveLength(2));
    expect(first.isClosed).toBe(true);
    expect(seen).toEqual(["The ", "The secret is"]);
    expect(call.events.at(-1)).toMatchObject({
      content: modelContent("I may not."),
      interrupted: true,
      turnComplete: true,
    });
    await eventually(() =>
      expect(call.connection().sent).toEqual([
        { kind: "history", history: [userContent("tell"), modelContent("I may not.")] },
      ]),
    );
    call.queue.close();
    expect(await call.ended).toBeUndefined();
  });

  it("screens what the user has said when its transcript is complete", async () => {
    const beforeModelCallback: NonNullable<Options["beforeModelCallback"]> = (_context, { contents }) =>
      contents.at(-1)?.parts?.[0]?.text === "bad words" ? { content: modelContent("No.") } : undefined;
    const call = await start({ beforeModelCallback });
    call
      .connection()
      .say({ inputTranscription: { text: "bad words", finished: true } }, { content: modelContent("never") });
    await eventually(() => expect(call.model.connections).toHaveLength(2));
    expect(call.events.map(brief)).toEqual(["user [bad words].", "helper No. interrupted turnComplete"]);
    call.queue.close();
    await call.ended;
  });
});

describe("the limits of a live run", () => {
  it("end it in the middle of the conversation: tokens at each report, and calls of the model", async () => {
    const answer = { content: modelContent("a"), turnComplete: true, usageMetadata: { totalTokenCount: 60 } };
    const tokens = await hear([answer, answer, answer], {}, { runConfig: { maxTotalTokens: 100 } });
    expect(tokens.failure).toMatchObject({ reason: "TOKEN_BUDGET_EXCEEDED" });
    expect(tokens.stored.filter(({ content }) => content !== undefined)).toHaveLength(1);
    const calls = await hear([answer, answer, answer], {}, { runConfig: { maxLlmCalls: 2 } });
    expect(calls.failure).toMatchObject({ reason: "LLM_CALL_LIMIT_EXCEEDED" });
    expect(calls.stored.filter(({ content }) => content !== undefined)).toHaveLength(2);
  });
});
