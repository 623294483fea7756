import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { firstArrivals, frame, upTo } from "#test/helpers/live/frames.ts";
import { GeminiLiveServer, type GeminiSession } from "#test/helpers/live/gemini-live-server.ts";
import { Talk } from "#test/helpers/live/talk.ts";

const MODEL = "gemini-3.8-live";
const FRAME_MS = 20;
const DROPS = 20;
const FRAMES_PER_DROP = 60;

const WAYS: readonly ((session: GeminiSession, server: GeminiLiveServer) => void)[] = [
  (session) => session.terminate(),
  (session) => session.close(1011, "Internal error encountered."),
  (session, server) => {
    server.send(session, { goAway: { timeLeft: "0.2s" } });
    session.close(1000);
  },
  (session) => session.close(1001),
  (session) => session.close(1012, "service restart"),
  (session) => session.close(1000),
];

it("loses no frame of a call whose sessions drop 20 times", async () => {
  let drops = 0;
  await using server = await GeminiLiveServer.start({
    on: (session, _message, own) => {
      if (!session.isOpen) return;
      const number = session.state.frames.at(-1) ?? 0;
      if (number % 7 === 3) own.send(session, { serverContent: { inputTranscription: { text: `${number} ` } } });
      if (number % 20 === 19) own.handle(session);
      if (number % 20 === 5) own.send(session, { sessionResumptionUpdate: { newHandle: "", resumable: false } });
      if (drops < DROPS && number === (drops + 1) * FRAMES_PER_DROP) {
        WAYS[drops % WAYS.length]?.(session, own);
        drops += 1;
      }
    },
  });
  const clock = new FixedClock();
  const model = new Gemini({ model: MODEL, apiKey: "test-key", baseUrl: server.url, clock, sleep: async () => {} });
  const connection = await model.connect(new LlmRequest({ model: MODEL }), {
    config: {},
    signal: new AbortController().signal,
  });
  const talk = new Talk(connection);
  const count = (DROPS + 2) * FRAMES_PER_DROP;
  for (const number of upTo(count)) {
    await connection.sendRealtime(frame(number));
    clock.advance(FRAME_MS);
    // The client is a few frames ahead of the network, as its clock is not the real one.
    await server.receipt(number - 10);
    await setImmediate();
  }
  await server.receipt(count - 1);
  expect(drops).toBe(DROPS);
  expect(firstArrivals(server.frames)).toEqual(upTo(count));
  // The model that is left knows the whole call, not only the server.
  expect(firstArrivals(server.last.state.frames)).toEqual(upTo(count));
  // Most of the call is sent once: sessions continue from handles.
  expect(server.frames.length).toBeLessThan(count * 3);
  expect(talk.with("liveModelChange")).toEqual([]);
  expect(talk.isOver).toBe(false);
  await connection.close();
  await talk.over;
  expect(talk.error).toBeUndefined();
  await expect.poll(() => server.openCount).toBe(0);
}, 30_000);

it("connects and talks", async () => {
  await using server = await GeminiLiveServer.start({
    on: (session, _message, own) => own.answer(session, "Good day"),
  });
  const model = new Gemini({ model: MODEL, apiKey: "test-key", baseUrl: server.url });
  const connection = await model.connect(new LlmRequest({ model: MODEL }), {
    config: {},
    signal: new AbortController().signal,
  });
  const talk = new Talk(connection);
  await connection.sendContent(userContent("Hi"));
  await expect.poll(() => talk.with("turnComplete")).toEqual([true]);
  expect(talk.said).toEqual(["model: Good day"]);
  await connection.close();
});
