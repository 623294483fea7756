import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess, type OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { OpenApiToolset, type OpenApiToolsetOptions } from "./open-api-toolset.ts";

interface Received {
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const received: Received[] = [];
const server = createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request);
  const body = Buffer.concat(chunks).toString("utf8");
  received.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
  if (request.url?.startsWith("/v1/quoting") === true)
    response.writeHead(403, { "content-type": "text/plain" }).end(`${request.headers.authorization} ${request.url}`);
  else if (request.url?.startsWith("/v1/escaping") === true)
    response.writeHead(request.url.endsWith("no") ? 403 : 200, { "content-type": "application/json" }).end(
      JSON.stringify({ [`by ${request.headers["x-key"]}`]: request.headers["x-key"] })
        .replaceAll("/", "\\/")
        .replaceAll("+", "\\u002B"),
    );
  else if (request.url?.startsWith("/v1/missing") === true)
    response.writeHead(404, { "content-type": "text/plain" }).end("no pet");
  else response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
});
let origin = "";
let outbound: OutboundAccess;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  outbound = createOutboundAccess({ allowedHosts: [`127.0.0.1:${port}`] });
});

afterAll(async () => {
  await outbound[Symbol.asyncDispose]();
  server.close();
});

function specOf(paths: JsonObject, others: JsonObject = {}): JsonObject {
  return {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: `${origin}/v1` }],
    paths,
    ...others,
  };
}

