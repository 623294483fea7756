import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Content } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ConversationLog } from "./conversation-log.ts";
import { EarlyMessages } from "./early-messages.ts";
import { KeepAlive, type RawSocket } from "./keep-alive.ts";
import type { LiveInput } from "./live-session.ts";
import { PlayedOutput } from "./played-output.ts";
import { ResponseQueue } from "./response-queue.ts";
import { SaidResponses } from "./said-responses.ts";
import { SentTimes } from "./sent-times.ts";
import { errorOfEnd, type SocketEnd } from "./socket-end.ts";
import { TurnState } from "./turn-state.ts";

const MEBIBYTE = 1024 * 1024;
const said = (text: string, more: Partial<LlmResponse> = {}): LlmResponse => ({
  content: { role: "model", parts: [{ text }] },
  ...more,
});

describe("the end of a socket", () => {
  const names = { provider: "The model", keySource: "KEY" };
  const refused = new Error("Unexpected server response: 403");

  it.each<readonly [SocketEnd, string, boolean]>([
    [{ code: 1008, reason: "API key not valid" }, "AUTH_ERROR", false],
    [{ code: 1008, reason: "Request had invalid authentication credentials" }, "AUTH_ERROR", false],
    [{ code: 1008, reason: "Unauthorized" }, "AUTH_ERROR", false],
    [{ code: 1008, reason: "Permission denied" }, "AUTH_ERROR", false],
    [{ code: 1006, reason: "", error: refused }, "AUTH_ERROR", false],
    [{ code: 1011, reason: "Quota exceeded" }, "RATE_LIMITED", true],
    [{ code: 1008, reason: "Resource has been exhausted" }, "RATE_LIMITED", true],
    [{ code: 1008, reason: "model is not found" }, "MODEL_ERROR", false],
    [{ code: 1007, reason: "Invalid argument" }, "CLIENT_ERROR", false],
    ...[1000, 1001, 1005, 1011, 1012, 1013, 1014].map((code) => [{ code, reason: "" }, "SERVER_ERROR", true] as const),
    [{ code: 1011, reason: "Deadline expired" }, "TIMEOUT_ERROR", true],
    [{ code: 1006, reason: "" }, "CONNECTION_LOST", true],
    [{ code: 1006, reason: "", error: new Error("socket hang up") }, "CONNECTION_LOST", true],
  ])("%j is %s, retryable: %j", (end, category, retryable) => {
    expect(errorOfEnd(end, names)).toMatchObject({ category, retryable });
  });
});

describe("the turn in progress", () => {
  const call = (id: string) => ({ role: "model", parts: [{ functionCall: { id, name: "look" } }] });
  const turn = (content: Content): LiveInput => ({ kind: "content", sequence: 1, content, turnComplete: true });
  const history = (...roles: readonly string[]): LiveInput => ({
    ...{ kind: "history", sequence: 1 },
    history: roles.map((role) => ({ role, parts: [{ text: "a" }] })),
  });

  it("waits for tools until they have answered or their calls are cancelled", () => {
    const state = new TurnState();
    expect([state.received({ content: call("a") }), state.received({ content: call("b") })]).toEqual(["ends", "ends"]);
    state.received({ cancelledCallIds: ["a"] });
    expect(state.isIdle).toBe(false);
    state.sent(turn({ role: "user", parts: [{ functionResponse: { id: "b", name: "look", response: {} } }] }));
    state.received({ turnComplete: true });
    expect(state.isIdle).toBe(true);
  });

  it("does not wait for a call that is not whole", () => {
    const state = new TurnState();
    state.received({ content: call("a"), partial: true });
    state.received({ turnComplete: true });
    expect(state.isIdle).toBe(true);
  });

  it.each([
    [history("user"), false],
    [history("user", "model"), true],
    [history("model", "user"), false],
    [history(), true],
    [turn({ role: "user", parts: [{ text: "a" }] }), false],
  ])("an answer is awaited after %j", (input, isIdle) => {
    const state = new TurnState();
    state.sent(input);
    expect(state.isIdle).toBe(isIdle);
  });

  it("continues after an answer with work in progress", () => {
    const state = new TurnState();
    state.received({ turnComplete: true, interactionStatus: "IN_PROGRESS" });
    expect(state.isIdle).toBe(false);
    state.received({ turnComplete: true });
    expect(state.isIdle).toBe(true);
  });

  it.each<readonly [readonly LlmResponse[], readonly LlmResponse[]]>([
    [[], []],
    [[said("a")], [{ interrupted: true }]],
    [[said("a"), { generationComplete: true }], [{ turnComplete: true }]],
    [[said("a"), { turnComplete: true }], []],
    [[said("a"), { interrupted: true }], []],
  ])("a session that breaks after %j closes it with %j, once", (responses, closing) => {
    const state = new TurnState();
    for (const response of responses) state.received(response);
    expect([state.break(), state.break()]).toEqual([closing, []]);
  });
});

