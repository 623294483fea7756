import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { LiveAccount } from "./live-account.ts";
import { LiveSocket, type LiveSocketOptions } from "./live-socket.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connection that notes what is done to it. */
class Connection extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  bufferedAmount = 0;
  readonly done: string[] = [];

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  ping(): void {
    this.done.push("ping");
  }

  close(code: number, reason: string): void {
    this.readyState = 2;
    this.done.push(`close ${code} ${reason}`);
  }

  terminate(): void {
    this.done.push("terminate");
  }

  send(text: string, { fin }: { readonly fin: boolean }, sent?: () => void): void {
    this.done.push(`send ${text} ${fin}`);
    if (sent !== undefined) this.once("sent", sent);
  }
}

function openSocket(options: Partial<LiveSocketOptions> = {}, account = new LiveAccount(100_000_000)) {
  const clock = new FixedClock();
  const connection = new Connection();
  const below = new EventEmitter();
  const closes: number[] = [];
  const requests: number[] = [];
  const socket = new LiveSocket(connection as unknown as WebSocket, {
    ...{ clock, stallMs: 3000, idleMs: 0, maxBytes: 100, connection: below, share: account.open() },
    onRequest: (_request, bytes) => {
      requests.push(bytes);
      return true;
    },
    onClose: (code) => void closes.push(code),
    ...options,
  });
  const message = (text = '{"activityStart":{}}', isBinary = false) =>
    connection.emit("message", Buffer.from(text), isBinary);
  const burst = (count: number) => {
    for (let n = 0; n < count; n += 1) message();
  };
  const arrive = (bytes: number) => below.emit("data", Buffer.alloc(bytes));
  return { arrive, clock, connection, socket, closes, requests, message, burst };
}

it("does not read a client for 50 ms that has used up its burst of 1000 messages, and then 200 each second", () => {
  verifies("platform:live:limits");
  const { connection, clock, burst, requests } = openSocket();
  burst(1000);
  expect(connection.isPaused).toBe(false);
  burst(1);
  expect(connection.isPaused).toBe(true);
  vi.advanceTimersByTime(49);
  expect(connection.isPaused).toBe(true);
  vi.advanceTimersByTime(1);
  expect(connection.isPaused).toBe(false);
  clock.advance(1000);
  burst(200);
  expect(connection.isPaused).toBe(false);
  burst(1);
  expect(connection.isPaused).toBe(true);
  // It is slowed down, and nothing of it is lost.
  expect(requests.length).toBe(1202);
});

it("reads a client that was too fast and is held when both have ended, whichever ends first", () => {
  let takes = true;
  const { connection, socket, burst } = openSocket({ onRequest: () => takes });
  burst(1001);
  socket.resume();
  expect(connection.isPaused).toBe(true);
  takes = false;
  burst(1);
  vi.advanceTimersByTime(50);
  expect(connection.isPaused).toBe(true);
  socket.resume();
  expect(connection.isPaused).toBe(false);
});

it("ends a connection whose client takes longer than a second to close it", () => {
  verifies("platform:live:limits");
  const { connection, socket } = openSocket();
  connection.pause();
  socket.close(1000, "");
  // The client's side of the handshake has to be read.
  expect([connection.isPaused, connection.done]).toEqual([false, ["close 1000 "]]);
  vi.advanceTimersByTime(999);
  expect(connection.done).toEqual(["close 1000 "]);
  vi.advanceTimersByTime(1);
  expect(connection.done).toEqual(["close 1000 ", "terminate"]);
});

it("leaves a closed connection and its timers alone", () => {
  const { connection, socket, burst, closes } = openSocket();
  burst(1001);
  socket.close(1000, "");
  connection.emit("close", 1005);
  expect([vi.getTimerCount(), closes, socket.isOver]).toEqual([0, [1005], true]);
  socket.close(1008, "late");
  expect([socket.send("a"), connection.done]).toEqual([undefined, ["close 1000 "]]);
});

