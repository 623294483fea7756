import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const OK = "https://ok.example";
const EVIL = "https://evil.example";
const host = "127.0.0.1:8000";

const CORS_HEADERS = /^(access-control-.*|vary)$/;

async function send({ gateway }: GatewayWorld, request: InjectOptions) {
  const response = await gateway.inject(request);
  const cors = Object.entries(response.headers).filter(([name]) => CORS_HEADERS.test(name));
  return { status: response.statusCode, cors: Object.fromEntries(cors) };
}

describe("pages of other origins", () => {
  it("are refused on every kind of route, whatever they send, and nothing happens", async () => {
    verifies("authentication:origin-check");
    await using world = await startGateway();
    const headers = { host, origin: EVIL };
    const requests = [
      { method: "GET", url: "/list-apps", headers },
      { method: "GET", url: "/docs", headers },
      { method: "GET", url: "/no-such-path", headers },
      { method: "GET", url: "/run_live", headers },
      { method: "POST", url: "/apps/echo/users/u/sessions/s", headers, payload: {} },
      {
        method: "POST",
        url: "/apps/echo/users/u/sessions/s",
        headers: { ...headers, "content-type": "text/plain" },
        payload: "{}",
      },
      {
        method: "POST",
        url: "/builder/save",
        headers: { ...headers, "content-type": "multipart/form-data; boundary=x" },
        payload: "--x--",
      },
      { method: "OPTIONS", url: "/run", headers: { ...headers, "access-control-request-method": "POST" } },
    ] satisfies readonly InjectOptions[];
    expect(await Promise.all(requests.map((request) => send(world, request)))).toEqual(
      requests.map(() => ({ status: 403, cors: {} })),
    );
    expect(await world.store.listSessions({ appName: "echo", userId: "u" })).toEqual({ sessions: [] });
    expect(world.logs).toEqual(requests.map(() => "warn request refused"));
  });

  it("logs a bounded number of refusals, and how many it has left out", async () => {
    verifies("authentication:origin-check:log");
    const clock = new FixedClock();
    const logger = new RecordingLogger();
    await using world = await startGateway({ clock, deps: { logger } });
    const refuse = async (times: number) => {
      for (let count = 0; count < times; count += 1)
        await world.gateway.inject({ url: "/list-apps", headers: { host: "evil.example" } });
      return logger.lines.splice(0).map(({ fields }) => fields["leftOut"]);
    };
    expect(await refuse(150)).toEqual(Array.from({ length: 100 }, () => undefined));
    clock.advance(1000);
    expect(await refuse(3)).toEqual([50]);
  });

  it("get an answer that says what to set, without an access-control header", async () => {
    await using world = await startGateway();
    const response = await world.gateway.inject({ url: "/list-apps", headers: { host, origin: EVIL } });
    expect(response.json()).toMatchObject({
      status: 403,
      code: "PERMISSION_DENIED",
      reason: "ORIGIN_NOT_ALLOWED",
      message: "Forbidden: the origin https://evil.example is not allowed. Add it to CORS_ORIGINS.",
    });
  });

  it("are served when listed, on answers, errors, streams and preflights alike", async () => {
    verifies("authentication:origin-check", "what-the-service-does:cors-configurable", "configuration:cors:record");
    await using world = await startGateway({ config: { CORS_ORIGINS: [OK] } });
    const headers = { host, origin: OK };
    const cors = {
      "access-control-allow-origin": OK,
      "access-control-expose-headers": "x-request-id, x-next-page-token, x-run-id",
      vary: "Origin",
    };
    const preflight = {
      ...cors,
      "access-control-allow-headers": "content-type,authorization",
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-max-age": "3600",
      vary: "Origin, Access-Control-Request-Headers",
    };
    const SESSION = "/apps/echo/users/u/sessions/s";
    const run = { appName: "echo", userId: "u", sessionId: "s", newMessage: { parts: [{ text: "hi" }] } };
    const asked = {
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "content-type,authorization",
    };
    expect(await send(world, { method: "POST", url: SESSION, headers, payload: {} })).toEqual({ status: 200, cors });
    expect(await send(world, { url: `${SESSION}x`, headers })).toEqual({ status: 404, cors });
    expect(await send(world, { url: "/no-such-path", headers })).toEqual({ status: 404, cors });
    expect(await send(world, { method: "POST", url: "/run_sse", headers, payload: run })).toEqual({
      status: 200,
      cors,
    });
    expect(await send(world, { method: "OPTIONS", url: SESSION, headers: { ...headers, ...asked } })).toEqual({
      status: 200,
      cors: preflight,
    });
  });

  it("may send credentials and only the listed headers when the record says so", async () => {
    verifies(
      "configuration:cors:record",
      "authentication:cors-allow-credentials",
      "configuration:cors:allow-credentials",
      "configuration:cors:headers",
    );
    const config = {
      CORS_ORIGINS: ["*"],
      CORS_ALLOW_CREDENTIALS: true,
      CORS_HEADERS: ["content-type"],
      CORS_MAX_AGE_SECONDS: 60,
    };
    await using world = await startGateway({ config });
    const headers = { host, origin: OK, "access-control-request-method": "POST" };
    expect(await send(world, { method: "OPTIONS", url: "/run", headers })).toEqual({
      status: 200,
      cors: {
        "access-control-allow-origin": OK,
        "access-control-allow-credentials": "true",
        "access-control-allow-headers": "content-type",
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
        "access-control-expose-headers": "x-request-id, x-next-page-token, x-run-id",
        "access-control-max-age": "60",
        vary: "Origin",
      },
    });
  });

  it("may use only the methods, on only the paths, and for only the time that the record says", async () => {
    verifies("configuration:cors:record", "configuration:cors:other-components");
    const config = {
      CORS_MAPPING: "/apps/**",
      CORS_ORIGINS: [OK],
      CORS_METHODS: ["GET"],
      CORS_MAX_AGE_SECONDS: 5,
    };
    await using world = await startGateway({ config });
    const headers = { host, origin: OK, "access-control-request-method": "GET" };
    const below = await send(world, { method: "OPTIONS", url: "/apps/echo/users/u/sessions", headers });
    const elsewhere = await send(world, { method: "OPTIONS", url: "/list-apps", headers });
    expect([below, elsewhere]).toEqual([
      {
        status: 200,
        cors: {
          "access-control-allow-origin": OK,
          "access-control-allow-methods": "GET",
          "access-control-expose-headers": "x-request-id, x-next-page-token, x-run-id",
          "access-control-max-age": "5",
          vary: "Origin, Access-Control-Request-Headers",
        },
      },
      { status: 403, cors: {} },
    ]);
  });

  it("leave unknown paths unknown while they are allowed", async () => {
    await using world = await startGateway({ config: { CORS_ORIGINS: [OK] } });
    const response = await world.gateway.inject({ url: "/no-such-path", headers: { host } });
    expect([response.statusCode, response.json<{ reason: string }>().reason]).toEqual([404, "ROUTE_NOT_FOUND"]);
  });
});

describe("a server on a loopback address", () => {
  it("answers to loopback names only, over a real socket too", async () => {
    verifies("authentication:host-check");
    await using world = await startGateway();
    const base = await world.listen();
    expect((await fetch(`${base}/health`)).status).toBe(200);
    const response = await world.gateway.inject({ url: "/health", headers: { host: "rebound.example:8000" } });
    expect([response.statusCode, response.json<{ reason: string }>().reason]).toEqual([403, "HOST_NOT_ALLOWED"]);
  });
});
