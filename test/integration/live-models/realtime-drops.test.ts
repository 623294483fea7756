import { setImmediate } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { firstArrivals, frame, upTo } from "#test/helpers/live/frames.ts";
import { RealtimeServer, type RealtimeSession } from "#test/helpers/live/realtime-server.ts";
import { Talk } from "#test/helpers/live/talk.ts";

const MODEL = "gpt-realtime-2.1";
const FRAME_MS = 20;
const DROPS = 20;
const FRAMES_PER_DROP = 60;

const WAYS: readonly ((session: RealtimeSession, server: RealtimeServer) => void)[] = [
  (session) => session.terminate(),
  (session) => session.close(1011, "keepalive ping timeout"),
  (session) => session.close(1001, "Your session hit the maximum duration of 60 minutes."),
  (session, server) => {
    const message = "Your session hit the maximum duration of 60 minutes.";
    server.send(session, "error", { error: { type: "invalid_request_error", code: "session_expired", message } });
    session.close(1001);
  },
  (session) => session.close(1000),
];

afterEach(() => void vi.useRealTimers());

it("loses no frame of a call whose sessions drop 20 times", async () => {
  let drops = 0;
  let answered = 0;
  await using server = await RealtimeServer.start({
    on: (session, event, own) => {
      if (event["type"] !== "input_audio_buffer.append" || !session.isOpen) return;
      const number = session.state.frames.at(-1) ?? 0;
      // Speech, with an answer, at times that have nothing to do with the drops.
      if (number % 45 === 44 && number > answered) {
        answered = number;
        own.hear(session, `words up to ${number}`);
        own.answer(session, `answer to ${number}`);
      }
      if (drops < DROPS && number === (drops + 1) * FRAMES_PER_DROP) {
        WAYS[drops % WAYS.length]?.(session, own);
        drops += 1;
      }
    },
  });
  vi.useFakeTimers({ toFake: ["performance"] });
  const model = new OpenAiCompatible({ model: MODEL, apiKey: "test-key", baseUrl: server.url, sleep: async () => {} });
  const connection = await model.connect?.(new LlmRequest({ model: MODEL }), {
    config: { inputAudioTranscription: {} },
    signal: new AbortController().signal,
  });
  if (connection === undefined) throw new Error("The model has no live connection.");
  const talk = new Talk(connection);
  const count = (DROPS + 2) * FRAMES_PER_DROP;
  for (const number of upTo(count)) {
    await connection.sendRealtime(frame(number));
    vi.advanceTimersByTime(FRAME_MS);
    // The client is a few frames ahead of the network, as its clock is not the real one.
    await server.receipt(number - 10);
    await setImmediate();
  }
  await server.receipt(count - 1);
  expect(drops).toBe(DROPS);
  expect(firstArrivals(server.frames)).toEqual(upTo(count));
  expect(server.frames.length).toBeLessThan(count * 3);
  // The model that is left knows what was said as text, and the rest as sound.
  const known = server.known.filter((item) => item.startsWith("user: words")).length;
  expect(known).toBeGreaterThan(DROPS);
  const last = server.last.state.frames;
  expect(last[0]).toBeLessThanOrEqual(answered);
  expect(firstArrivals(last)).toEqual(upTo(count).slice(last[0]));
  expect(talk.with("liveModelChange")).toHaveLength(DROPS);
  expect(talk.isOver).toBe(false);
  await connection.close();
  await talk.over;
  expect(talk.error).toBeUndefined();
  await expect.poll(() => server.openCount).toBe(0);
}, 30_000);
