import { describe, expect, it } from "vitest";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { EarlyMessages } from "./early-messages.ts";
import type { LiveListener, LiveProvider, LiveSession } from "./live-session.ts";
import { ResumableConnection } from "./resumable-connection.ts";

/** One string, however many responses have it. */
const MEBIBYTE = "x".repeat(1024 * 1024);

/** Opens a connection, and returns it with what its provider reports to. */
async function open(): Promise<{ connection: ResumableConnection; listener: LiveListener }> {
  const { promise, resolve } = Promise.withResolvers<LiveListener>();
  const session: LiveSession = { begin() {}, send() {}, replay() {}, flush: () => [], close() {} };
  const provider: LiveProvider = {
    model: "m",
    isFinal: () => false,
    check() {},
    async open({ listener }) {
      resolve(listener);
      return session;
    },
  };
  const connection = await ResumableConnection.open({ provider, history: [], signal: new AbortController().signal });
  return { connection, listener: await promise };
}

async function readAll(connection: ResumableConnection): Promise<number> {
  let count = 0;
  for await (const _ of connection.receive()) count += 1;
  return count;
}

const TOO_LARGE = { reason: "MODEL_ANSWER_TOO_LARGE" };

describe("a live connection whose provider sends without end", () => {
  it.each<[string, number, LlmResponse]>([
    ["transcripts", 35, { outputTranscription: { text: MEBIBYTE, finished: false }, partial: true }],
    ["sound", 35, { content: { role: "model", parts: [{ inlineData: { data: MEBIBYTE } }] }, partial: true }],
    [
      "calls",
      35,
      {
        content: { role: "model", parts: [{ functionCall: { name: "f", args: { value: MEBIBYTE } } }] },
        partial: true,
      },
    ],
    ["hardly anything, very often", 150_000, { outputTranscription: { text: "", finished: false }, partial: true }],
  ])("ends with an error instead of keeping what nobody reads: %s", async (_what, count, response) => {
    const { connection, listener } = await open();
    for (let sent = 0; sent < count; sent += 1) listener.received(response);
    await connection.close();
    await expect(readAll(connection)).rejects.toMatchObject(TOO_LARGE);
  });

  it("keeps what is not read yet of a long answer", async () => {
    const { connection, listener } = await open();
    const sound: LlmResponse = {
      content: { role: "model", parts: [{ inlineData: { data: MEBIBYTE } }] },
      partial: true,
    };
    for (let sent = 0; sent < 30; sent += 1) listener.received(sound);
    await connection.close();
    expect(await readAll(connection)).toBe(30);
  });

  it("ends a turn that never ends, however fast it is read", async () => {
    const { connection, listener } = await open();
    const reading = readAll(connection);
    const settled = expect(reading).rejects.toMatchObject(TOO_LARGE);
    for (let sent = 0; sent < 40; sent += 1) {
      listener.received({ content: { role: "model", parts: [{ text: MEBIBYTE }] } });
      await new Promise(setImmediate);
    }
    await connection.close();
    await settled;
  });

  it("has no limit for all turns together", async () => {
    const { connection, listener } = await open();
    const reading = readAll(connection);
    for (let sent = 0; sent < 40; sent += 1) {
      listener.received({ content: { role: "model", parts: [{ text: MEBIBYTE }] } });
      listener.received({ turnComplete: true });
      await new Promise(setImmediate);
    }
    await connection.close();
    expect(await reading).toBe(80);
  });
});

describe("the messages of a session that is not used yet", () => {
  it("are given in their order, once", () => {
    const early = new EarlyMessages();
    expect([early.hold({ n: 1 }), early.hold({ n: 2 })]).toEqual(["held", "held"]);
    expect(early.take()).toEqual([{ n: 1 }, { n: 2 }]);
    expect(early.hold({ n: 3 })).toBe("late");
    expect(early.take()).toEqual([]);
  });

  it.each([
    ["large", 5, { text: MEBIBYTE }],
    ["many", 10_001, {}],
  ])("are too many at some point: %s", (_name, count, message) => {
    const early = new EarlyMessages();
    const places = Array.from({ length: count }, () => early.hold(message));
    expect([places.slice(0, 3), places.at(-1)]).toEqual([["held", "held", "held"], "full"]);
  });
});
