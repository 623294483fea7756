import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { LiveConnectConfig } from "#kit/models/base-llm-connection.ts";
import { LiveFallback } from "#kit/models/live/live-fallback.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { ScriptedSpeech } from "#kit/testing/scripted-speech.ts";
import { Talk } from "#test/helpers/live/talk.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CascadeConnection } from "./cascade-connection.ts";
import { CascadeLive } from "./cascade-live.ts";

const VOICE: LiveConnectConfig = { responseModalities: ["AUDIO"] };

async function talkTo(model: BaseLlm, config: LiveConnectConfig = VOICE) {
  const request = new LlmRequest({ model: "cascade" });
  request.appendInstructions("Be brief.");
  const connection = await model.connect?.(request, { config, signal: new AbortController().signal });
  if (connection === undefined) throw new Error("no live connection");
  const say = (text: string) => connection.sendRealtime({ blob: ScriptedSpeech.sound(text) });
  return { connection, talk: new Talk(connection), say };
}

/** The words of the sound. */
function heard(responses: readonly LlmResponse[]): string {
  return responses
    .flatMap(({ content }) => content?.parts ?? [])
    .map(({ inlineData }) => Buffer.from(inlineData?.data ?? "", "base64").toString())
    .join("");
}

describe("a cascade of recognition, a text model and a voice", () => {
  it("answers speech with speech, sentence by sentence", async () => {
    verifies("operations:speech-client:close");
    const model = new ScriptedModel([streamedText("It is ", "blue. Mostly", ".")]);
    const speech = new ScriptedSpeech();
    const { connection, talk, say } = await talkTo(new CascadeLive({ model, speech }));
    await say("How is ");
    await say("the sky?");
    await expect.poll(() => talk.with("turnComplete")).toEqual([true]);
    expect(speech.spoken).toEqual(["It is blue.", "Mostly."]);
    expect(heard(talk.responses)).toBe("It is blue.Mostly.");
    expect(talk.responses.filter(({ content }) => content === undefined)).toEqual([
      { inputTranscription: { text: "How is ", finished: false }, partial: true },
      { inputTranscription: { text: "How is the sky?", finished: true } },
      { outputTranscription: { text: "It is blue. ", finished: false }, partial: true },
      { outputTranscription: { text: "Mostly.", finished: false }, partial: true },
      { outputTranscription: { text: "It is blue. Mostly.", finished: true } },
      { turnComplete: true },
    ]);
    expect(model.requests[0]).toMatchObject({ model: "scripted", contents: [userContent("How is the sky?")] });
    await connection.close();
    await talk.over;
    // The client serves other conversations, too: who made it closes it.
    expect(speech.isClosed).toBe(false);
    await speech.close();
    expect(speech.isClosed).toBe(true);
  });

  it("stops its answer when the user speaks, and knows what was heard", async () => {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const model = new ScriptedModel([
      [...streamedText("One. ", "Two. ").slice(0, 2), held, { content: userContent("x") }],
      "Yes.",
    ]);
    const speech = new ScriptedSpeech();
    const { connection, talk, say } = await talkTo(new CascadeLive({ model, speech }));
    await say("Count.");
    await expect.poll(() => speech.spoken).toEqual(["One.", "Two."]);
    await say("Stop.");
    await expect.poll(() => talk.said).toEqual(["user: Count.", "model: One. Two. ", "user: Stop.", "model: Yes."]);
    expect(talk.with("interrupted")).toEqual([true]);
    resolve();
    expect(model.requests[1]?.contents).toEqual([
      userContent("Count."),
      { role: "model", parts: [{ text: "One. Two. " }] },
      userContent("Stop."),
    ]);
    await connection.close();
  });

  it("stops the client's player if the answer is complete and still played", async () => {
    const clock = new FixedClock();
    const second = { mimeType: "audio/pcm;rate=24000", data: Buffer.alloc(48_000).toString("base64") };
    const speech = new ScriptedSpeech();
    speech.synthesize = async function* () {
      yield second;
    };
    const options = { model: new ScriptedModel(["One."], { repeatLast: true }), speech, speaks: true, clock };
    const signal = new AbortController().signal;
    const connection = new CascadeConnection({ ...options, request: new LlmRequest({ model: "m" }), signal });
    const talk = new Talk(connection);
    await connection.sendContent(userContent("Count"));
    await expect.poll(() => talk.with("turnComplete").length).toBe(1);
    clock.advance(900);
    await connection.sendRealtime({ activityStart: true });
    await connection.sendContent(userContent("Again"));
    await expect.poll(() => talk.with("turnComplete").length).toBe(2);
    expect(talk.with("interrupted")).toEqual([true]);
    clock.advance(1100);
    await connection.sendRealtime({ activityStart: true });
    await connection.sendContent(userContent("Again"));
    await expect.poll(() => talk.with("turnComplete").length).toBe(3);
    expect(talk.with("interrupted")).toEqual([true]);
    await connection.close();
  });

  it("recognizes what was said when the microphone is muted, and listens again", async () => {
    const model = new ScriptedModel(["First.", "Second."]);
    const { connection, talk, say } = await talkTo(new CascadeLive({ model, speech: new ScriptedSpeech() }));
    await say("No end");
    await connection.sendRealtime({ audioStreamEnd: true });
    await expect.poll(() => talk.said).toEqual(["user: No end", "model: First."]);
    await say("Hello.");
    await expect.poll(() => talk.said.slice(2)).toEqual(["user: Hello.", "model: Second."]);
    await connection.close();
  });

  it("calls tools, and gives the model their results although the user spoke in between", async () => {
    const model = new ScriptedModel([functionCallResponse("look"), "Wait.", "Sunny."]);
    const { connection, talk, say } = await talkTo(new CascadeLive({ model, speech: new ScriptedSpeech() }));
    await say("Weather?");
    await expect.poll(() => talk.with("content").at(-1)?.parts?.[0]?.functionCall?.name).toBe("look");
    const { id } = talk.with("content").at(-1)?.parts?.[0]?.functionCall ?? {};
    await say("Well?");
    await expect.poll(() => talk.said.at(-1)).toBe("model: Wait.");
    await connection.sendContent({
      role: "user",
      parts: [{ functionResponse: { id, name: "look", response: { sky: "clear" } } }],
    });
    await expect.poll(() => talk.said.at(-1)).toBe("model: Sunny.");
    const call = { role: "model", parts: [{ functionCall: { id, name: "look", args: {} } }] };
    const answered = (response: object) => ({
      role: "user",
      parts: [{ functionResponse: { id, name: "look", response } }],
    });
    expect(model.requests[1]?.contents).toEqual([
      ...[userContent("Weather?"), call, answered({ status: "The call is still running." }), userContent("Well?")],
    ]);
    expect(model.requests[2]?.contents).toEqual([
      ...[userContent("Weather?"), call, answered({ sky: "clear" }), userContent("Well?")],
      { role: "model", parts: [{ text: "Wait." }] },
    ]);
    expect(talk.with("turnComplete")).toHaveLength(2);
    await connection.close();
  });

  it("writes if the client wants text", async () => {
    const model = new ScriptedModel([streamedText("It is ", "blue.")]);
    const speech = new ScriptedSpeech();
    const { connection, talk } = await talkTo(new CascadeLive({ model, speech }), { responseModalities: ["TEXT"] });
    await connection.sendContent(userContent("How is"), { turnComplete: false });
    await connection.sendContent(userContent("the sky?"));
    await expect.poll(() => talk.with("turnComplete")).toEqual([true]);
    expect(talk.said).toEqual(["model: It is blue."]);
    expect(model.requests[0]?.contents).toEqual([userContent("How is"), userContent("the sky?")]);
    expect(speech.spoken).toEqual([]);
    await connection.close();
  });

  it("ends with the failure of a part", async () => {
    const speech = new ScriptedSpeech();
    speech.synthesize = () => {
      throw new Error("secret of the speech service");
    };
    const spoken = await talkTo(new CascadeLive({ model: new ScriptedModel(["Hi."]), speech }));
    await spoken.say("Hello.");
    await spoken.talk.over;
    expect(spoken.talk.error).toMatchObject({
      reason: "MODEL_UNAVAILABLE",
      message: "The model or its speech service failed.",
    });
  });

  it("is one of several live models", async () => {
    const first = new ScriptedModel([], { model: "first", live: [[new Error("down")]] });
    const second = new CascadeLive({ model: new ScriptedModel(["Hi."]), speech: new ScriptedSpeech() });
    const { connection, talk } = await talkTo(new LiveFallback([first, second], { sleep: async () => {} }));
    await connection.sendContent(userContent("Hello"));
    await expect.poll(() => talk.said).toEqual(["model: Hi."]);
    expect(talk.with("liveModelChange")).toMatchObject([{ from: "first", to: "cascade/scripted" }]);
    await connection.close();
  });

  it("names what its options lack", () => {
    const model = new ScriptedModel([]);
    expect(() => new CascadeLive({ model } as never)).toThrow(/speech/);
  });
});
