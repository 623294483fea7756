import { mkdtempSync, rmSync } from "node:fs";
import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { connect as netConnect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as tlsConnect } from "node:tls";
import { fileURLToPath } from "node:url";
import { experimental } from "@grpc/grpc-js";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { limitDials } from "#shared/process/limit-dials.ts";
import { SilentAddress } from "#test/helpers/faults/silent-address.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const AGENTS = fileURLToPath(new URL("../../../tooling/agents", import.meta.url));
const LIMIT_MS = 300;
const { service: HEALTH } = loadProto("health").grpc.health.v1.Health;

/** Addresses of a name that moves: each look-up gives the next of them. */
const moving: number[] = [];

class MovingNames implements experimental.Resolver {
  readonly #listener: experimental.ResolverListener;

  constructor(_target: unknown, listener: experimental.ResolverListener) {
    this.#listener = listener;
  }

  static getDefaultAuthority(): string {
    return "localhost";
  }

  updateResolution(): void {
    const port = (moving.length > 1 ? moving.shift() : moving[0]) ?? 0;
    const endpoints = [{ addresses: [{ host: "127.0.0.1", port }] }];
    process.nextTick(() => this.#listener(experimental.statusOrFromValue(endpoints), {}, null, ""));
  }

  destroy(): void {}
}

let silent: SilentAddress;
let limit: Disposable;

beforeAll(async () => {
  silent = await SilentAddress.open();
  limit = limitDials(LIMIT_MS);
});

afterAll(() => {
  limit?.[Symbol.dispose]();
  silent?.[Symbol.dispose]();
});

describe("an address whose packets go nowhere", () => {
  const failureOf = (client: NodeJS.EventEmitter): Promise<unknown> =>
    new Promise((resolve) => client.once("error", resolve));

  it.each<[string, (port: number) => Promise<unknown>]>([
    ["a socket", (port) => failureOf(netConnect(port, "127.0.0.1"))],
    ["a socket with TLS", (port) => failureOf(tlsConnect(port, "127.0.0.1"))],
    ["a request of HTTP", (port) => failureOf(httpGet(`http://127.0.0.1:${port}`))],
    ["a request of HTTPS", (port) => failureOf(httpsGet(`https://127.0.0.1:${port}`))],
    ["fetch", (port) => fetch(`http://127.0.0.1:${port}`).catch(({ cause }) => cause)],
    [
      "Redis",
      async (port) => {
        const redis = new Redis(port, "127.0.0.1", { retryStrategy: () => null });
        return failureOf(redis).finally(() => redis.disconnect());
      },
    ],
  ])("does not hold %s", async (_, dial) => {
    verifies("platform:dials");
    expect(await dial(silent.port)).toMatchObject({ code: "ETIMEDOUT" });
  });

  it("does not keep a service from being found where it has moved", async () => {
    verifies("platform:dials");
    await using server = new GrpcServer({ services: [] });
    moving.push(silent.port, await server.listen("127.0.0.1:0"));
    experimental.registerResolver("moving", MovingNames);
    await using peer = new GrpcPeer({
      name: "memory",
      methods: HEALTH,
      address: "moving:memory",
      clock: systemClock,
      timeoutMs: 20_000,
      patienceMs: 15_000,
    });
    await expect
      .poll(() => peer.unary(HEALTH.Check, { service: "" }).catch(({ reason }) => reason), { timeout: 30_000 })
      .toEqual({ status: "SERVING" });
  });

  it.each([["serve"], ["runner"]])("is given up after the time of the settings by the process %s", async (command) => {
    verifies("platform:dials");
    using stack = new DisposableStack();
    const folder = stack.adopt(mkdtempSync(join(tmpdir(), "dials-")), (path) => rmSync(path, { recursive: true }));
    const service = `ipv4:127.0.0.1:${silent.port}`;
    await using process = new CliProcess([command], {
      environment: {
        ...{ DATA_DIR: folder, AGENTS_DIR: AGENTS, PORT: "0", GRPC_PORT: "0", ADMIN_PORT: "0", LOG_FORMAT: "json" },
        ...{ SESSION_SERVICE_ADDRESS: service, ARTIFACT_SERVICE_ADDRESS: service, MEMORY_SERVICE_ADDRESS: service },
        ...{ REDIS_URL: `redis://127.0.0.1:${silent.port}`, TRANSPORT: "redis", CONNECT_TIMEOUT_MS: "217" },
      },
    });
    await process.until(/There was no connection within 217 ms/);
  });
});
