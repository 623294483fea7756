import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisIdempotencyStore } from "#adapters/redis/redis-idempotency-store.ts";
import { RedisRunStream } from "#adapters/redis/redis-run-stream.ts";
import { gate, SseReader } from "#test/helpers/clients/sse-reader.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };

describe.skipIf(whyNoRedis() !== undefined)("two gateways on one Redis", () => {
  let server: RedisServer | undefined;
  let prefixes = 0;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  /** The first one starts runs, which reach the other one through Redis and the store only. */
  async function startBoth() {
    const begun = gate();
    const over = gate();
    const between = gate();
    await using stack = new AsyncDisposableStack();
    prefixes += 1;
    const keyPrefix = `two-${prefixes}`;
    const connect = () => {
      const redis = createRedis({ url: server?.url ?? "" });
      stack.defer(() => redis.disconnect());
      const options = { redis, keyPrefix };
      return {
        runStream: stack.use(new RedisRunStream(options)),
        idempotencyStore: stack.use(new RedisIdempotencyStore(options)),
      };
    };
    const first = stack.use(
      await startGateway({
        deps: connect(),
        script: async (run) => {
          await run.partial("he");
          await begun.opened;
          await run.say("hello");
          await between.opened;
          await run.say("bye");
          await over.opened;
        },
      }),
    );
    const { store, runner, artifacts } = first;
    const shared = { sessionService: store, runJournal: store, artifactService: artifacts, runnerService: runner };
    const second = stack.use(await startGateway({ deps: { ...shared, ...connect() } }));
    await store.createSession(KEY);
    const urls = [await first.listen(), await second.listen()] as const;
    const owned = stack.move();
    return { first, second, urls, begun, between, over, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  async function begin(world: GatewayWorld): Promise<string> {
    const response = await world.gateway.inject({ method: "POST", url: "/v1/runs", payload: RUN });
    return response.json<{ runId: string }>().runId;
  }

  it("continue a run's stream where the other one left off", async () => {
    verifies("platform:resume-on-any-replica");
    verifies("wire:sse:resume");
    await using world = await startBoth();
    const runId = await begin(world.first);
    const path = `/v1/runs/${runId}/stream`;
    {
      await using reader = await SseReader.open(world.urls[0] + path);
      world.begun.open();
      expect(await reader.until("hello")).toEqual(["he id 1.1", "hello id 1.2"]);
    }
    await using reader = await SseReader.open(world.urls[1] + path, { "last-event-id": "1.2" });
    world.between.open();
    world.over.open();
    expect(await reader.rest()).toEqual(["bye id 1.3", "end succeeded id end"]);
  });

  it("show a session's runs that the other one started, and its changes", async () => {
    await using world = await startBoth();
    await using reader = await SseReader.open(`${world.urls[1]}/v1/apps/echo/users/u/sessions/s/stream`);
    await begin(world.first);
    expect(await reader.until("he ")).toEqual(["hi id 1", "run running", "he id 1-1.1"]);
    world.begun.open();
    expect(await reader.until("hello")).toEqual(["hello id 2-1.2"]);
    await using resumed = await SseReader.open(`${world.urls[0]}/v1/apps/echo/users/u/sessions/s/stream`, {
      "last-event-id": "2-1.2",
    });
    expect(await resumed.next()).toBe("run running");
    world.between.open();
    world.over.open();
    const rest = ["bye id 3-1.3", "run succeeded"];
    expect([await reader.until("run"), await resumed.until("run succeeded")]).toEqual([rest, rest]);
    const [first] = world.urls;
    await fetch(`${first}/apps/echo/users/u/sessions/s`, { method: "DELETE" });
    expect(await reader.rest()).toEqual(["Session not found: s", "end SESSION_NOT_FOUND"]);
  });

  it("do a call once that is repeated on the other one", async () => {
    await using world = await startBoth();
    const request = { method: "POST", headers: { "idempotency-key": "k" } } as const;
    const answers = [];
    for (const url of world.urls) {
      const response = await fetch(`${url}/apps/echo/users/u/sessions`, request);
      answers.push(await response.json());
    }
    expect(answers[1]).toEqual(answers[0]);
    const { sessions } = await world.first.store.listSessions({ appName: "echo", userId: "u" });
    expect(sessions).toHaveLength(2);
    await expect.poll(() => world.first.logs).toEqual([]);
  });
});
