import { describe, expect, it } from "vitest";
import { GrpcPeer, type PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { createMemoryServer, type MemoryServerDeps } from "#services/memory/server.ts";
import { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { ErrorLog } from "#test/helpers/error-log.ts";

const SCOPE = { appName: "app", userId: "user" };
const { service: MEMORY } = loadProto("memory").fairlead.memory.v1.MemoryService;

/** A memory with only the methods that the test defines. */
function memoryThat(overrides: Partial<MemoryService>): MemoryService & MeteredStore {
  return {
    addSessionToMemory: async () => {},
    addMemoryEntries: async () => {},
    searchMemory: async () => ({ memories: [] }),
    deleteSessionMemory: async () => {},
    readStored: async () => [],
    ...overrides,
  };
}

async function startWorld(memory: Partial<MemoryService>, deps: Partial<MemoryServerDeps & PeerOptions> = {}) {
  const server = createMemoryServer({ logger: silentLogger, ...deps, memory: memoryThat(memory) });
  const address = `127.0.0.1:${await server.listen("127.0.0.1:0")}`;
  const options: PeerOptions = { clock: systemClock, timeoutMs: 10_000, ...deps, address };
  const remote = new RemoteMemoryService(options);
  const dispose = async (): Promise<void> => {
    await remote[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { server, remote, options, [Symbol.asyncDispose]: dispose };
}

describe("a call between services", () => {
  it("carries its trace, principal and token, as they are at that time, and a deadline", async () => {
    const seen: unknown[] = [];
    let token = "first";
    await using world = await startWorld(
      {},
      {
        authorize: ({ metadata, path }) => {
          seen.push([path, metadata.getMap()]);
          return "gateway";
        },
        facts: () => ({ traceParent: "00-abc-def-01", principal: "ada", serviceToken: token }),
      },
    );
    await world.remote.deleteSessionMemory(SCOPE, "s");
    token = "second";
    await world.remote.deleteSessionMemory(SCOPE, "s");
    const headers = (serviceToken: string) =>
      expect.objectContaining({
        traceparent: "00-abc-def-01",
        "x-fairlead-principal": "ada",
        "x-fairlead-service-token": serviceToken,
      });
    const path = "/fairlead.memory.v1.MemoryService/DeleteSessionMemory";
    expect(seen).toEqual([
      [path, headers("first")],
      [path, headers("second")],
    ]);
  });

  it("is refused before anything is done when the caller may not make it", async () => {
    let deleted = 0;
    const refusal = new PlatformError("CALLER_NOT_ALLOWED", "No.", { details: { caller: "eval" } });
    await using world = await startWorld(
      {
        deleteSessionMemory: async () => {
          deleted += 1;
        },
      },
      {
        authorize: () => {
          throw refusal;
        },
      },
    );
    const { reason, message, details } = refusal;
    const calls = [
      world.remote.deleteSessionMemory(SCOPE, "s"),
      world.remote.searchMemory(SCOPE, "tea"),
      world.remote.addMemoryEntries(SCOPE, []),
    ];
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ status: "rejected", reason: { reason, message, details } });
    expect(deleted).toBe(0);
  });

  it("hides what failed inside, and logs it once", async () => {
    const logger = new ErrorLog();
    const fault = new TypeError("at /srv/secret.ts");
    const broken = async (): Promise<never> => {
      throw fault;
    };
    await using world = await startWorld({ deleteSessionMemory: broken, searchMemory: broken }, { logger });
    const hidden = { reason: "INTERNAL", message: "The server failed to handle this request." };
    await expect(world.remote.deleteSessionMemory(SCOPE, "s")).rejects.toMatchObject(hidden);
    await expect(world.remote.searchMemory(SCOPE, "tea")).rejects.toMatchObject(hidden);
    expect(logger.errors).toEqual([
      { error: fault, path: "/fairlead.memory.v1.MemoryService/DeleteSessionMemory" },
      { error: fault, path: "/fairlead.memory.v1.MemoryService/SearchMemory" },
    ]);
  });

  it("ends at its deadline when the service does not answer", async () => {
    await using world = await startWorld({ deleteSessionMemory: () => new Promise(() => {}) }, { timeoutMs: 50 });
    await expect(world.remote.deleteSessionMemory(SCOPE, "s")).rejects.toMatchObject({ reason: "SERVICE_TIMEOUT" });
  });

  it("is repeated while the service is unavailable if that is harmless, and otherwise not", async () => {
    const calls = { delete: 0, add: 0 };
    const away = new PlatformError("STORE_UNAVAILABLE", "Away.");
    await using world = await startWorld({
      deleteSessionMemory: async () => {
        calls.delete += 1;
        if (calls.delete < 3) throw away;
      },
      addMemoryEntries: async () => {
        calls.add += 1;
        throw away;
      },
    });
    await world.remote.deleteSessionMemory(SCOPE, "s");
    await expect(world.remote.addMemoryEntries(SCOPE, [])).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect(calls).toEqual({ delete: 3, add: 1 });
  });

  it("says that the service cannot be reached, without naming its address", async () => {
    const world = await startWorld({});
    await world.server[Symbol.asyncDispose]();
    const failed = world.remote.addMemoryEntries(SCOPE, []);
    await expect(failed).rejects.toMatchObject({
      reason: "SERVICE_UNAVAILABLE",
      message: "The memory service cannot be reached. Try again.",
    });
    await world[Symbol.asyncDispose]();
  });

  it("says so when a message is over the limit, and when the service does not know the call", async () => {
    await using world = await startWorld({});
    const huge = world.remote.searchMemory(SCOPE, "x".repeat(5 * 1024 * 1024));
    await expect(huge).rejects.toMatchObject({ reason: "MESSAGE_TOO_LARGE" });
    const { ListEvalSets, ...rest } = loadProto("eval").fairlead.eval.v1.EvalService.service;
    await using stranger = new GrpcPeer({ ...world.options, name: "memory", methods: rest });
    await expect(stranger.unary(ListEvalSets, { appName: "app" })).rejects.toMatchObject({ reason: "NOT_IMPLEMENTED" });
  });

  it("that is broken off between its messages is not taken for a whole one", async () => {
    const done: string[] = [];
    await using world = await startWorld({
      addMemoryEntries: async () => void done.push("entries"),
      addSessionToMemory: async () => void done.push("session"),
    });
    await using peer = new GrpcPeer({ ...world.options, name: "memory", methods: MEMORY });
    const broken = { reason: "CALL_CANCELLED" };
    const entries = [{ scope: SCOPE }, { entriesJson: [Buffer.from("{}")] }];
    await expect(peer.clientStream(MEMORY.AddMemoryEntries, entries)).rejects.toMatchObject(broken);
    const session = [{ header: { session: { ...SCOPE, id: "s" } } }];
    await expect(peer.clientStream(MEMORY.AddSession, session)).rejects.toMatchObject(broken);
    expect(done).toEqual([]);
  });

  it("is cancelled when its messages cannot all be made", async () => {
    const added: unknown[] = [];
    await using world = await startWorld({ addMemoryEntries: async (_, entries) => void added.push(entries) });
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const entries = [{ content: { parts: [{ text: "tea" }] } }, { content: circular }];
    await expect(world.remote.addMemoryEntries(SCOPE, entries)).rejects.toThrow(TypeError);
    await world.remote.addMemoryEntries(SCOPE, []);
    expect(added).toEqual([[]]);
  });

  it("aborts its handler when the caller leaves", async () => {
    const left = Promise.withResolvers<boolean>();
    const handlers = new GrpcHandlers({ logger: silentLogger });
    const SearchMemory = handlers.serverStream<unknown, object>(async function* (_, { signal }) {
      signal.addEventListener("abort", () => left.resolve(true));
      yield {};
      await left.promise;
    });
    await using server = new GrpcServer({ services: [{ definition: MEMORY, handlers: { SearchMemory } }] });
    const address = `127.0.0.1:${await server.listen("127.0.0.1:0")}`;
    await using peer = new GrpcPeer({
      address,
      name: "memory",
      methods: MEMORY,
      clock: systemClock,
      timeoutMs: 10_000,
    });
    for await (const _ of peer.serverStream(MEMORY.SearchMemory, { scope: SCOPE, query: "tea" })) break;
    expect(await left.promise).toBe(true);
  });
});
