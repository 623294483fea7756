import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { userContent } from "#kit/events/content.ts";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess, type OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { OpenApiToolset } from "./open-api-toolset.ts";
import { restResult } from "./rest-result.ts";

const JSON_TYPE = { "content-type": "application/json" };
const MEBIBYTE = Buffer.alloc(1024 * 1024, "x");
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));

/** Answers of a hostile server, by the name of the operation. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  good: (response) => void response.writeHead(200, JSON_TYPE).end('{"ok":true}'),
  gzip_bomb: (response) => void response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(BOMB),
  broken_gzip: (response) => void response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end("no gzip"),
  endless: (response) => {
    response.writeHead(200, JSON_TYPE);
    const write = (): void => {
      if (response.destroyed) return;
      if (response.write(MEBIBYTE)) setImmediate(write);
      else response.once("drain", write);
    };
    write();
  },
  silent: () => undefined,
  drip: (response) => {
    response.writeHead(200, JSON_TYPE);
    const timer = setInterval(() => response.write(" "), 10);
    response.once("close", () => clearInterval(timer));
  },
  breaks_off: (response) => void response.writeHead(200, JSON_TYPE).write("{", () => response.destroy()),
  long_headers: (response) => void response.writeHead(200, { ...JSON_TYPE, "x-long": "x".repeat(100_000) }).end("{}"),
  mislabelled: (response) => void response.writeHead(200, JSON_TYPE).end("<html>"),
  binary: (response) => void response.writeHead(200, { "content-type": "image/png" }).end(MEBIBYTE),
  no_type: (response) => void response.writeHead(200).end("plain"),
  inner_redirect: (response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  circle: (response) => void response.writeHead(302, { location: "/circle" }).end(),
  long_error: (response) => void response.writeHead(500, { "content-type": "text/plain" }).end("e".repeat(1_000_000)),
  deep_json: (response) => void response.writeHead(200, JSON_TYPE).end("[".repeat(40_000) + "]".repeat(40_000)),
};

const server = createServer({ maxHeaderSize: 1_000_000 }, (request, response) =>
  ANSWERS[request.url?.slice(1) ?? ""]?.(response),
);
let origin = "";
let outbound: OutboundAccess;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  outbound = createOutboundAccess({ allowedHosts: [`127.0.0.1:${port}`], maxBytes: 4 * 1024 * 1024, timeoutMs: 1000 });
});

afterAll(async () => {
  await outbound[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

it.each([
  ["gzip_bomb", { error: expect.stringContaining("has more than 4194304 bytes") }],
  ["broken_gzip", { error: expect.stringContaining("its answer is broken") }],
  ["endless", { error: expect.stringContaining("has more than 4194304 bytes") }],
  ["silent", { error: expect.stringContaining("did not answer within 1000 ms") }],
  ["drip", { error: expect.stringContaining("did not answer within 1000 ms") }],
  ["breaks_off", { error: expect.stringContaining("its answer is broken") }],
  ["long_headers", { error: expect.stringContaining("its answer is broken") }],
  ["mislabelled", { text: "<html>" }],
  ["binary", { status: 200, note: "The answer has the media type image/png and was not read." }],
  ["no_type", { text: "plain" }],
  ["inner_redirect", { error: expect.stringContaining("may not be called") }],
  ["circle", { error: expect.stringContaining("it redirects too often") }],
  ["long_error", { error: expect.stringMatching(/^The server answered with HTTP status 500: e{2000}\nCorrect/) }],
  ["deep_json", { error: expect.any(String) }],
])("gives the model a bounded result of the hostile answer %s, and the next call works", async (name, expected) => {
  verifies("tools:openapi:hostile-answers");
  const operations = Object.keys(ANSWERS).map((operationId) => [`/${operationId}`, { get: { operationId } }]);
  const spec = { openapi: "3.1.0", servers: [{ url: origin }], paths: Object.fromEntries(operations) };
  const model = new ScriptedModel([functionCallResponse(name, {}), functionCallResponse("good", {}), "Done."]);
  const agent = new LlmAgent({ name: "keeper", model, tools: [new OpenApiToolset({ spec })] });
  const runner = new Runner({
    app: createApp({ name: "app", rootAgent: agent }),
    outbound,
    runConfig: { autoCreateSession: true },
  });
  const run = runner.runAsync({ userId: "ada", sessionId: "s", newMessage: userContent("Go.") });
  const responses = (await Array.fromAsync(run)).flatMap(functionResponses).map(({ response }) => response);
  expect(responses).toEqual([expected, { ok: true }]);
});

const TOKEN = "secret-token/1+";

/** What a model gets of an answer to a request with the token. */
async function resultOf(body: string | null, { type = "application/json", status = 200 } = {}) {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (body !== null && body !== "") controller.enqueue(Buffer.from(body));
        controller.close();
      },
      cancel: () => {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const secrets = new CallSecrets();
  secrets.add(TOKEN);
  const result = await restResult(
    new Response(stream, { status, headers: type === "" ? {} : { "content-type": type } }),
    secrets,
  );
  return { result, isCancelled };
}

describe("the result of a call", () => {
  it.each<[string, string, string, object]>([
    ["JSON", "application/json", '{"a":[1]}', { a: [1] }],
    ["JSON of another type", "application/problem+json; charset=utf-8", '{"a":1}', { a: 1 }],
    ["JSON that is broken", "application/json", "{", { text: "{" }],
    ["null", "application/json", "null", { text: "null" }],
    ["text", "text/plain", '{"a":1}', { text: '{"a":1}' }],
    ["text in capitals", "TEXT/CSV", "a,b", { text: "a,b" }],
    ["XML", "application/atom+xml", "<a/>", { text: "<a/>" }],
    ["XML too", "application/xml", "<a/>", { text: "<a/>" }],
    ["an answer without a type", "", "hi", { text: "hi" }],
    ["an empty answer", "application/json", "", { status: 200 }],
  ])("is %s", async (_title, type, body, result) => {
    expect(await resultOf(body, { type })).toEqual({ result, isCancelled: false });
  });

  it.each([
    [200, { status: 200, note: "The answer has the media type image/png and was not read." }],
    [404, { error: expect.stringContaining("HTTP status 404: no text") }],
  ])("is not binary data, whose connection is freed (status %i)", async (status, result) => {
    expect(await resultOf("\u0000", { type: "image/png", status })).toEqual({ result, isCancelled: true });
  });

  it("has 100,000 characters at most, and says how many there were", async () => {
    const text = "x".repeat(100_000);
    expect((await resultOf(text, { type: "text/plain" })).result).toEqual({ text });
    const longer = await resultOf(`${text}y`, { type: "text/plain" });
    expect(longer.result).toEqual({ text, truncated: true, characters: 100_001 });
  });

  it.each([400, 404, 500])("is the refusal with status %i, of which 2,000 characters are quoted", async (status) => {
    const said = "x".repeat(2000);
    const { result } = await resultOf(`${said}y`, { type: "text/plain", status });
    expect(result).toEqual({ error: expect.stringContaining(`HTTP status ${status}: ${said}\nCorrect`) });
  });

  it.each([
    [JSON.stringify({ a: TOKEN, [TOKEN]: 1 }), { a: "[redacted]", "[redacted]": 1 }],
    ['{"a":"secret-token\\/1\\u002b"}', { a: "[redacted]" }],
    ['{"a":"b\\/c"}', { a: "b/c" }],
    [`broken ${TOKEN}`, { text: "broken [redacted]" }],
  ])("does not have the secrets of the request: %s", async (body, result) => {
    expect((await resultOf(body)).result).toEqual(result);
  });
});
