import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export type WireAnswer = (response: ServerResponse) => unknown;

export interface WireServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** Resolves when a client leaves before its answer is complete. */
  readonly clientGone: Promise<void>;
}

/** A provider on loopback that gives these answers in turn, and then repeats the last one. */
export async function startWireServer(...answers: readonly [WireAnswer, ...WireAnswer[]]): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const gone = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    response.on("close", () => response.writableFinished || gone.resolve());
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? answers[0];
    requests.push({ path: request.url ?? "", headers: request.headers, body: parse(await text(request)) });
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is not a pipe name.
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, requests, clientGone: gone.promise, [Symbol.asyncDispose]: close };
}

function parse(body: string): unknown {
  return body.startsWith("{") ? JSON.parse(body) : body;
}

export function answerJson(body: string, status = 200, headers: Record<string, string> = {}): WireAnswer {
  return (response) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

/** An event stream; with `open` it never ends. */
export function answerSse(body: string, { open = false } = {}): WireAnswer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(body);
    if (!open) response.end();
  };
}

/** A recorded payload, by its path under test/fixtures. */
export function fixture(path: string): string {
  return readFileSync(fixturePath(path), "utf8");
}

export function fixturePath(path: string): string {
  return fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url));
}
