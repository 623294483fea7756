import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AgentCard } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import {
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from "@a2a-js/sdk/server";

export interface PeerRequest {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly params: unknown;
}

export interface A2APeer extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly requests: readonly PeerRequest[];
}

export interface PeerOptions {
  readonly version?: "1.0" | "0.3";
  readonly streaming?: boolean;
  /** Further members of the card, such as security schemes. */
  readonly card?: object;
  /** Each answer of a stream waits for it, when the task exists already. */
  readonly held?: () => Promise<void>;
  /** Answers a request in place of the SDK if it returns true. */
  readonly answer?: (request: PeerRequest, response: ServerResponse) => boolean;
}

/** A server of `@a2a-js/sdk` on loopback, over JSON-RPC. */
export async function startA2aPeer(
  executor: Pick<AgentExecutor, "execute" | "cancelTask">,
  { version = "1.0", streaming = true, card: members = {}, held, answer }: PeerOptions = {},
): Promise<A2APeer> {
  const requests: PeerRequest[] = [];
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const supportedInterfaces = [{ url: `${origin}/rpc`, protocolBinding: "JSONRPC", protocolVersion: version }];
  const capabilities = { streaming, pushNotifications: false, extensions: [], extendedAgentCard: false };
  const base = { name: "peer", description: "A peer.", version: "1", capabilities };
  const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [] };
  const card = AgentCard.fromJSON({ ...base, ...modes, supportedInterfaces, ...members });
  const oldCard = {
    ...base,
    ...modes,
    url: `${origin}/rpc`,
    preferredTransport: "JSONRPC",
    protocolVersion: "0.3.0",
    ...members,
  };
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const transport =
    version === "1.0" ? new JsonRpcTransportHandler(handler) : new LegacyJsonRpcTransportHandler(handler);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (value: unknown) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.method === "GET") {
      const asked = { method: "card", headers: request.headers, params: undefined };
      requests.push(asked);
      if (answer?.(asked, response) !== true) json(version === "1.0" ? AgentCard.toJSON(card) : oldCard);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { method: string; params: unknown };
    const asked = { method: body.method, headers: request.headers, params: body.params };
    requests.push(asked);
    if (answer?.(asked, response) === true) return;
    const answers = await transport.handle(body, new ServerCallContext({ requestedVersion: version }));
    if (!(Symbol.asyncIterator in answers)) return json(answers);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const one of answers) {
      await held?.();
      // The SDK's tasks work on only while their updates are read.
      if (response.destroyed && held === undefined) return;
      response.write(`data: ${JSON.stringify(one)}\n\n`);
    }
    response.end();
  }

  return {
    origin,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
