import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOutboundAccess, type OutboundAccess } from "#kit/addresses/outbound-access.ts";
import { createApp } from "#kit/core/app.ts";
import { userContent } from "#kit/events/content.ts";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { OpenApiToolset } from "./open-api-toolset.ts";

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