describe("pings", () => {
  function open() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const done: string[] = [];
    const listeners: Record<string, (data: Buffer) => void> = {};
    const socket = {
      bufferedAmount: 0,
      ping: (data: string) => void done.push(`ping ${data}`),
      terminate: () => void done.push("terminate"),
      on: (event: string, listener: (data: Buffer) => void) => {
        listeners[event] = listener;
      },
    };
    const alive = new KeepAlive(socket as RawSocket, 1000);
    const hear = (event: string, data = "") => listeners[event]?.(Buffer.from(data));
    return { alive, socket, done, hear };
  }

  it.each(["message", "pong"])("a socket on which a %s arrives between two is kept, a silent one is ended", (event) => {
    const { done, hear, alive } = open();
    vi.advanceTimersByTime(1000);
    hear(event);
    vi.advanceTimersByTime(1000);
    expect(done).toEqual(["ping 1", "ping 2"]);
    vi.advanceTimersByTime(1000);
    expect(done).toEqual(["ping 1", "ping 2", "terminate"]);
    alive.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("confirm all that was sent before, also where only the last one is answered", () => {
    const { alive, hear } = open();
    const received: string[] = [];
    for (const name of ["a", "b", "c"]) alive.afterReceipt(() => received.push(name));
    hear("pong", "2");
    expect(received).toEqual(["a", "b"]);
    hear("pong", "3");
    expect(received).toEqual(["a", "b", "c"]);
  });

  it("are not needed for a socket that takes nothing of 16 MiB", () => {
    const { alive, socket, done } = open();
    socket.bufferedAmount = 16 * MEBIBYTE;
    alive.checkBuffered();
    expect([done, alive.isDrained]).toEqual([[], false]);
    socket.bufferedAmount += 1;
    alive.checkBuffered();
    expect(done).toEqual(["terminate"]);
  });
});

describe("responses that wait to be read", () => {
  it("are read before the end and its error, of which the first counts", async () => {
    const queue = new ResponseQueue();
    const reader = queue.read();
    const first = reader.next();
    queue.push(said("a"));
    expect((await first).value).toEqual(said("a"));
    const next = reader.next();
    queue.push(said("b"));
    queue.push(said("c"));
    queue.end(new Error("gone"));
    queue.end();
    queue.push(said("late"));
    expect([(await next).value, (await reader.next()).value]).toEqual([said("b"), said("c")]);
    await expect(reader.next()).rejects.toThrow("gone");
    await expect(queue.read().next()).rejects.toThrow("can be read once");
  });

  it("end a reader that waits", async () => {
    const queue = new ResponseQueue();
    const next = queue.read().next();
    queue.end();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it("are at most 32 MiB, of which those that were read are not counted", async () => {
    const queue = new ResponseQueue();
    const reader = queue.read();
    const large = said("x".repeat(10 * MEBIBYTE));
    for (let count = 0; count < 4; count += 1) {
      queue.push(large);
      expect((await reader.next()).done).toBe(false);
    }
    for (let count = 0; count < 4; count += 1) queue.push(large);
    for (let count = 0; count < 3; count += 1) await reader.next();
    await expect(reader.next()).rejects.toMatchObject({ reason: "MODEL_ANSWER_TOO_LARGE" });
  });

  it("are forgotten one by one as they are read", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const queue = new ResponseQueue();
    const references = Array.from({ length: 3 }, (_, index) => {
      const response = said(`${index}`);
      queue.push(response);
      return new WeakRef(response);
    });
    const reader = queue.read();
    for (let read = 0; read < 2; read += 1) await reader.next();
    const isThere = () => {
      collect();
      return references.map((reference) => reference.deref() !== undefined);
    };
    await expect.poll(isThere).toMatchObject({ 0: false, 2: true });
  });

  it("come in their order while a reader never catches up", async () => {
    const queue = new ResponseQueue();
    const reader = queue.read();
    queue.push(said("first"));
    for (let count = 0; count < 5000; count += 1) {
      queue.push(said(`${count}`));
      const expected = count === 0 ? "first" : `${count - 1}`;
      expect((await reader.next()).value).toEqual(said(expected));
    }
  });
});

it("knows how much of an answer was played, in real time from its first chunk on", () => {
  let now = 100;
  const played = new PlayedOutput(() => now);
  // Half a second at 24 kHz, and a quarter at 48 kHz.
  const half = { data: Buffer.alloc(24_000).toString("base64") };
  played.add("a", half);
  now += 200;
  played.add("a", { mimeType: "audio/pcm;rate=48000", ...half });
  now += 549;
  expect([played.interrupt(), played.interrupt()]).toEqual([{ id: "a", playedMs: 749 }, undefined]);
  played.add("a", half);
  now += 400;
  played.add("b", half);
  now += 300;
  expect(played.interrupt()).toEqual({ id: "b", playedMs: 300 });
  played.add("c", half);
  now += 500;
  expect(played.interrupt()).toBeUndefined();
});

it("takes what was sent longer ago than the lag for processed", () => {
  const clock = new FixedClock();
  const sent = new SentTimes(clock, 1000);
  const settled: number[] = [];
  for (let sequence = 1; sequence <= 4; sequence += 1) {
    sent.note(sequence);
    clock.advance(500);
    settled.push(sent.settled());
  }
  expect(settled).toEqual([0, 1, 2, 3]);
});

it("holds what comes before a session is used, up to 10,000 messages or 4 MiB", () => {
  const early = new EarlyMessages();
  for (let n = 0; n < 10_000; n += 1) early.hold({ n });
  expect([early.hold({}), early.take().length, early.hold({}), early.take()]).toEqual(["full", 10_000, "late", []]);
  const large = { text: "x".repeat(2 * MEBIBYTE - 100) };
  const other = new EarlyMessages();
  expect([other.hold(large), other.hold(large), other.hold(large)]).toEqual(["held", "held", "full"]);
});

it("keeps the complete responses of a turn, in order, up to 32 MiB", () => {
  const responses = new SaidResponses();
  expect(responses.add(said("partial", { partial: true }), false)).toBe(true);
  responses.add(said("b"), false);
  responses.add(said("c"), false);
  responses.add(said("a", { partial: true }), true);
  expect(responses.take().map(({ content }) => content?.parts?.[0]?.text)).toEqual(["a", "b", "c"]);
  const large = said("x".repeat(20 * MEBIBYTE));
  expect([responses.add(large, false), responses.take().length, responses.add(large, false)]).toEqual([true, 1, true]);
  expect(responses.add(large, false)).toBe(false);
});

describe("the log of a conversation", () => {
  const text = ({ role, parts }: Content) => `${role}: ${parts?.map((part) => part.text).join()}`;
  const user = (words: string): Content => ({ role: "user", parts: [{ text: words }] });

  it("has what was said and heard, as texts, without thoughts, sound and what is not finished", () => {
    const log = new ConversationLog();
    log.add(user("hi"));
    const thought = { text: "hm", thought: true };
    const inlineData = { mimeType: "audio/pcm", data: "AAAA" };
    log.addResponse({ content: { parts: [thought, { inlineData }, { text: "" }, { text: "hello" }] } });
    log.addResponse({ content: { role: "model", parts: [{ text: "piece" }] }, partial: true });
    log.addResponse({ content: { role: "model", parts: [thought, { inlineData }] } });
    log.addResponse({ inputTranscription: { text: "half", finished: false } });
    log.addResponse({ outputTranscription: { text: "half", finished: false } });
    log.addResponse({ inputTranscription: { text: "and", finished: true } });
    log.addResponse({ outputTranscription: { text: "so", finished: true } });
    expect(log.since(0).map(text)).toEqual(["user: hi", "model: hello", "user: and", "model: so"]);
    expect([log.position, log.since(3).map(text), log.since(4)]).toEqual([4, ["model: so"], []]);
  });

  it("has the user's words before the answer to them, also if they come late", () => {
    const log = new ConversationLog();
    log.add(user("one"));
    for (const words of ["two", "three"]) log.addResponse(said(words));
    log.addResponse({ inputTranscription: { text: "late", finished: true } }, { late: true });
    expect(log.since(0).map(text)).toEqual(["user: one", "user: late", "model: two", "model: three"]);
  });

  it("drops its oldest turns beyond a million characters, and never the newest", () => {
    const log = new ConversationLog();
    for (const letter of ["a", "b", "c"]) log.add(user(letter.repeat(450_000)));
    expect(log.since(0).map((content) => content.parts?.[0]?.text?.[0])).toEqual(["b", "c"]);
    log.add(user("d".repeat(2_000_000)));
    expect(log.since(0).map((content) => content.parts?.[0]?.text?.[0])).toEqual(["d"]);
  });
});
