import type { FastifyReply, FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import type { RouteDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { Scope } from "../identity/scopes.ts";
import { cancelInvocation } from "../runs/cancel-invocation.ts";
import { answersOf } from "../streams/answers-of.ts";
import { SseStream } from "../streams/sse.ts";
import { type AgentCall, answerTask, findRun } from "./agent-calls.ts";
import { listAgentTools } from "./agent-tools.ts";
import { callAgent } from "./call-agent.ts";
import { toDetailedTask } from "./call-results.ts";
import { LEGACY_VERSIONS, McpError, META, MODERN_VERSION, SERVER_INFO, TASKS_EXTENSION } from "./protocol.ts";
import { isId, type McpMessage, readMessage } from "./read-message.ts";

/** How long clients may keep the list of tools. */
const LIST_TTL_MS = 60_000;

interface Exchange extends AgentCall {
  readonly message: McpMessage;
}

/** Answers one JSON-RPC message. */
export async function answerMessage(deps: RouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  let id: McpMessage["id"] | null = null;
  try {
    if (isJsonObject(request.body) && isId(request.body["id"])) id = request.body["id"];
    const message = readMessage(request.body, request.headers);
    if (message.id === undefined) return await reply.code(202).send();
    const exchange = { request, reply, params: message.params, message };
    const progressToken = message.meta["progressToken"];
    if (message.method === "tools/call" && isId(progressToken) && acceptsStream(request))
      return await streamCall(deps, exchange, progressToken);
    const result = await answer(deps, exchange);
    if (result === undefined) return reply.hijack();
    return await send(reply, { id: message.id, result: complete(result, message) });
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return await send(reply.code(error.httpStatus), { id, error: toError(error) });
  }
}

/** Undefined if the client has left. */
async function answer(deps: RouteDeps, exchange: Exchange): Promise<JsonObject | undefined> {
  const { message, request } = exchange;
  const { method, params, isModern } = message;
  switch (method) {
    case "tools/list": {
      const tools = await listAgentTools(deps);
      return { tools, ...(isModern && { ttlMs: LIST_TTL_MS, cacheScope: "private" }) };
    }
    case "tools/call":
      assertScope(request, "runs:write");
      return callAgent(deps, exchange);
    case "initialize":
    case "ping":
      if (isModern) break;
      return method === "ping" ? {} : initialized(params);
    case "server/discover":
      if (!isModern) break;
      return {
        supportedVersions: [MODERN_VERSION],
        capabilities: CAPABILITIES,
        ttlMs: LIST_TTL_MS,
        cacheScope: "private",
      };
    case "tasks/get":
    case "tasks/update":
    case "tasks/cancel":
      if (!isModern) break;
      return answerTaskRequest(deps, exchange);
  }
  throw new McpError("METHOD_NOT_FOUND", "This method is not offered.");
}

const CAPABILITIES = { tools: {}, extensions: { [TASKS_EXTENSION]: {} } };

function initialized({ protocolVersion }: JsonObject): JsonObject {
  const isKnown = typeof protocolVersion === "string" && LEGACY_VERSIONS.includes(protocolVersion);
  return {
    protocolVersion: isKnown ? protocolVersion : String(LEGACY_VERSIONS[0]),
    capabilities: { tools: {} },
    serverInfo: SERVER_INFO,
  };
}

/** The task is the run, so the store answers for every replica. */
async function answerTaskRequest(deps: RouteDeps, exchange: Exchange): Promise<JsonObject> {
  const { message, request } = exchange;
  const { method, params, hasTasks } = message;
  if (!hasTasks) {
    throw new McpError("MISSING_CAPABILITY", `The client should declare the extension ${TASKS_EXTENSION}.`, {
      requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    });
  }
  assertScope(request, method === "tasks/get" ? "sessions:read" : "runs:write");
  const first = await findRun(deps, params["taskId"]);
  if (first === undefined) throw new McpError("INVALID_PARAMS", "There is no such task.");
  if (method === "tasks/get") return toDetailedTask(deps, first);
  if (method === "tasks/update") await answerTask(deps, exchange, first);
  else await cancelInvocation(deps, first, callerOf(request).keyId);
  return {};
}

/** Progress before the result, as server-sent events. */
async function streamCall(deps: RouteDeps, exchange: Exchange, progressToken: JsonValue): Promise<void> {
  const { message, reply, request, params } = exchange;
  assertScope(request, "runs:write");
  const { userId = "" } = callerOf(request);
  await deps.streamSlots.take({ appName: String(params["name"]), userId }, reply);
  const stream = new SseStream(reply, {
    answers: answersOf(deps, request),
    heartbeatMs: deps.config.SSE_HEARTBEAT_MS,
    stallMs: deps.config.SSE_STALL_MS,
    headers: {},
    // `callAgent` itself detects that the client has left.
    onGone: () => {},
  });
  const notify = (progress: number, author: string): void => {
    const notification = { progressToken, progress, message: `${author} has answered.` };
    void stream.write(frame({ method: "notifications/progress", params: notification }));
  };
  try {
    const result = await callAgent(deps, exchange, { onEvent: notify });
    if (result !== undefined) await stream.write(frame({ id: message.id ?? null, result: complete(result, message) }));
  } catch (error) {
    await stream.write(frame({ id: message.id ?? null, error: toError(error) }));
  }
  stream.end();
}

function frame(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}

function send(reply: FastifyReply, message: JsonObject): FastifyReply {
  return reply.type(JSON_TYPE).send(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

/** In the stateless revision each result states its type and its server. */
function complete(result: JsonObject, { isModern }: McpMessage): JsonObject {
  if (!isModern) return result;
  const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  return { resultType: "complete", ...result, _meta: { ...meta, [META.server]: SERVER_INFO } };
}

/** The JSON-RPC error for a failure after the answer has begun, when it cannot have an HTTP status. */
function toError(error: unknown): JsonObject {
  if (error instanceof McpError) return present({ code: error.code, message: error.message, data: error.data });
  if (error instanceof PlatformError && error.httpStatus < 500)
    return { code: INVALID_PARAMS, message: error.message, data: { reason: error.reason } };
  return { code: INTERNAL_ERROR, message: "The server has failed at this call." };
}

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

function assertScope(request: FastifyRequest, scope: Scope): void {
  if (callerOf(request).scopes.has(scope)) return;
  throw new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${scope}, which this operation needs.`, {
    details: { scope },
  });
}

function acceptsStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/event-stream") === true;
}
