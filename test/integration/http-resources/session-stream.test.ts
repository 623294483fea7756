import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { gate, SseReader } from "#test/helpers/clients/sse-reader.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { RunScript } from "#test/helpers/worlds/scripted-runner.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const SESSION = "/apps/echo/users/u/sessions/s";
const STREAM = `/v1${SESSION}/stream`;

function start(world: GatewayWorld, text = "hi"): Promise<{ readonly runId: string }> {
  const newMessage = { role: "user", parts: [{ text }] };
  return world.runner.startRun({ session: KEY, request: { newMessage, streaming: true } });
}

/** A session whose stream is read from the given position. */
async function open(world: GatewayWorld, lastEventId?: string): Promise<SseReader> {
  const address = world.gateway.server.listening ? world.gateway.listeningOrigin : await world.listen();
  return SseReader.open(`${address}${STREAM}`, lastEventId === undefined ? {} : { "last-event-id": lastEventId });
}

/** Streams chunks and the complete answer, each when it is released. */
function stepwise(): { readonly script: RunScript; readonly step: () => void } {
  let next = gate();
  const step = (): void => {
    next.open();
    next = gate();
  };
  const script: RunScript = async (run) => {
    await run.partial("he");
    await next.opened;
    await run.partial("llo");
    await run.say("hello");
    await next.opened;
    await run.partial("by");
    await next.opened;
    await run.say("bye");
  };
  return { script, step };
}

describe("a session's stream", () => {
  it("gives all runs one after another, chunks and whole events, and waits for the next run", async () => {
    const { script, step } = stepwise();
    await using world = await startGateway({ script });
    await world.store.createSession(KEY);
    await using reader = await open(world);
    for (const [text, sequence, epoch] of [
      ["one", 0, 1],
      ["two", 3, 2],
    ] as const) {
      await start(world, text);
      expect(await reader.until("he ")).toEqual([
        `${text} id ${sequence + 1}`,
        "run running",
        `he id ${sequence + 1}-${epoch}.1`,
      ]);
      step();
      expect(await reader.until("hello")).toEqual([
        `llo id ${sequence + 1}-${epoch}.2`,
        `hello id ${sequence + 2}-${epoch}.3`,
      ]);
      step();
      await reader.until("by");
      step();
      expect(await reader.until("run")).toEqual([`bye id ${sequence + 3}-${epoch}.5`, "run succeeded"]);
    }
  });

  it("continues behind any of its frames, in the middle of a run, without a chunk twice or lost", async () => {
    verifies("wire:sse:resume");
    const { script, step } = stepwise();
    await using world = await startGateway({ script });
    await world.store.createSession(KEY);
    await using whole = await open(world);
    await start(world);
    await whole.until("he ");
    step();
    await whole.until("hello");
    step();
    await whole.until("by ");
    const after: Readonly<Record<string, readonly string[]>> = {
      "0": ["hi id 1", "hello id 2", "run running", "by id 2-1.4"],
      "1": ["hello id 2", "run running", "by id 2-1.4"],
      "1-1.1": ["hello id 2", "run running", "by id 2-1.4"],
      "2": ["run running", "by id 2-1.4"],
      "2-1.3": ["run running", "by id 2-1.4"],
    };
    for (const [cursor, frames] of Object.entries(after)) {
      await using reader = await open(world, cursor);
      expect([cursor, ...(await reader.until("by "))]).toEqual([cursor, ...frames]);
    }
    await using late = await open(world, "2-1.4");
    step();
    expect(await late.until("run succeeded")).toEqual(["run running", "bye id 3-1.5", "run succeeded"]);
  });

  it("fetches in between what no run publishes, and keeps the order", async () => {
    const { script, step } = stepwise();
    await using world = await startGateway({ script });
    await world.store.createSession(KEY);
    await using reader = await open(world);
    await start(world);
    await reader.until("he ");
    await world.store.applyStateDelta({ ...KEY, stateDelta: { rate: 2 }, author: "user", invocationId: "p" });
    step();
    expect(await reader.until("hello")).toEqual(["llo id 1-1.2", '{"rate":2} id 2', "hello id 3-1.3"]);
  });

  it("shows immediately a change of state from outside while no run is active", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    await using reader = await open(world);
    await expect.poll(() => reader.status).toBe(200);
    await world.gateway.inject({ method: "PATCH", url: SESSION, payload: { stateDelta: { rate: 3 } } });
    expect(await reader.next()).toBe('{"rate":3} id 1');
  });

  it("ends with its reason when the session is deleted", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    await using reader = await open(world);
    await world.gateway.inject({ method: "DELETE", url: SESSION });
    expect(await reader.rest()).toEqual(["Session not found: s", "end SESSION_NOT_FOUND"]);
  });

  it("asks its readers to reconnect elsewhere when the server stops, and no longer delays the stop", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    await using reader = await open(world);
    const closed = world.gateway.close();
    expect(await reader.rest()).toEqual(["reconnect"]);
    await closed;
  });

  it("continues from the store when the stream of a run cannot be read", async () => {
    const { script, step } = stepwise();
    await using world = await startGateway({ script });
    await world.store.createSession(KEY);
    world.deps.runStream.subscribe = () => {
      throw new PlatformError("STORE_UNAVAILABLE", "Redis is away.");
    };
    await using reader = await open(world);
    await start(world);
    expect(await reader.until("run")).toEqual(["hi id 1", "run running"]);
    step();
    expect(await reader.until("hello")).toEqual(["hello id 2"]);
  });

  it("leaves nothing behind that listens", async () => {
    const watching = new Set<object>();
    await using world = await startGateway();
    const watch = world.deps.runStream.watch.bind(world.deps.runStream);
    world.deps.runStream.watch = (session, listener) => {
      const watcher = watch(session, listener);
      watching.add(watcher);
      return {
        [Symbol.dispose]: () => {
          watching.delete(watcher);
          watcher[Symbol.dispose]();
        },
      };
    };
    await world.store.createSession(KEY);
    const reader = await open(world);
    await expect.poll(() => watching.size).toBe(1);
    await reader[Symbol.asyncDispose]();
    await expect.poll(() => watching.size).toBe(0);
  });
});

describe("a session's stream is refused", () => {
  it.each([
    ["a session that is not there", "/v1/apps/echo/users/u/sessions/other/stream", undefined, 404, "SESSION_NOT_FOUND"],
    ["another user's session", "/v1/apps/echo/users/v/sessions/s/stream", undefined, 404, "SESSION_NOT_FOUND"],
    ["no cursor at all", STREAM, "abc", 400, "INVALID_CURSOR"],
    ["a run's cursor", STREAM, "1.2", 400, "INVALID_CURSOR"],
    ["a cursor from the future", STREAM, "99", 400, "INVALID_CURSOR"],
    ["a cursor one event ahead", STREAM, "2", 400, "INVALID_CURSOR"],
    ["a run from the future", STREAM, "1-9.1", 400, "INVALID_CURSOR"],
    ["a number beyond all", STREAM, "9".repeat(400), 400, "INVALID_CURSOR"],
  ])("for %s", async (_name, path, cursor, status, reason) => {
    await using world = await startGateway({ script: () => new Promise(() => {}) });
    await world.store.createSession(KEY);
    await start(world);
    await expect.poll(async () => (await world.store.listEventRecords(KEY)).events).toHaveLength(1);
    const headers = cursor === undefined ? {} : { "last-event-id": cursor };
    const response = await world.gateway.inject({ url: path, headers });
    expect([response.statusCode, response.json()]).toMatchObject([status, { reason }]);
  });
});
