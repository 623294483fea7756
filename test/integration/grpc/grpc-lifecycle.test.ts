import { describe, expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { READY_SERVICE } from "#shared/grpc/grpc-health.ts";

const { service: HEALTH } = loadProto("health").grpc.health.v1.Health;
const SCOPE = { appName: "app", userId: "user" };

async function startServer(search?: () => Promise<void>) {
  const memory = new InMemoryMemoryService({ clock: new FixedClock(), ids: new SequentialIds() });
  const inner = memory.searchMemory.bind(memory);
  if (search !== undefined) {
    memory.searchMemory = async (scope, query) => {
      await search();
      return inner(scope, query);
    };
  }
  const server = createMemoryServer({ memory, logger: silentLogger });
  const options = {
    address: `127.0.0.1:${await server.listen("127.0.0.1:0")}`,
    clock: systemClock,
    timeoutMs: 10_000,
  };
  return { server, options };
}

describe("health of a service", () => {
  it("reports that the process works, and ready only while it is set to be", async () => {
    const { server, options } = await startServer();
    await using _server = server;
    await using peer = new GrpcPeer({ ...options, name: "memory", methods: HEALTH });
    const check = async (service: string) => (await peer.unary(HEALTH.Check, { service })).status;
    const before = [await check(""), await check(READY_SERVICE)];
    server.health.set(READY_SERVICE, true);
    expect([before, await check(READY_SERVICE)]).toEqual([["SERVING", "NOT_SERVING"], "SERVING"]);
    await expect(check("another")).rejects.toThrow("The memory service failed to handle this request.");
  });

  it("can be watched, until the server stops", async () => {
    const { server, options } = await startServer();
    await using _server = server;
    await using peer = new GrpcPeer({ ...options, name: "memory", methods: HEALTH });
    const seen: string[] = [];
    for await (const { status } of peer.serverStream(HEALTH.Watch, { service: READY_SERVICE })) {
      seen.push(status);
      if (status === "NOT_SERVING" && seen.length === 1) server.health.set(READY_SERVICE, true);
      else await server.stopAccepting();
    }
    expect(seen).toEqual(["NOT_SERVING", "SERVING"]);
  });
});

describe("a server that stops", () => {
  it("lets the active calls end, and takes no more", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const { server, options } = await startServer(() => {
      asked.resolve();
      return answer.promise;
    });
    await using _server = server;
    await using remote = new RemoteMemoryService(options);
    await using late = new RemoteMemoryService(options);
    const order: string[] = [];
    const search = remote.searchMemory(SCOPE, "tea").then(() => order.push("answered"));
    await asked.promise;
    const stopped = server.stopAccepting().then(() => order.push("stopped"));
    const refused = late.addMemoryEntries(SCOPE, []).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ reason: "SERVICE_UNAVAILABLE" });
    answer.resolve();
    await Promise.all([search, stopped]);
    expect(order).toEqual(["answered", "stopped"]);
  });

  it("cuts off what does not end", async () => {
    const asked = Promise.withResolvers<void>();
    const { server, options } = await startServer(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    await using remote = new RemoteMemoryService(options);
    const search = remote.searchMemory(SCOPE, "tea").catch((error: unknown) => error);
    await asked.promise;
    const stopped = server.stopAccepting();
    server.abort();
    await stopped;
    expect(["SERVICE_UNAVAILABLE", "SERVICE_TIMEOUT", "CALL_CANCELLED"]).toContain(
      Reflect.get(Object(await search), "reason"),
    );
  });
});