const PET: JsonObject = {
  operationId: "updatePet",
  description: "Changes a pet.",
  parameters: [
    { name: "id", in: "path", required: true, schema: { type: "string" } },
    { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
    { name: "limit", in: "query", schema: { type: "integer" } },
    { name: "where", in: "query", style: "deepObject", explode: true, schema: { type: "object" } },
    { name: "x-mode", in: "header", schema: { type: "boolean" } },
    { name: "theme", in: "cookie", schema: { type: "string" } },
  ],
  requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
};
const PETS: JsonObject = {
  Pet: { type: "object", properties: { name: { type: "string" }, parent: { $ref: "#/components/schemas/Pet" } } },
};

/** Calls one tool in a run, and returns what the model gets. */
async function call(options: OpenApiToolsetOptions, name: string, args: JsonObject): Promise<unknown> {
  const model = new ScriptedModel([functionCallResponse(name, args), "Done."]);
  const agent = new LlmAgent({ name: "keeper", model, tools: [new OpenApiToolset(options)] });
  const app = createApp({ name: "app", rootAgent: agent });
  const runner = new Runner({ app, outbound, runConfig: { autoCreateSession: true } });
  const run = runner.runAsync({ userId: "ada", sessionId: "s", newMessage: userContent("Go.") });
  const events = await Array.fromAsync(run);
  return events.flatMap(({ content }) => content?.parts ?? []).find((part) => part.functionResponse)?.functionResponse
    ?.response;
}

describe("OpenApiToolset", () => {
  it("sends parameters in their styles, keeps falsy values, and returns the parsed answer", async () => {
    const spec = specOf({ "/pets/{id}": { put: PET } }, { components: { schemas: PETS } });
    const args = {
      id: "a/b c",
      tags: ["x&y", ""],
      limit: 0,
      where: { age: { min: 1 } },
      "x-mode": false,
      theme: "da;rk",
      body: { name: "Tom", parent: { name: "Ann" } },
    };
    expect(await call({ spec }, "update_pet", args)).toEqual({ ok: true });
    const { line, headers, body } = received.at(-1) ?? { line: "", headers: {}, body: "" };
    expect(line).toBe("PUT /v1/pets/a%2Fb%20c?tags=x%26y&tags=&limit=0&where%5Bage%5D%5Bmin%5D=1");
    expect([headers["x-mode"], headers.cookie, headers["content-type"]]).toEqual([
      "false",
      "theme=da%3Brk",
      "application/json",
    ]);
    expect(JSON.parse(body)).toEqual(args.body);
  });

  it.each([
    ["query", "GET /v1/pets?v=2&w=&kind=cat&a=1&a=2&key=s%26t", "one=1; two=x,y"],
    ["cookie", "GET /v1/pets?v=2&w=&kind=cat&a=1&a=2", "one=1; two=x,y; key=s&t"],
  ] as const)(
    "joins the queries of server, path, call and credential, and all cookies: a key in a %s",
    async (place, line, cookie) => {
      const parameters: JsonObject[] = [
        { name: "a", in: "query", schema: { type: "array" } },
        { name: "one", in: "cookie" },
        { name: "two", in: "cookie", explode: false, schema: { type: "array" } },
      ];
      const servers = [{ url: `${origin}/v1?v=2&w=#part` }];
      const spec = specOf({ "/pets?kind=cat#list": { get: { operationId: "list", parameters } } }, { servers });
      const options = {
        spec,
        authScheme: { type: "apiKey", in: place, name: "key" },
        authCredential: { authType: "apiKey", apiKey: "s&t" },
      } as const;
      expect(await call(options, "list", { a: ["1", "2"], one: "1", two: ["x", "y"] })).toEqual({ ok: true });
      const { line: sent, headers } = received.at(-1) ?? {};
      expect([sent, headers?.cookie]).toEqual([line, cookie]);
    },
  );

  it("sends the author's credential to all operations but those that the description calls public", async () => {
    const spec = specOf(
      { "/own": { get: { operationId: "own" } }, "/open": { get: { operationId: "open", security: [] } } },
      { security: [{ key: [] }], components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } } },
    );
    const credential = {
      authType: "http",
      http: { scheme: "bearer", credentials: { token: "secret-token" } },
    } as const;
    const options = { spec, authScheme: { type: "http", scheme: "bearer" }, authCredential: credential } as const;
    for (const name of ["own", "open"]) expect(await call(options, name, {})).toEqual({ ok: true });
    expect(received.slice(-2).map(({ line, headers }) => [line, headers.authorization])).toEqual([
      ["GET /v1/own", "Bearer secret-token"],
      ["GET /v1/open", undefined],
    ]);
  });

  it("sends the digits of integers that no number holds", async () => {
    const integer = { type: "integer" };
    const content = {
      "application/json": { schema: { type: "object", properties: { ids: { type: "array", items: integer } } } },
    };
    const parameters = [{ name: "id", in: "path", required: true, schema: integer }];
    const spec = specOf({ "/notes/{id}": { put: { operationId: "change", parameters, requestBody: { content } } } });
    const args = { id: "12345678901234567891", body: { ids: [1, "12345678901234567893"] } };
    expect(await call({ spec }, "change", args)).toEqual({ ok: true });
    const { line, body } = received.at(-1) ?? expect.unreachable();
    expect([line, body]).toEqual(["PUT /v1/notes/12345678901234567891", '{"ids":[1,"12345678901234567893"]}']);
  });

  it("sends the body of a GET, and requests of other methods", async () => {
    verifies("tools:openapi:breadth");
    const content = { "application/json": { schema: { type: "object" } } };
    const paths = {
      "/search": {
        get: { operationId: "search", requestBody: { required: true, content } },
        query: { operationId: "find", requestBody: { content } },
        additionalOperations: { COPY: { operationId: "copy" } },
      },
    };
    const spec = { ...specOf(paths), openapi: "3.2.0" };
    for (const name of ["search", "find"]) expect(await call({ spec }, name, { body: { q: 1 } })).toEqual({ ok: true });
    expect(await call({ spec }, "copy", {})).toEqual({ ok: true });
    expect(received.slice(-3).map(({ line, body }) => [line, body])).toEqual([
      ["GET /v1/search", '{"q":1}'],
      ["QUERY /v1/search", '{"q":1}'],
      ["COPY /v1/search", ""],
    ]);
  });

  it("sends what its server may accept, although the description says otherwise", async () => {
    verifies("tools:openapi:lenient");
    const message = { type: "object", properties: { role: { type: "string" } }, required: ["role"] };
    const either = {
      oneOf: [message, { ...message, properties: { ...message.properties, type: { type: "string" } } }],
    };
    const schema = {
      type: "object",
      properties: {
        input: { type: "array", items: either },
        at: { type: "string", format: "date-time" },
        price: { type: "number", multipleOf: 0.01 },
        both: {
          allOf: [
            { ...message, additionalProperties: false },
            { type: "object", properties: { b: { type: "string" } } },
          ],
        },
        labels: { type: "object", patternProperties: { "^x": { type: "string" } }, additionalProperties: false },
        note: { type: "string" },
      },
    };
    const limit = { name: "limit", in: "query", schema: { type: "integer" } };
    const spec = specOf({
      "/a": {
        post: {
          operationId: "make",
          parameters: [limit],
          requestBody: { content: { "application/json": { schema } } },
        },
      },
    });
    const body = {
      input: [{ role: "user" }],
      at: "2026-01-01 10:00",
      price: 19.99,
      both: { role: "r", b: "b" },
      labels: { x1: "a" },
    };
    expect(await call({ spec }, "make", { limit: "5", body: { ...body, note: null } })).toEqual({ ok: true });
    expect(received.at(-1)?.line).toBe("POST /v1/a?limit=5");
    expect(JSON.parse(received.at(-1)?.body ?? "")).toEqual(body);
  });

  it("refuses wrong arguments and dot segments of a path, without a request", async () => {
    const spec = specOf({ "/pets/{id}": { put: PET } }, { components: { schemas: PETS } });
    const before = received.length;
    const wrong: JsonObject[] = [
      { id: ".." },
      { id: "." },
      { id: "a/." },
      { id: "./a" },
      { id: "..\\\\a" },
      { id: "a/../b" },
      { id: "" },
      { limit: 1 },
      { id: "1", limit: "x" },
      { id: "1", other: 1 },
    ];
    for (const args of wrong) {
      expect(await call({ spec }, "update_pet", args)).toEqual({
        error: expect.stringMatching(/^Wrong arguments for/),
      });
    }
    expect(received.length).toBe(before);
  });

  it("returns the status and text of a refusal to the model", async () => {
    const spec = specOf({ "/missing": { get: { operationId: "find" } } });
    expect(await call({ spec }, "find", {})).toEqual({ error: expect.stringContaining("HTTP status 404: no pet") });
  });

  it("sends forms", async () => {
    const requestBody = { content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } } };
    const spec = specOf({ "/forms": { post: { operationId: "send", requestBody } } });
    await call({ spec }, "send", { body: { a: "x y", b: [1, 2] } });
    expect(received.at(-1)?.body).toBe("a=x+y&b=1&b=2");
  });

  it("sends credentials to the server of the description alone", async () => {
    const auth = {
      authScheme: { type: "http", scheme: "bearer" },
      authCredential: { authType: "http", http: { scheme: "bearer", credentials: { token: "secret" } } },
    } as const;
    const other = { operationId: "other", servers: [{ url: origin }] };
    const spec = { ...specOf({ "/own": { get: { operationId: "own" } }, "/other": { get: other } }) };
    await call({ spec, ...auth }, "own", {});
    expect(received.at(-1)?.headers.authorization).toBe("Bearer secret");
    await call({ spec: { ...spec, servers: [{ url: "https://api.example" }] }, ...auth }, "other", {});
    expect(received.at(-1)).toMatchObject({ line: "GET /other" });
    expect(received.at(-1)?.headers.authorization).toBeUndefined();
  });

  it("leaves the credential out of a result that quotes it", async () => {
    verifies("tools:openapi:quoted-credentials");
    const spec = specOf({ "/quoting": { get: { operationId: "quote" } } });
    const bearer = { authType: "http", http: { scheme: "bearer", credentials: { token: "SECRET-token" } } } as const;
    const own = await call(
      { spec, authScheme: { type: "http", scheme: "bearer" }, authCredential: bearer },
      "quote",
      {},
    );
    expect(own).toEqual({ error: expect.stringContaining("[redacted] /v1/quoting") });
    const authScheme = { type: "apiKey", in: "query", name: "key" } as const;
    const key = await call(
      { spec, authScheme, authCredential: { authType: "apiKey", apiKey: "SECRET/ä+1" } },
      "quote",
      {},
    );
    expect(key).toEqual({ error: expect.stringContaining("/v1/quoting?key=[redacted]") });
  });

  it("leaves the credential out of JSON in which the server has escaped its characters", async () => {
    verifies("tools:openapi:quoted-credentials");
    const spec = specOf({
      "/escaping": { get: { operationId: "say" } },
      "/escaping/no": { get: { operationId: "refuse" } },
    });
    const key = {
      authScheme: { type: "apiKey", in: "header", name: "x-key" },
      authCredential: { authType: "apiKey", apiKey: "SECRET/a+1" },
    } as const;
    expect(await call({ spec, ...key }, "say", {})).toEqual({ "by [redacted]": "[redacted]" });
    expect(await call({ spec, ...key }, "refuse", {})).toEqual({
      error: expect.stringContaining('403: {"by [redacted]":"[redacted]"}'),
    });
  });

  it("leaves the credentials of a header provider out of results, and no other headers", async () => {
    verifies("tools:openapi:quoted-credentials");
    const spec = specOf({ "/quoting": { get: { operationId: "quote" } } });
    const headerProvider = () => ({ Authorization: "Custom user-token-1", "x-region": "quoting" });
    expect(await call({ spec, headerProvider }, "quote", {})).toEqual({
      error: expect.stringContaining("403: [redacted] /v1/quoting"),
    });
    const short = () => ({ Authorization: "Custom 1", "x-token": "quoting" });
    expect(await call({ spec, headerProvider: short }, "quote", {})).toEqual({
      error: expect.stringContaining("403: Custom 1 /v1/quoting"),
    });
    const both = {
      authScheme: { type: "apiKey", in: "query", name: "key" },
      authCredential: { authType: "apiKey", apiKey: "SECRET-key" },
    } as const;
    expect(await call({ spec, headerProvider, ...both }, "quote", {})).toEqual({
      error: expect.stringContaining("403: [redacted] /v1/quoting?key=[redacted]"),
    });
  });

  it("does not quote a provided header that cannot be sent", async () => {
    const spec = specOf({ "/own": { get: { operationId: "own" } } });
    const headerProvider = () => ({ "x-token": "user-token-1\nx" });
    expect(await call({ spec, headerProvider }, "own", {})).toEqual({
      error: 'headerProvider: the value of "x-token" cannot be a header.',
    });
  });

  it("does not call servers of the inner network", async () => {
    const spec = {
      ...specOf({ "/": { get: { operationId: "steal" } } }),
      servers: [{ url: "http://169.254.169.254" }],
    };
    expect(await call({ spec }, "steal", {})).toEqual({ error: expect.stringContaining("may not be called") });
  });

  it("reads YAML, and gives each operation a unique name", async () => {
    const spec = `openapi: 3.0.3\nservers: [{ url: "${origin}" }]\npaths:\n  /a: { get: { operationId: listAll } }\n  /b: { get: { operationId: list_all } }\n`;
    await call({ spec, toolNamePrefix: "pets" }, "pets_list_all_2", {});
    expect(received.at(-1)?.line).toBe("GET /b");
  });

  it("leaves out an operation that cannot be a tool, with one warning", async () => {
    verifies("tools:openapi:left-out");
    const bad = { operationId: "upload", requestBody: { content: { "application/cbor": {} } } };
    const toolset = new OpenApiToolset({ spec: specOf({ "/a": { post: bad, get: { operationId: "find" } } }) });
    const logger = new RecordingLogger();
    const agent = new LlmAgent({ name: "keeper", model: new ScriptedModel(["One.", "Two."]), tools: [toolset] });
    const app = createApp({ name: "app", rootAgent: agent });
    const runner = new Runner({ app, outbound, logger, runConfig: { autoCreateSession: true } });
    for (const sessionId of ["s1", "s2"])
      await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId, newMessage: userContent("Go.") }));
    expect(logger.lines).toEqual([
      {
        level: "warn",
        message: "OpenAPI operation left out",
        fields: { operation: "POST /a", problem: "no media type of its body is supported: application/cbor" },
      },
    ]);
  });

  it.each([
    [{ baseUrl: "ftp://files.example" }, "baseUrl should be an address"],
    [{ timeoutMs: 0 }, "timeoutMs must be a whole number"],
    [{ timeoutMs: 1.5 }, "timeoutMs must be a whole number"],
  ])("refuses the options %j", (options, problem) => {
    expect(() => new OpenApiToolset({ spec: specOf({}), ...options })).toThrow(problem);
  });

  it("needs a server of the whole description for credentials alone", async () => {
    const paths = { "/a": { get: { operationId: "find", servers: [{ url: origin }] } } };
    const spec: JsonObject = { openapi: "3.1.0", paths };
    expect(await call({ spec }, "find", {})).toEqual({ ok: true });
    const headerProvider = () => ({ "x-token": "secret" });
    await expect(call({ spec, headerProvider }, "find", {})).rejects.toThrow("Give the toolset a baseUrl");
  });
});
