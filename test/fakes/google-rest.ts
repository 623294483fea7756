import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface RestCall {
  readonly method: string;
  readonly path: string;
  /** JSON, or the text of an upload. */
  readonly body: unknown;
  readonly raw: Buffer;
}

/** What a server answers: a status, and JSON. */
export interface RestAnswer {
  /** Never answers. */
  readonly isSilent?: boolean;
  readonly status?: number;
  readonly body?: unknown;
}

export interface RestFake extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly RestCall[];
}

/** A server on loopback that answers as `answer` decides. */
export async function startRest(
  answer: (call: RestCall, headers: IncomingMessage["headers"]) => RestAnswer,
): Promise<RestFake> {
  const calls: RestCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const text = raw.toString();
    const isJson = request.headers["content-type"]?.includes("application/json") === true && text !== "";
    const call = { method: request.method ?? "", path: request.url ?? "", body: isJson ? JSON.parse(text) : text, raw };
    calls.push(call);
    const { status = 200, body = {}, isSilent = false } = answer(call, request.headers);
    if (isSilent) return;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The form of an error of Google's APIs. */
export function googleError(code: number, message: string): RestAnswer {
  return { status: code, body: { error: { code, message, errors: [{ message, reason: "notFound" }] } } };
}
