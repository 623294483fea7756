import { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AnswerAccount } from "#shared/answers/answer-account.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type SseOptions, SseStream } from "./sse.ts";

/** A response whose socket takes `capacity` bytes until it is drained. */
class FakeResponse extends EventEmitter {
  readonly pieces: Buffer[] = [];
  capacity = Number.POSITIVE_INFINITY;
  ended = false;
  destroyed = false;
  head: unknown;
  get written(): string[] {
    return this.pieces.map(String);
  }
  writeHead(status: number, headers: object): void {
    this.head = { status, ...headers };
  }
  flushHeaders(): void {}
  write(chunk: string | Uint8Array): boolean {
    this.pieces.push(Buffer.from(chunk));
    this.capacity -= chunk.length;
    return this.capacity > 0;
  }
  drain(capacity: number): void {
    this.capacity = capacity;
    this.emit("drain");
  }
  end(): void {
    this.ended = true;
    this.emit("close");
  }
  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function openStream({ heartbeat }: Pick<SseOptions, "heartbeat"> = {}) {
  const response = new FakeResponse();
  const gone: string[] = [];
  // The stream uses nothing else of a reply.
  const reply = { raw: response, hijack: () => {}, getHeaders: () => ({ vary: "origin" }) } as unknown as FastifyReply;
  const options = {
    heartbeatMs: 1000,
    ...(heartbeat !== undefined && { heartbeat }),
    stallMs: 5000,
    answers: new AnswerAccount({ maxBytes: 0, maxBytesOfUser: 0 }).reader("u"),
    headers: { "x-run-id": "r" },
    onGone: (why: string) => void gone.push(why),
  };
  return { response, gone, stream: new SseStream(reply, options) };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("SseStream", () => {
  it("sends headers that no proxy buffers or stores, and those that hooks have set", () => {
    expect(openStream().response.head).toEqual({
      status: 200,
      vary: "origin",
      "x-run-id": "r",
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
  });

  it("writes frames that are ready together in one write", () => {
    verifies("wire:sse:framing");
    const { response, stream } = openStream();
    expect(stream.write("data: a\n\ndata: b\n\n")).toBeUndefined();
    expect(stream.write("")).toBeUndefined();
    expect(response.written).toEqual(["data: a\n\ndata: b\n\n"]);
  });

  it("sends comments only while it is idle", () => {
    const { response, stream } = openStream();
    vi.advanceTimersByTime(999);
    expect(stream.write("data: a\n\n")).toBeUndefined();
    vi.advanceTimersByTime(999);
    expect(response.written).toEqual(["data: a\n\n"]);
    vi.advanceTimersByTime(1001);
    expect(response.written).toEqual(["data: a\n\n", ": hb\n", ": hb\n"]);
    stream.end();
    vi.advanceTimersByTime(5000);
    expect([response.written.length, response.ended]).toEqual([3, true]);
  });

  it("begins the next frame while it is idle, for clients that lose a frame after a comment", () => {
    verifies("wire:sse:heartbeat");
    const { response, stream } = openStream({ heartbeat: "spaces" });
    vi.advanceTimersByTime(2000);
    void stream.write("data: a\n\ndata: b\n\n");
    vi.advanceTimersByTime(1000);
    void stream.write("data: ");
    vi.advanceTimersByTime(5000);
    void stream.write("c\n\n");
    vi.advanceTimersByTime(1000);
    stream.end();
    expect(response.written).toEqual(["data: ", " ", "a\n\ndata: b\n\n", "data: ", "c\n\n", "data: "]);
  });

  it.each(["comment", "spaces"] as const)("sends no heartbeat inside a frame: %s", (heartbeat) => {
    verifies("wire:sse:heartbeat");
    const { response, stream } = openStream({ heartbeat });
    void stream.write('data: {"file":"');
    vi.advanceTimersByTime(5000);
    void stream.write('"}\n\n');
    expect(response.written.join("")).toBe('data: {"file":""}\n\n');
  });

  it("ends with a frame, or inside another one without it and without the end of the body", () => {
    verifies("wire:sse:heartbeat");
    const whole = openStream();
    void whole.stream.write("data: a\n\n");
    whole.stream.endWith("data: b\n\n");
    const { ended, destroyed } = whole.response;
    expect([whole.response.written, ended, destroyed]).toEqual([["data: a\n\n", "data: b\n\n"], true, false]);
    const cut = openStream();
    void cut.stream.write("data: a");
    cut.stream.endWith("data: b\n\n");
    expect([cut.response.written, cut.response.destroyed, cut.gone]).toEqual([["data: a"], true, []]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("makes the writer wait for a full socket, without comments meanwhile", async () => {
    const { response, gone, stream } = openStream();
    response.capacity = 4;
    let isDrained = false;
    const wait = stream.write("data: a\n\n")?.then(() => {
      isDrained = true;
    });
    await vi.advanceTimersByTimeAsync(4999);
    expect([isDrained, response.written]).toEqual([false, ["data: a\n\n"]]);
    response.drain(100);
    await wait;
    await vi.advanceTimersByTimeAsync(500);
    expect([isDrained, gone]).toEqual([true, []]);
  });

  it("cuts off a reader that takes nothing for too long", async () => {
    const { response, gone, stream } = openStream();
    response.capacity = 4;
    const wait = stream.write("data: a\n\n");
    await vi.advanceTimersByTimeAsync(5000);
    await wait;
    expect([response.destroyed, gone]).toEqual([true, ["stalled"]]);
    expect(stream.write("data: b\n\n")).toBeUndefined();
    expect(response.written).toEqual(["data: a\n\n"]);
  });

  it("sends large batches in chunks, so that a slow reader is not taken for a stalled one", async () => {
    const { response, gone, stream } = openStream();
    const frames = `data: ${"ü".repeat(100_000)}${"🎲".repeat(50_000)}\n\n`;
    response.capacity = 1;
    const wait = stream.write(frames);
    for (let piece = 0; piece < 4; piece++) {
      await vi.advanceTimersByTimeAsync(4000);
      response.drain(1);
    }
    await wait;
    expect(gone).toEqual([]);
    expect(response.pieces).toHaveLength(4);
    expect(Buffer.concat(response.pieces).toString()).toBe(frames);
  });

  it("reports once that the client left, and releases a waiting writer", async () => {
    const { response, gone, stream } = openStream();
    response.capacity = 1;
    const wait = stream.write("data: a\n\n");
    response.emit("close");
    await wait;
    response.emit("close");
    expect([gone, vi.getTimerCount()]).toEqual([["left"], 0]);
  });

  it("does not report its own end as the client's leaving", () => {
    const { gone, stream } = openStream();
    stream.end();
    expect([gone, vi.getTimerCount()]).toEqual([[], 0]);
  });
});