it.each([
  ["a pong", ({ connection }: ReturnType<typeof openSocket>) => connection.emit("pong")],
  ["a message", ({ message }: ReturnType<typeof openSocket>) => message()],
])("pings a client, and takes %s for an answer", (_, answer) => {
  verifies("platform:live:limits");
  const opened = openSocket();
  const { connection, socket } = opened;
  socket.beat();
  answer(opened);
  socket.beat();
  expect(connection.done).toEqual(["ping", "ping"]);
  socket.beat();
  expect(connection.done).toEqual(["ping", "ping", "terminate"]);
});

it("does not ping a client that it does not read", () => {
  const { connection, socket } = openSocket();
  connection.pause();
  socket.beat();
  socket.beat();
  expect(connection.done).toEqual([]);
});

it("closes the connection of a client whose last message is older than the limit; pongs are not messages", () => {
  verifies("platform:live:limits");
  const { connection, socket, clock, message } = openSocket({ idleMs: 1000 });
  clock.advance(900);
  message();
  clock.advance(1000);
  connection.emit("pong");
  socket.beat();
  expect(connection.done).toEqual(["ping"]);
  connection.emit("pong");
  clock.advance(1);
  socket.beat();
  expect(connection.done).toEqual(["ping", "close 1008 No message has come for 1000 ms (LIVE_IDLE_MS)."]);
  const patient = openSocket();
  patient.clock.advance(1e9);
  patient.socket.beat();
  expect(patient.connection.done).toEqual(["ping"]);
});

it("closes for a message that is longer than the limit, that is not text, or that is refused", () => {
  verifies("platform:live:closes");
  const start = '{"activityStart":{}';
  const long = openSocket();
  long.message(`${start}${" ".repeat(99 - start.length)}}`);
  expect([long.requests, long.connection.done]).toEqual([[100], []]);
  long.message(`${start}${" ".repeat(100 - start.length)}}`);
  // What comes after it is not read.
  long.message();
  expect([long.requests, long.connection.done]).toEqual([[100], ["close 1009 The message is too long."]]);
  const binary = openSocket();
  binary.message("{}", true);
  expect(binary.connection.done).toEqual([expect.stringMatching(/^close 1003 /)]);
  const refusing = openSocket({
    onRequest: () => {
      throw new PlatformError("QUOTA_EXCEEDED", "Enough for today.");
    },
  });
  refusing.message();
  expect(refusing.connection.done).toEqual(["close 1013 Enough for today."]);
});

it("writes the parts of a message, and waits for a client that is a mebibyte behind, until it stalls", async () => {
  verifies("platform:live:limits");
  const { connection, socket } = openSocket();
  connection.bufferedAmount = 1024 * 1024 - 1;
  expect([socket.write("a"), socket.send("b")]).toEqual([undefined, undefined]);
  expect(connection.done).toEqual(["send a false", "send b true"]);
  connection.bufferedAmount = 1024 * 1024;
  const taken = socket.write("c");
  connection.emit("sent");
  await taken;
  const stalled = socket.send("d");
  expect(connection.done.slice(2)).toEqual(["send c false", "send d true"]);
  vi.advanceTimersByTime(2999);
  expect(connection.done.length).toBe(4);
  vi.advanceTimersByTime(1);
  expect(connection.done.at(-1)).toBe("terminate");
  connection.emit("close", 1006);
  await stalled;
  expect(vi.getTimerCount()).toBe(0);
});

it("counts beginnings of messages until their ends come, and closes with 1013 what would keep too much of them", () => {
  verifies("platform:live:account");
  const account = new LiveAccount(10_000);
  const { arrive, connection, message } = openSocket({}, account);
  const other = account.open();
  arrive(9_000);
  expect(account.bytes).toBe(9_000);
  message();
  expect(account.bytes).toBe(0);
  other.change(4_000);
  arrive(5_500);
  expect(connection.done).toEqual([]);
  arrive(1_000);
  expect(connection.done).toEqual([expect.stringMatching(/^close 1013 .*LIVE_BUFFER_BYTES/)]);
});
