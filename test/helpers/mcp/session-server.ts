import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";

/** How the server refuses a request whose session it does not know. */
export interface Refusal {
  /** Absent: no answer at all. */
  readonly status?: number;
  /** Members of a JSON-RPC error, or a text. */
  readonly body?: JsonObject | string;
}

/** A server of the protocol of 2025-06-18 on HTTP, whose sessions are in the memory of its process. */
export async function startSessionServer(refusal: () => Refusal) {
  let sessions = new Set<string>();
  let handshakes = 0;
  let calls = 0;
  let lists = 0;
  let takesCalls = true;
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString("utf8"));
    const json = (result: JsonValue, headers = {}): void => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    };
    const known = sessions.has(String(request.headers["mcp-session-id"]));
    if (message.method === "initialize") {
      handshakes += 1;
      sessions.add(`s${handshakes}`);
      json(HANDSHAKE, { "mcp-session-id": `s${handshakes}` });
    } else if (message.method === "server/discover") refuse(response, message.id, METHOD_NOT_FOUND);
    else if (!known) refuse(response, message.id, refusal());
    else if (message.id === undefined) response.writeHead(202).end();
    else if (message.method === "tools/list") {
      lists += 1;
      json({ tools: [{ name: "add", inputSchema: { type: "object" } }] });
    } else if (!takesCalls) refuse(response, message.id, refusal());
    else {
      calls += 1;
      json({ content: [{ type: "text", text: `call ${calls}` }] });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    /** The sessions are forgotten, as by a restart. */
    restart: () => {
      sessions = new Set();
    },
    /** From now on no session is known when a tool is called. */
    forgetCalls: () => {
      takesCalls = false;
    },
    handshakes: () => handshakes,
    /** How often the tools were listed. */
    lists: () => lists,
    /** Calls that the server has executed. */
    calls: () => calls,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const HANDSHAKE = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "sessions", version: "1" },
};
const METHOD_NOT_FOUND: Refusal = { status: 200, body: { code: -32_601, message: "Method not found" } };

function refuse(response: ServerResponse, id: JsonValue, { status, body }: Refusal): void {
  if (status === undefined) return;
  if (typeof body === "string" || body === undefined) {
    response.writeHead(status, { "content-type": "text/plain" }).end(body);
    return;
  }
  // An error of HTTP names no request, as most servers write it.
  const answer = { jsonrpc: "2.0", id: status === 200 ? id : null, error: body };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
}
