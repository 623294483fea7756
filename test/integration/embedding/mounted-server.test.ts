import { fastifyCors } from "@fastify/cors";
import { fastifyMultipart } from "@fastify/multipart";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { createServer } from "#services/standalone/index.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type MountedWorld, messageTo, scriptedAgent, startMounted } from "#test/helpers/worlds/mounted-world.ts";

/** An app with handlers of its own for everything that a plugin could replace. */
function ownApp(): FastifyInstance {
  const app = fastify({ bodyLimit: 100 });
  app.setErrorHandler((error: Error, _request, reply) => reply.code(418).send({ own: error.message }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ own: "no such page" }));
  app.addContentTypeParser("text/csv", { parseAs: "string" }, (_request, body, done) => done(null, `csv ${body}`));
  app.post("/echo", async ({ body }) => ({ own: body }));
  app.get("/fails", async () => {
    throw new Error("own failure");
  });
  return app;
}

describe("the program's own routes", () => {
  it("keep their error handler, answer to unknown paths, parsers, limits and headers", async () => {
    verifies("platform:embedded:encapsulated");
    await using world = await startMounted({}, { app: ownApp() });
    const { app } = world;
    const failed = await app.inject("/fails");
    expect([failed.statusCode, failed.json()]).toEqual([418, { own: "own failure" }]);
    const unknown = await app.inject("/agentsy");
    expect([unknown.statusCode, unknown.json()]).toEqual([404, { own: "no such page" }]);
    expect([unknown.headers["x-content-type-options"], unknown.headers["x-request-id"]]).toEqual([
      undefined,
      undefined,
    ]);
    const csv = await app.inject({
      method: "POST",
      url: "/echo",
      headers: { "content-type": "text/csv" },
      payload: "a,b",
    });
    expect(csv.json()).toEqual({ own: "csv a,b" });
    // The server's parser of JSON refuses this key, and the program's reads it.
    const json = await app.inject({ method: "POST", url: "/echo", payload: { constructor: 1 } });
    expect(json.json()).toEqual({ own: { constructor: 1 } });
    const large = await app.inject({ method: "POST", url: "/echo", payload: { text: "x".repeat(200) } });
    expect(large.statusCode).toBe(418);
  });

  it("accept any host and origin, which the server's check", async () => {
    verifies("platform:embedded:encapsulated", "platform:embedded:host");
    await using world = await startMounted({ config: { ALLOWED_HOSTS: ["api.example.com"] } }, { app: ownApp() });
    const ask = async (url: string, headers: Record<string, string>): Promise<[number, string | undefined]> => {
      const response = await world.app.inject({ url, headers });
      return [response.statusCode, response.json<{ reason?: string }>().reason];
    };
    expect(await ask("/fails", { host: "evil.example" })).toEqual([418, undefined]);
    expect(await ask("/agents/version", { host: "evil.example" })).toEqual([403, "HOST_NOT_ALLOWED"]);
    expect(await ask("/agents/version", { host: "api.example.com" })).toEqual([200, undefined]);
    expect(await ask("/agents/version", { origin: "https://evil.example" })).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
    expect(await ask("/agents/nowhere", { origin: "https://evil.example" })).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
  });

  it("may have an authentication that the server's routes get too", async () => {
    verifies("platform:embedded:encapsulated");
    const app = fastify();
    app.addHook("onRequest", async ({ headers }, reply) => {
      if (headers.authorization === undefined) return reply.code(401).send({ own: "who are you?" });
    });
    await using world = await startMounted({}, { app });
    expect((await world.app.inject("/agents/list-apps")).json()).toEqual({ own: "who are you?" });
    expect((await world.app.inject({ url: "/agents/list-apps", headers: { authorization: "x" } })).json()).toEqual([
      "echo",
    ]);
  });
});

