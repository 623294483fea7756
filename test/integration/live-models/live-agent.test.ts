import { describe, expect, it } from "vitest";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { CascadeLive } from "#kit/models/cascade/cascade-live.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { ScriptedSpeech } from "#kit/testing/scripted-speech.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { frame } from "#test/helpers/live/frames.ts";
import { field, GeminiLiveServer } from "#test/helpers/live/gemini-live-server.ts";
import { RealtimeServer } from "#test/helpers/live/realtime-server.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const sleep = async (): Promise<void> => {};

function ask(queue: LiveRequestQueue): void {
  queue.sendRealtime(frame(1).blob);
  queue.sendContent(userContent("Weather?"));
}

/** Asks for the weather, and hangs up after the answer. Returns the stored conversation. */
async function callDesk(model: BaseLlm, begin = ask): Promise<readonly string[]> {
  const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => ({ sky: "clear" }) });
  const world = await createAgentWorld(new LlmAgent({ name: "desk", model, tools: [look] }));
  const queue = new LiveRequestQueue();
  begin(queue);
  const run = world.runner.runLive({ userId: "ada", sessionId: "talk", liveRequestQueue: queue });
  for await (const event of run) if (event.turnComplete === true) queue.close();
  return (await world.session()).events.flatMap(brief);
}

function brief({ author, content, inputTranscription, outputTranscription, customMetadata }: Event): readonly string[] {
  const parts = (content?.parts ?? []).map(({ text, functionCall, functionResponse }) => {
    if (functionCall !== undefined) return `calls ${functionCall.name}`;
    return functionResponse === undefined ? (text ?? "") : `got ${JSON.stringify(functionResponse.response)}`;
  });
  const said = [inputTranscription?.text, outputTranscription?.text].filter((text) => text !== undefined);
  const changed = customMetadata === undefined ? [] : ["changed"];
  return [...parts, ...said, ...changed].map((text) => `${author}: ${text}`);
}

const CONVERSATION = ["user: Weather?", "desk: calls look", 'desk: got {"sky":"clear"}', "desk: Sunny today"];

describe("an agent with a live model that loses its session while a tool runs", () => {
  it("answers, with Gemini", async () => {
    await using server = await GeminiLiveServer.start({
      on: (session, message, own) => {
        if (field(message["realtimeInput"], "text") === "Weather?") {
          own.send(session, { toolCall: { functionCalls: [{ id: "c1", name: "look", args: {} }] } });
          session.terminate();
        }
        const isResult = message["toolResponse"] !== undefined || message["clientContent"] !== undefined;
        if (isResult && session.state.turns.at(-1)?.includes("clear") === true) own.answer(session, "Sunny today");
      },
    });
    const model = new Gemini({ model: "gemini-3.8-live", apiKey: "test-key", baseUrl: server.url, sleep });
    expect((await callDesk(model)).filter((text) => !text.endsWith(": changed"))).toEqual(CONVERSATION);
    expect(server.setups).toHaveLength(2);
    await expect.poll(() => server.openCount).toBe(0);
  });

  it("answers, with OpenAI", async () => {
    await using server = await RealtimeServer.start({
      on: (session, event, own) => {
        if (event["type"] !== "response.create") return;
        if (own.known.at(-1)?.startsWith("result") === true) return own.answer(session, "Sunny today");
        const call = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" };
        own.send(session, "response.done", { response: { status: "completed", output: [call] } });
        session.terminate();
      },
    });
    const model = new OpenAiCompatible({ model: "gpt-realtime-2.1", apiKey: "test-key", baseUrl: server.url, sleep });
    const stored = await callDesk(model);
    expect(stored.filter((text) => !text.endsWith(": changed"))).toEqual(CONVERSATION);
    expect(stored).toContain("desk: changed");
    await expect.poll(() => server.openCount).toBe(0);
  });
});

it("answers with a text model between recognition and a voice", async () => {
  const model = new ScriptedModel([functionCallResponse("look"), "Sunny today"]);
  const live = new CascadeLive({ model, speech: new ScriptedSpeech() });
  const say = (queue: LiveRequestQueue) => queue.sendRealtime(ScriptedSpeech.sound("Weather?"));
  expect(await callDesk(live, say)).toEqual(CONVERSATION);
});
