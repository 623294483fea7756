import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { GeminiEmbedder } from "#kit/models/gemini/gemini-embedder.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { verifies } from "#test/helpers/verifies.ts";

const MIB = 1024 * 1024;

/** The address of a server on loopback that answers as the listener does. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes the text again and again until so many bytes are written or the client leaves. */
function flood(response: ServerResponse, text: string, bytes: number): void {
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  const chunks = Array.from({ length: Math.ceil(bytes / chunk.length) }, () => chunk);
  pipeline(Readable.from(chunks), response).catch(() => undefined);
}

const MODELS: readonly [string, (baseUrl: string) => BaseLlm][] = [
  ["OpenAI", (baseUrl) => new OpenAiCompatible({ model: "m", apiKey: "k", baseUrl, retry: { maxAttempts: 1 } })],
  ["Claude", (baseUrl) => new Claude({ model: "m", apiKey: "k", baseUrl, retry: { maxAttempts: 1 } })],
  ["Gemini", (baseUrl) => new Gemini({ model: "m", apiKey: "k", baseUrl, retry: { maxAttempts: 1 } })],
];

/** The reason that the call fails with, or "none". */
async function failureOf(model: BaseLlm, stream: boolean): Promise<string> {
  const request = new LlmRequest({ model: model.model, contents: [userContent("hello")] });
  try {
    await Array.fromAsync(model.generateContentAsync(request, { stream, signal: AbortSignal.timeout(60_000) }));
    return "none";
  } catch (error) {
    return (error as { readonly reason?: string }).reason ?? String(error);
  }
}

describe.each(MODELS)("a hostile provider of the protocol of %s", (_, create) => {
  it.each(["\r", ": comment\r\r"])("cannot keep the process busy with 16 MB of %j", async (text) => {
    verifies("peers:models:linear-decoding");
    const url = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      flood(response, text, 16 * MIB);
    });
    const before = process.threadCpuUsage();
    await failureOf(create(url), true);
    const { user, system } = process.threadCpuUsage(before);
    // The same thread serves the flood. Decoders that search for each line end anew take far longer.
    expect((user + system) / 1e6).toBeLessThan(2.5);
  });

  it.each<[string, string, string]>([
    ["a line without end", "text/event-stream", "x"],
    ["an event without end", "text/event-stream", "data: x\n"],
    ["JSON without end", "application/json", " "],
    ["an answer without a type", "", "x"],
  ])("is not read beyond the limits when it sends %s", async (_name, contentType, text) => {
    verifies("peers:models:bounded-bytes");
    const left = Promise.withResolvers<number>();
    const url = await serve((_request, response) => {
      if (contentType !== "") response.setHeader("content-type", contentType);
      response.once("close", () => left.resolve(response.socket?.bytesWritten ?? 0));
      flood(response, text, 400 * MIB);
    });
    expect(await failureOf(create(url), contentType !== "application/json")).toBe("MODEL_ANSWER_TOO_LARGE");
    expect(await left.promise).toBeLessThan(100 * MIB);
  });

  it("has the beginning of an error's text read only", async () => {
    verifies("peers:models:bounded-bytes");
    const left = Promise.withResolvers<number>();
    const url = await serve((_request, response) => {
      response.writeHead(500, { "content-type": "application/json" });
      response.once("close", () => left.resolve(response.socket?.bytesWritten ?? 0));
      flood(response, "x", 60 * MIB);
    });
    expect(await failureOf(create(url), true)).toMatch(/^MODEL_(UNAVAILABLE|ANSWER_TOO_LARGE)$/);
    expect(await left.promise).toBeLessThan(30 * MIB);
  });

  it.each([301, 302, 303, 307, 308])("does not get the prompt sent elsewhere by a redirect with %i", async (status) => {
    verifies("peers:models:redirects");
    let hits = 0;
    const other = await serve((_request, response) => {
      hits += 1;
      response.end("{}");
    });
    const url = await serve((_request, response) => {
      response.writeHead(status, { location: `${other}/elsewhere` }).end();
    });
    expect([await failureOf(create(url), true), hits]).toEqual(["OUTBOUND_REDIRECT_REFUSED", 0]);
  });

  it("may redirect within its origin, but not for ever", async () => {
    verifies("peers:models:redirects");
    const paths: string[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url ?? "");
      response.writeHead(307, { location: `/again/${paths.length}` }).end();
    });
    expect(await failureOf(create(url), true)).toBe("OUTBOUND_REDIRECT_REFUSED");
    expect(paths.slice(1)).toEqual(["/again/1", "/again/2", "/again/3"]);
  });
});

it("an embedding model's answer is bounded too", async () => {
  verifies("peers:models:bounded-bytes");
  const url = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    flood(response, " ", 100 * MIB);
  });
  const embedder = new GeminiEmbedder({ model: "m", apiKey: "k", baseUrl: url });
  await expect(embedder.embed(["text"], "query")).rejects.toMatchObject({ reason: "MODEL_ANSWER_TOO_LARGE" });
});