describe("the server's routes", () => {
  it("answer all paths below the prefix, in the server's form", async () => {
    verifies("platform:embedded:mounted", "platform:embedded:encapsulated");
    await using world = await startMounted({}, { app: ownApp() });
    const { app } = world;
    const unknown = await app.inject({ url: "/agents/nowhere", headers: { "x-request-id": "mine" } });
    expect([unknown.statusCode, unknown.json()]).toMatchObject([
      404,
      { reason: "ROUTE_NOT_FOUND", path: "/agents/nowhere", requestId: "mine" },
    ]);
    expect((await app.inject("/agents")).json()).toMatchObject({ reason: "ROUTE_NOT_FOUND" });
    const missing = await app.inject("/agents/apps/echo/users/u/sessions/none");
    expect([missing.statusCode, missing.json()]).toMatchObject([404, { reason: "SESSION_NOT_FOUND" }]);
    const wrong = await app.inject({ method: "DELETE", url: "/agents/list-apps" });
    expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, "GET, HEAD"]);
    const slash = await app.inject("/agents/list-apps/?detailed=true");
    expect([slash.statusCode, slash.headers.location]).toEqual([307, "/agents/list-apps?detailed=true"]);
    const invalid = await app.inject({ method: "POST", url: "/agents/run", payload: { appName: 1 } });
    expect([invalid.statusCode, invalid.json()]).toMatchObject([422, { reason: "INVALID_FIELD" }]);
    const csv = await app.inject({
      method: "POST",
      url: "/agents/run",
      headers: { "content-type": "text/csv" },
      payload: "a",
    });
    expect([csv.statusCode, csv.json()]).toMatchObject([415, { reason: "UNSUPPORTED_MEDIA_TYPE" }]);
  });

  it("have the server's limits of bodies, for unknown paths too", async () => {
    verifies("platform:embedded:encapsulated");
    const config = { MAX_BODY_BYTES: 2048 };
    await using world = await startMounted({ config }, { app: ownApp() });
    const post = async (path: string, bytes: number): Promise<object> => {
      const payload = { state: { text: "x".repeat(bytes) } };
      const response = await world.app.inject({ method: "POST", url: `/agents${path}`, payload });
      return { status: response.statusCode, ...response.json<object>() };
    };
    const sessions = "/apps/echo/users/u/sessions";
    expect(await post(sessions, 1000)).toMatchObject({ status: 200 });
    const tooLarge = { status: 413, reason: "BODY_TOO_LARGE", message: expect.stringContaining("(MAX_BODY_BYTES)") };
    expect(await post(sessions, 3000)).toMatchObject(tooLarge);
    expect(await post("/nowhere", 1000)).toMatchObject({ status: 404 });
    expect(await post("/nowhere", 3000)).toMatchObject(tooLarge);
  });

  it("name themselves by the paths under which clients reach them", async () => {
    verifies("platform:embedded:mounted");
    const config = { DEV_UI: true, CONSOLE: true, PATH_PREFIX: "/team/" };
    await using world = await startMounted({ config }, { prefix: "/agents/v1" });
    const { app } = world;
    const root = await app.inject("/agents/v1/?app=echo");
    expect([root.statusCode, root.headers.location]).toEqual([302, "/team/agents/v1/dev-ui?app=echo"]);
    expect((await app.inject("/agents/v1")).headers.location).toBe("/team/agents/v1/dev-ui");
    const page = await app.inject("/agents/v1/dev-ui/");
    expect(page.body).toContain('<base href="/team/agents/v1/dev-ui/">');
    const runtime = await app.inject("/agents/v1/dev-ui/assets/config/runtime-config.json");
    expect(runtime.json()).toMatchObject({ backendUrl: "/team/agents/v1" });
    expect(page.body).toContain("url(/team/agents/v1/dev-ui/fonts/");
    // Their links are relative to their own addresses.
    for (const path of ["/console", "/console/console.js", "/docs", "/docs/docs.js"])
      expect([path, (await app.inject(`/agents/v1${path}`)).statusCode]).toEqual([path, 200]);
    const { servers, paths } = (await app.inject("/agents/v1/openapi.json")).json<{
      servers: unknown;
      paths: object;
    }>();
    expect(servers).toEqual([expect.objectContaining({ url: "." })]);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/list-apps", "/run_sse"]));
    expect(Object.keys(paths).filter((path) => path.includes("agents"))).toEqual([]);
  });

  it("find files by names with slashes, and apps by default", async () => {
    verifies("platform:embedded:mounted");
    await using world = await startMounted({ config: { DEFAULT_APP_NAME: "echo", AUTO_CREATE_SESSION: true } });
    const { app } = world;
    await app.inject({ method: "POST", url: "/agents/users/u/sessions/s" });
    const artifacts = "/agents/apps/echo/users/u/sessions/s/artifacts";
    const artifact = { text: "note" };
    await app.inject({ method: "POST", url: artifacts, payload: { filename: "a/b.txt", artifact } });
    expect((await app.inject(`${artifacts}/a/b.txt`)).json()).toEqual(artifact);
    const named = "/agents/users/u/sessions/s/artifacts/a/b.txt";
    expect((await app.inject(`${named}/versions`)).json()).toEqual([0]);
    expect((await app.inject({ method: "HEAD", url: named })).statusCode).toBe(200);
    expect((await app.inject("/agents/app-info")).json()).toMatchObject({ name: "echo" });
    const answer = await app.inject({
      method: "POST",
      url: "/agents/run",
      payload: { ...messageTo(""), appName: undefined },
    });
    expect(answer.json()).toMatchObject([{ author: "echo", content: { parts: [{ text: "hello" }] } }]);
    const { paths } = (await app.inject("/agents/openapi.json")).json<{ paths: object }>();
    expect(Object.keys(paths).filter((path) => path.startsWith("/users"))).toEqual([]);
  });
});

