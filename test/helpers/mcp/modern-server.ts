import { createServer, type IncomingHttpHeaders } from "node:http";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/** One request that the server got. */
export interface ReceivedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: IncomingHttpHeaders;
}

interface ModernServerOptions {
  readonly tools: readonly JsonObject[];
  /** The result of a call, or a promise of it. */
  readonly call?: (request: ReceivedRequest) => JsonObject | Promise<JsonObject>;
  /** The result of a method that the server does not have by itself, such as `resources/read`. */
  readonly answer?: (request: ReceivedRequest) => JsonObject | undefined;
  /** Members of the lists, such as `ttlMs`. */
  readonly list?: JsonObject;
  /** Default: a free one. */
  readonly port?: number;
}

/** A server of the protocol of 2026-07-28 on HTTP: it is stateless, and answers each request with one JSON text. */
export async function startModernServer(options: ModernServerOptions) {
  const received: ReceivedRequest[] = [];
  const sockets = new Set<object>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const got: ReceivedRequest = { method, params, headers: request.headers };
    received.push(got);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const result = await resultOf(options, got);
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? NOT_FOUND : { result }) });
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  });
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const address = server.address();
  const port = isJsonObject(address as never) ? (address as { port: number }).port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    /** Connections that clients have opened so far. */
    sockets,
    count: (method: string): number => received.filter((request) => request.method === method).length,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const NOT_FOUND = { error: { code: -32601, message: "Method not found" } };

async function resultOf(options: ModernServerOptions, request: ReceivedRequest): Promise<JsonObject | undefined> {
  const _meta = { "io.modelcontextprotocol/serverInfo": { name: "test", version: "1" } };
  const complete = { resultType: "complete", _meta };
  switch (request.method) {
    case "server/discover":
      return {
        ...complete,
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, ...(options.answer !== undefined && { resources: {}, prompts: {} }) },
        ttlMs: 0,
        cacheScope: "private",
      };
    case "tools/list":
      return { ...complete, tools: [...options.tools], ttlMs: 0, cacheScope: "private", ...options.list };
    case "tools/call":
      return { ...complete, ...(await options.call?.(request)) };
    default: {
      const result = options.answer?.(request);
      return result && { ...complete, ttlMs: 0, cacheScope: "private", ...result };
    }
  }
}
