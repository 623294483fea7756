import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { startWireServer, type WireRequest, type WireServer } from "#test/helpers/servers/wire-server.ts";
import type { Answer } from "./answer.ts";
import type { Dialect, Refusal } from "./dialect.ts";

/** What a server says to one request. */
export interface Reply {
  readonly dialect: Dialect;
  readonly answer: Answer;
  /** How many bytes are written at a time, in turn; all at once without it. */
  readonly cuts?: readonly number[];
}

/** A server on loopback that speaks dialects, and refuses what such servers refuse. */
export async function startDialectServer(
  reply: (body: JsonObject, request: WireRequest) => Reply | Promise<Reply>,
): Promise<WireServer> {
  const server = await startWireServer(async (response) => {
    const request = server.requests.at(-1);
    const body = isJsonObject(request?.body) ? request.body : {};
    if (request !== undefined) await respond(await reply(body, request), request.path, body, response);
  });
  return server;
}

async function respond(
  { dialect, answer, cuts = [] }: Reply,
  path: string,
  body: JsonObject,
  response: ServerResponse,
): Promise<void> {
  const refusal = dialect.refuse?.(body);
  if (refusal !== undefined) return refuse(refusal, response);
  const stream = body["stream"] === true || path.includes("streamGenerateContent");
  const written = dialect.write(answer, { stream, model: modelOf(body, path) });
  response.writeHead(200, { "content-type": written.contentType });
  const bytes = Buffer.from(written.body);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = cuts.length === 0 ? bytes.length : (cuts[turn % cuts.length] ?? bytes.length);
    response.write(bytes.subarray(at, at + size));
    at += size;
    await nextTurn();
  }
  response.end();
}

function refuse({ status, message }: Refusal, response: ServerResponse): void {
  const error = { type: "invalid_request_error", message };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error }));
}

function modelOf(body: JsonObject, path: string): string {
  return typeof body["model"] === "string" ? body["model"] : (/models\/([^:]+):/.exec(path)?.[1] ?? "");
}