describe("other origins", () => {
  const origin = "https://shop.example";
  const preflight = { origin, "access-control-request-method": "POST" };

  it("are allowed by the server's settings, whose paths are below the prefix", async () => {
    verifies("platform:embedded:host");
    const config = { CORS_ORIGINS: [origin], CORS_MAPPING: "/list-*" };
    await using world = await startMounted({ config }, { app: ownApp() });
    const allowed = async (url: string, method: "GET" | "OPTIONS" = "GET"): Promise<unknown[]> => {
      const { statusCode, headers } = await world.app.inject({ method, url, headers: preflight });
      return [statusCode, headers["access-control-allow-origin"]];
    };
    expect(await allowed("/agents/list-apps")).toEqual([200, origin]);
    expect(await allowed("/agents/list-apps", "OPTIONS")).toEqual([200, origin]);
    expect(await allowed("/agents/version")).toEqual([403, undefined]);
    expect(await allowed("/fails", "OPTIONS")).toEqual([404, undefined]);
  });

  it("get the program's own headers if it has the same plugin, as it may have that of forms", async () => {
    verifies("platform:embedded:host");
    const app = fastify();
    await app.register(fastifyCors, { origin, exposedHeaders: ["x-own"] });
    await app.register(fastifyMultipart);
    await using world = await startMounted({ config: { CORS_ORIGINS: [origin] } }, { app });
    const { statusCode, headers } = await world.app.inject({ url: "/agents/list-apps", headers: { origin } });
    expect([statusCode, headers["access-control-expose-headers"]]).toEqual([200, "x-own"]);
    const save = { method: "POST", url: "/agents/builder/save" } as const;
    expect((await world.app.inject(save)).json()).toMatchObject({ reason: "EDITOR_OFF" });
  });
});

describe("mounting", () => {
  it("leaves upgrades of connections to the program, and answers a live run as plain HTTP", async () => {
    verifies("platform:embedded:mounted");
    await using world = await startMounted();
    expect(world.app.server.listenerCount("upgrade")).toBe(0);
    expect((await world.app.inject("/agents/run_live")).json()).toMatchObject({ reason: "NOT_IMPLEMENTED" });
  });

  it.each([
    [{}, { prefix: "" }, 'Register the server below a prefix: app.register(server.plugin, { prefix: "/agents" }).'],
    [{}, { prefix: "/t/:tenant" }, "The prefix /t/:tenant has parameters, and must be a fixed path."],
    [
      { config: { ERROR_DETAIL: "full" } },
      {},
      "ERROR_DETAIL=full cannot be used in a mounted server, which other machines may reach: use listen(), or leave it out.",
    ],
  ] as const)("with %j below %j is refused", async (options, place, message) => {
    verifies("platform:embedded:refused");
    await expect(startMounted(options, place)).rejects.toThrow(message);
  });

  it("in an app of HTTP/2 or of another version, a second time, or after the end is refused", async () => {
    verifies("platform:embedded:refused");
    await using server = await createServer({ agents: [scriptedAgent()] });
    await expect(
      server.plugin({ version: "4.29.0", prefix: "/x", initialConfig: { http2: true } }),
    ).rejects.toMatchObject({
      reason: "CONFIGURATION",
      message:
        "The server is a plugin for Fastify 5, and this app is of version 4.29.0.\nThe server is a plugin for HTTP/1.1, and this app has http2 on.",
    });
    const app = fastify();
    await app.register(server.plugin, { prefix: "/agents" });
    await expect(server.plugin(app)).rejects.toThrow("The server listens or is mounted already");
    await expect(server.listen({ port: 0 })).rejects.toThrow("The server listens or is mounted already");
    await app.close();
    await expect(server.listen({ port: 0 })).rejects.toThrow("The server is closed: create another one.");
  });

  it("is possible for several servers in one app", async () => {
    verifies("platform:embedded:several");
    const app = fastify();
    const first = await startMounted({ agents: [scriptedAgent(["one"], "first")] }, { app, prefix: "/one" });
    await using _second = await startMounted({ agents: [scriptedAgent(["two"], "second")] }, { app, prefix: "/two" });
    const apps = async (path: string): Promise<unknown> => (await first.app.inject(path)).json();
    expect([await apps("/one/list-apps"), await apps("/two/list-apps")]).toEqual([["first"], ["second"]]);
    const session = { method: "POST", url: "/one/apps/first/users/u/sessions/s" } as const;
    await app.inject(session);
    expect((await app.inject({ method: "GET", url: session.url.replace("one", "two") })).statusCode).toBe(404);
  });
});

describe("a mounted server without authentication", () => {
  it("refuses requests of other machines, unless the program's options say otherwise", async () => {
    verifies("authentication:off-loopback:mounted");
    const ask = async ({ app }: MountedWorld, url: string, remoteAddress: string) => {
      const answer = await app.inject({ url, remoteAddress });
      return [answer.statusCode, answer.json().reason];
    };
    await using world = await startMounted({}, { app: ownApp() });
    for (const address of ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1"])
      for (const path of ["list-apps", "health", "nowhere"])
        expect(await ask(world, `/agents/${path}`, address)).toEqual([403, "CALLER_NOT_LOCAL"]);
    for (const address of ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])
      expect(await ask(world, "/agents/list-apps", address)).toEqual([200, undefined]);
    // The program's own routes stay as they are.
    expect(await ask(world, "/fails", "192.0.2.7")).toEqual([418, undefined]);
    await using allowed = await startMounted({ config: { ALLOW_UNAUTHENTICATED: true } });
    expect(await ask(allowed, "/agents/list-apps", "192.0.2.7")).toEqual([200, undefined]);
  });
});
