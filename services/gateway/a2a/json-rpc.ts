import { Extensions } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { toJsonRpcError } from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ADK_EXTENSION_URI } from "#kit/a2a/conversion/metadata-keys.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RouteDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { CURSOR_EXTENSION } from "../tasks/protocol.ts";
import { toA2aError, wrongForm } from "../tasks/task-errors.ts";
import type { TaskHandler } from "../tasks/task-handler.ts";
import { assertLegacyParams, finalAtPause } from "./legacy-json.ts";
import { assertMessageForm } from "./message-form.ts";
import { streamUpdates, UpdateFrames } from "./stream-updates.ts";
import { versionOf } from "./version.ts";

/** Answers one request of JSON-RPC, of either version. */
export async function answerJsonRpc(
  deps: RouteDeps,
  handler: TaskHandler,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<unknown> {
  const { body = null } = request;
  const id = isJsonObject(body) && isId(body["id"]) ? body["id"] : null;
  const failed = (error: unknown): JsonObject => ({ jsonrpc: "2.0", id, error: { ...errorOf(error) } });
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const frames = new UpdateFrames(head, "}");
  let answer: unknown;
  let isLegacy = false;
  try {
    isLegacy = versionOf(request) === "0.3";
    if (!isLegacy) handler.passUpdatesTo(frames);
    const Transport = isLegacy ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
    if (isLegacy && isJsonObject(body)) assertLegacyParams(body);
    if (isJsonObject(body) && isJsonObject(body["params"])) assertMessageForm(body["params"]["message"]);
    // The SDK would read texts as JSON; an empty object is refused as no request.
    answer = await new Transport(handler).handle(isJsonObject(body) ? body : {}, contextOf(request, reply));
  } catch (error) {
    return send(reply, failed(error));
  }
  if (handler.failure !== undefined) throw handler.failure;
  if (!isStream(answer)) return send(reply, explained(answer, body, { handler, failed, isLegacy }));
  try {
    await streamUpdates(deps, reply, {
      ...{ items: answer, frames: isLegacy ? undefined : frames },
      toJson: (item) => {
        // The SDK writes messages of JSON-RPC.
        const { result, ...envelope } = item as JsonObject;
        return isLegacy && isJsonObject(result) ? { ...envelope, result: finalAtPause(result) } : (item as JsonObject);
      },
      toError: failed,
    });
  } catch (error) {
    if (handler.failure !== undefined) throw handler.failure;
    return send(reply, failed(error));
  }
  return reply;
}

interface Explaining {
  readonly handler: TaskHandler;
  readonly failed: (error: unknown) => JsonObject;
  readonly isLegacy: boolean;
}

/**
 * The SDK's answer. What its codecs throw is the client's mistake, if no operation was called; and a method of the other
 * version is not found because of the header.
 */
function explained(answer: unknown, body: unknown, { handler, failed, isLegacy }: Explaining): unknown {
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  if (!isJsonObject(answer) || !isJsonObject(error)) return answer;
  if (error["code"] === INTERNAL_ERROR.code && !handler.isCalled) return failed(wrongForm("params"));
  const method = isJsonObject(body) ? String(body["method"]) : "";
  if (error["code"] !== METHOD_NOT_FOUND || /^[A-Z]/.test(method) !== isLegacy) return answer;
  const fix = isLegacy ? "1.0: send the header A2A-Version: 1.0." : "0.3: send the header A2A-Version: 0.3, or none.";
  return { ...answer, error: { ...error, message: `Method not found: ${method}. It is a method of version ${fix}` } };
}

const METHOD_NOT_FOUND = -32601;

/** What the SDK's transports know of a request. It names the extensions that the answer uses. */
export function contextOf({ headers }: FastifyRequest, reply: FastifyReply): ServerCallContext {
  const given = headers["a2a-extensions"] ?? headers["x-a2a-extensions"];
  const requestedExtensions = Extensions.parseServiceParameter(typeof given === "string" ? given : undefined);
  const used = [CURSOR_EXTENSION, ADK_EXTENSION_URI].filter((uri) => requestedExtensions.includes(uri));
  if (used.length > 0) reply.header("a2a-extensions", used.join(", "));
  return new ServerCallContext({ requestedExtensions });
}

function errorOf(error: unknown) {
  const known = toA2aError(error);
  return known === undefined ? INTERNAL_ERROR : toJsonRpcError(known);
}

const INTERNAL_ERROR = { code: -32603, message: "The server has failed at this call." };

function isStream(answer: unknown): answer is AsyncGenerator<unknown, void, undefined> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isInteger(value);
}

function send(reply: FastifyReply, message: unknown): FastifyReply {
  return reply.type(JSON_TYPE).send(JSON.stringify(message));
}
