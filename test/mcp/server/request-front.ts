import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { isJsonObject } from "#kit/platform/json.ts";

/**
 * The scenarios call tools without arguments, and an agent has to be asked something: the front adds the argument
 * `request` to such calls, and passes everything else on as it is.
 */
export async function openFront(port: number): Promise<Server> {
  const front = createServer((incoming, response) => {
    pass(incoming, response, port).catch(() => response.destroy());
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  return front;
}

/** The port on which the server listens. */
export function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server should listen on a port.");
  return address.port;
}

async function pass(incoming: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  const body = withRequest(await text(incoming));
  const { "transfer-encoding": _, ...headers } = incoming.headers;
  const { method, url: path } = incoming;
  const outgoing = request({
    ...{ host: "127.0.0.1", port, method, path },
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
  });
  response.once("close", () => outgoing.destroy());
  outgoing.once("error", () => response.destroy());
  outgoing.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.end(body);
}

function withRequest(body: string): string {
  const message: unknown = body.startsWith("{") ? JSON.parse(body) : undefined;
  if (!isJsonObject(message) || message["method"] !== "tools/call" || !isJsonObject(message["params"])) return body;
  const { arguments: args = {}, ...params } = message["params"];
  if (!isJsonObject(args) || Object.keys(args).length > 0) return body;
  return JSON.stringify({ ...message, params: { ...params, arguments: { request: "Do what the scenario asks." } } });
}
