import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SESSIONS = "/apps/echo/users/u/sessions";
const JSON_HEADERS = { "content-type": "application/json" };

async function answer(world: GatewayWorld, request: InjectOptions | string): Promise<unknown> {
  const response = await world.gateway.inject(request);
  const { requestId, path, error, detail, ...body } = response.json<Record<string, unknown>>();
  expect(response.headers["x-request-id"]).toBe(requestId);
  expect(JSON.stringify([body, error, detail])).not.toMatch(/node_modules|\/work|\.ts|at Object|    at /);
  return { ...body, http: response.statusCode };
}

describe("requests that cannot be read", () => {
  it.each([
    ["broken JSON", '{"state":', JSON_HEADERS, 400, "MALFORMED_JSON"],
    ["JSON that is none", '{"n":NaN}', JSON_HEADERS, 400, "MALFORMED_JSON"],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), JSON_HEADERS, 400, "MALFORMED_JSON"],
    ["another content type", "{}", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["a form", "a=1", { "content-type": "application/x-www-form-urlencoded" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["a prototype key", '{"state":{"__proto__":{"x":1}}}', JSON_HEADERS, 422, "INVALID_FIELD"],
    ["too deep nesting", `{"state":${"[".repeat(5000)}${"]".repeat(5000)}}`, JSON_HEADERS, 400, "JSON_TOO_COMPLEX"],
    ["a body over the limit", JSON.stringify({ state: { x: "x".repeat(2000) } }), JSON_HEADERS, 413, "BODY_TOO_LARGE"],
  ])("answers %s clearly", async (_name, payload, headers, status, reason) => {
    verifies(
      "session:state:reserved-keys",
      "errors:http:malformed-json",
      "errors:http:body-too-large",
      "errors:http:media-type",
      "limits:body-size",
    );
    await using world = await startGateway({ config: { MAX_BODY_BYTES: payload.length > 5000 ? 20_000 : 1024 } });
    const body = await answer(world, { method: "POST", url: SESSIONS, payload, headers });
    expect(body).toMatchObject({ http: status, status, reason });
    expect((await world.gateway.inject(SESSIONS)).json()).toEqual([]);
  });

  it("takes bodies of up to 2 MiB, and 50 MiB where files may be part of them, by default", async () => {
    verifies("limits:body-size");
    await using world = await startGateway();
    const { MAX_BODY_BYTES, MAX_FILE_BODY_BYTES } = world.deps.config;
    expect([MAX_BODY_BYTES, MAX_FILE_BODY_BYTES]).toEqual([2 * 1024 * 1024, 50 * 1024 * 1024]);
  });

  it("limits no caller's rate by default", async () => {
    verifies("limits:rate");
    await using world = await startGateway();
    const requests = Array.from({ length: 500 }, () => world.gateway.inject({ method: "POST", url: SESSIONS }));
    expect(new Set((await Promise.all(requests)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  it("reads a body with a byte order mark and a charset", async () => {
    await using world = await startGateway();
    const headers = { "content-type": "application/json; charset=utf-8" };
    const response = await world.gateway.inject({
      method: "POST",
      url: SESSIONS,
      headers,
      payload: '\uFEFF{"sessionId":"s"}',
    });
    expect(response.json()).toMatchObject({ id: "s" });
  });

  it.each([
    ["GET", "/no-such-path", 404, "ROUTE_NOT_FOUND"],
    ["GET", "//list-apps", 404, "ROUTE_NOT_FOUND"],
    ["GET", "/List-Apps", 404, "ROUTE_NOT_FOUND"],
    ["GET", "/apps/%ZZ/users/u/sessions", 400, "INVALID_IDENTIFIER"],
    ["GET", "/apps/echo/users/%FF/sessions", 400, "INVALID_IDENTIFIER"],
    ["GET", "/list-apps?detailed=maybe", 422, "INVALID_FIELD"],
    ["GET", `${SESSIONS}?pageSize=0`, 422, "INVALID_FIELD"],
    ["GET", `${SESSIONS}?pageToken=nonsense`, 400, "INVALID_CURSOR"],
  ] as const)("answers %s %s with %i", async (method, url, status, reason) => {
    await using world = await startGateway();
    expect(await answer(world, { method, url })).toMatchObject({ http: status, status, reason });
  });

  it("names the methods of a path that is asked with another one", async () => {
    await using world = await startGateway();
    const response = await world.gateway.inject({ method: "PUT", url: "/run" });
    expect([response.statusCode, response.headers["allow"], response.json()]).toMatchObject([
      405,
      "POST",
      { reason: "METHOD_NOT_ALLOWED" },
    ]);
  });

  it("leads a trailing slash to the path without it, and nowhere else", async () => {
    await using world = await startGateway();
    const response = await world.gateway.inject("/list-apps/?x=1");
    expect([response.statusCode, response.headers.location]).toEqual([307, "/list-apps?x=1"]);
    expect((await world.gateway.inject("//evil.example/")).statusCode).toBe(404);
  });
});

describe("error answers", () => {
  it("carry one text under the keys of every client, and the caller's request id", async () => {
    verifies("errors:http:body", "errors:http:not-found");
    await using world = await startGateway();
    const response = await world.gateway.inject({ url: `${SESSIONS}/nope?x=1`, headers: { "x-request-id": "req-1" } });
    expect(response.json()).toEqual({
      detail: "Session not found: nope",
      error: "Session not found: nope",
      message: "Session not found: nope",
      status: 404,
      path: `${SESSIONS}/nope`,
      code: "NOT_FOUND",
      reason: "SESSION_NOT_FOUND",
      details: { sessionId: "nope" },
      requestId: "req-1",
    });
    expect(response.headers["x-request-id"]).toBe("req-1");
  });

  it("do not repeat a request id that could break a header or a log", async () => {
    await using world = await startGateway();
    const response = await world.gateway.inject({ url: "/nope", headers: { "x-request-id": "a b<script>" } });
    expect(response.json<{ requestId: string }>().requestId).toMatch(/^id-\d+$/);
  });

  it("are frames for who asked for a stream", async () => {
    verifies("wire:sse:error-before-stream");
    await using world = await startGateway();
    const payload = { appName: "nope", userId: "u", sessionId: "s", newMessage: {} };
    const headers = { accept: "text/event-stream" };
    const response = await world.gateway.inject({ method: "POST", url: "/run_sse", payload, headers });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([404, "text/event-stream; charset=utf-8"]);
    const [, json = ""] = /^data: (\{.*\})\n\n$/.exec(response.body) ?? [];
    const error = "App not found: nope. Apps: echo.";
    expect(JSON.parse(json)).toMatchObject({ error, status: 404, reason: "APP_NOT_FOUND" });
  });

  it("say nothing of a fault in the server, which the log has", async () => {
    verifies("errors:http:no-internals");
    await using world = await startGateway();
    world.store.listSessions = () => Promise.reject(new TypeError("cannot read /srv/data/secret.db"));
    const body = await answer(world, SESSIONS);
    expect(body).toEqual({
      http: 500,
      status: 500,
      code: "INTERNAL",
      reason: "INTERNAL",
      details: {},
      message: "The server failed to handle this request. The server's log has the details of request id-1.",
    });
    expect(world.logs).toEqual(["error request failed"]);
  });
});

describe("what the server says about itself", () => {
  it("answers its health, its version, and whether it is ready", async () => {
    verifies("wire:health");
    await using world = await startGateway();
    expect((await world.gateway.inject("/health")).json()).toEqual({ status: "ok" });
    expect((await world.gateway.inject("/ready")).json()).toEqual({ status: "ready" });
    expect((await world.gateway.inject("/version")).json()).toEqual({
      version: "0.1.0",
      language: "typescript",
      language_version: process.versions.node,
    });
    const readiness = { missing: ["session"], unavailable: ["runner"] };
    await using starting = await startGateway({ deps: { readiness } });
    const notReady = await starting.gateway.inject("/ready");
    expect([notReady.statusCode, notReady.json()]).toEqual([503, { status: "not ready", notReady: ["session"] }]);
    await using serving = await startGateway({ deps: { readiness: { ...readiness, missing: [] } } });
    for (const query of ["?verbose", "?verbose=1"]) {
      const ready = await serving.gateway.inject(`/ready${query}`);
      expect([ready.statusCode, ready.json()]).toEqual([200, { status: "ready", unavailable: ["runner"] }]);
    }
  });

  it("lists apps as names, or in detail, and an app's agents", async () => {
    verifies(
      "wire:app-info",
      "what-the-service-does:hosts-apps",
      "endpoints-http:list-apps",
      "endpoints-http:list-apps:route",
      "what-the-service-does:list-apps",
    );
    await using world = await startGateway();
    const listed = {
      name: "echo",
      rootAgentName: "echo_root",
      description: "Echoes",
      language: "typescript",
      isComputerUse: false,
    };
    expect((await world.gateway.inject("/list-apps?relative_path=./")).json()).toEqual(["echo"]);
    expect((await world.gateway.inject("/list-apps?detailed=true")).json()).toEqual({ apps: [listed] });
    const tools = [{ functionDeclarations: [{ name: "add", description: "Adds", parameters: { type: "object" } }] }];
    expect((await world.gateway.inject("/apps/echo/app-info")).json()).toEqual({
      ...listed,
      agents: {
        echo_root: {
          name: "echo_root",
          description: "Echoes",
          instruction: "You echo.",
          tools,
          sub_agents: ["helper"],
        },
        helper: { name: "helper", description: "Helps", instruction: "", tools: [], sub_agents: [] },
      },
    });
    expect((await world.gateway.inject("/apps/nope/app-info")).statusCode).toBe(404);
  });

  it("gives metrics as text, never asks for consent, and says what it does not offer", async () => {
    verifies("wire:health", "errors:http:not-implemented");
    await using world = await startGateway();
    const metrics = await world.gateway.inject("/metrics");
    expect([metrics.headers["content-type"], metrics.body]).toEqual([
      "text/plain; version=0.0.4; charset=utf-8",
      "# no metrics\n",
    ]);
    expect((await world.gateway.inject("/config/telemetry")).json()).toEqual({ telemetry: false });
    expect((await world.gateway.inject({ method: "POST", url: "/config/telemetry" })).statusCode).toBe(400);
    expect(await answer(world, "/run_live")).toMatchObject({ http: 501, reason: "NOT_IMPLEMENTED" });
    expect(world.logs).toEqual([]);
  });
});
