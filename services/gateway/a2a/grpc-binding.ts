import { once } from "node:events";
import type { Readable } from "node:stream";
import {
  type Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import type { FastifyInstance } from "fastify";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { GrpcService } from "#shared/grpc/grpc-reflection.ts";
import { type ProtoMessage, toJson, toProto } from "./grpc-messages.ts";
import { toGrpcStatus } from "./grpc-status.ts";

type Unary = ServerUnaryCall<ProtoMessage, ProtoMessage>;
type Streamed = ServerWritableStream<ProtoMessage, ProtoMessage>;
type Call = Unary | Streamed;

export interface GrpcBindingOptions {
  readonly gateway: Pick<FastifyInstance, "inject">;
  /** The app of calls without a tenant; empty for none. */
  readonly defaultAppName: string;
  readonly logger: Logger;
}

interface Place {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the address of the agent. */
  readonly path: string;
  readonly query?: readonly string[];
  /** Whether the request is sent as a body. */
  readonly hasBody?: boolean;
}

/** Where the HTTP+JSON binding has each call. */
const PLACES: Readonly<Record<string, (request: ProtoMessage) => Place>> = {
  SendMessage: () => ({ method: "POST", path: "message:send", hasBody: true }),
  SendStreamingMessage: () => ({ method: "POST", path: "message:stream", hasBody: true }),
  GetTask: ({ id }) => ({ method: "GET", path: `tasks/${segment(id)}`, query: ["historyLength"] }),
  ListTasks: () => ({ method: "GET", path: "tasks", query: LIST_QUERY }),
  CancelTask: ({ id }) => ({ method: "POST", path: `tasks/${segment(id)}:cancel` }),
  SubscribeToTask: ({ id }) => ({ method: "POST", path: `tasks/${segment(id)}:subscribe` }),
  GetExtendedAgentCard: () => ({ method: "GET", path: "extendedAgentCard" }),
  CreateTaskPushNotificationConfig: ({ taskId }) => ({ method: "POST", path: configsOf(taskId), hasBody: true }),
  GetTaskPushNotificationConfig: ({ taskId, id }) => ({ method: "GET", path: `${configsOf(taskId)}/${segment(id)}` }),
  ListTaskPushNotificationConfigs: ({ taskId }) => ({ method: "GET", path: configsOf(taskId) }),
  DeleteTaskPushNotificationConfig: ({ taskId, id }) => ({
    method: "DELETE",
    path: `${configsOf(taskId)}/${segment(id)}`,
  }),
};
const LIST_QUERY = [
  ...["contextId", "status", "pageSize", "pageToken", "historyLength", "statusTimestampAfter", "includeArtifacts"],
];

/** Metadata that is not a header of a request to the gateway, or that only browsers send. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  ...["host", "connection", "content-length", "content-type", "transfer-encoding", "te", "upgrade"],
  ...["cookie", "origin", "referer", "accept", "expect", "idempotency-key", "if-none-match"],
]);

/**
 * The binding to gRPC. Each call is a request to the routes of HTTP+JSON in this process, so that identity, scopes,
 * quotas, limits, audit and metrics are the same as for every other request. The SDK's own service writes to a stream without
 * waiting for its reader, and answers with the text of any exception.
 */
export function grpcBinding(options: GrpcBindingOptions): GrpcService {
  const { service } = loadProto("a2a").lf.a2a.v1.A2AService;
  const definition: ServiceDefinition = service;
  const handlers = Object.entries(definition).map(([name, { responseStream }]) => [
    name,
    responseStream
      ? (call: Streamed) => void answerStream(options, name, call)
      : (call: Unary, callback: sendUnaryData<ProtoMessage>) => void answerUnary(options, name, call, callback),
  ]);
  return { definition, handlers: Object.fromEntries(handlers) };
}

async function answerUnary(
  options: GrpcBindingOptions,
  name: string,
  call: Unary,
  callback: sendUnaryData<ProtoMessage>,
): Promise<void> {
  try {
    const { statusCode, body } = await send(options, name, call);
    let text = "";
    for await (const chunk of body) text += chunk;
    const json: unknown = text === "" ? {} : JSON.parse(text);
    if (statusCode >= 400) callback(toGrpcStatus(isJsonObject(json) ? json : undefined));
    // The answers of the routes have the form of the messages.
    else callback(null, toProto(json) as ProtoMessage);
  } catch (error) {
    callback(failed(options, call, error));
  }
}

async function answerStream(options: GrpcBindingOptions, name: string, call: Streamed): Promise<void> {
  try {
    const { statusCode, body } = await send(options, name, call);
    if (statusCode >= 400) {
      let text = "";
      for await (const chunk of body) text += chunk;
      call.emit("error", toGrpcStatus(JSON.parse(text) as JsonObject));
      return;
    }
    for await (const frame of framesOf(body)) {
      if (isJsonObject(frame["error"])) {
        call.emit("error", toGrpcStatus(frame));
        return;
      }
      if (!call.write(toProto(frame) as ProtoMessage))
        await Promise.race([once(call, "drain"), once(call, "cancelled")]);
      if (call.cancelled) return;
    }
    call.end();
  } catch (error) {
    call.emit("error", failed(options, call, error));
  }
}

function failed({ logger }: GrpcBindingOptions, call: Call, error: unknown) {
  if (call.cancelled) return { code: status.CANCELLED, details: "The caller has left." };
  logger.error({ error, path: call.getPath() }, "call of the gRPC binding failed");
  return toGrpcStatus(undefined);
}

interface GatewayAnswer {
  readonly statusCode: number;
  readonly body: Readable;
}

async function send({ gateway, defaultAppName }: GrpcBindingOptions, name: string, call: Call): Promise<GatewayAnswer> {
  const { tenant, ...request } = toJson(call.request) as JsonObject;
  const { method, path, query = [], hasBody = false } = (PLACES[name] ?? unknownCall)(request);
  const appName = typeof tenant === "string" && tenant !== "" ? tenant : defaultAppName;
  const params = new URLSearchParams();
  for (const key of query) {
    const value = request[key];
    if (value !== undefined && value !== "" && value !== "TASK_STATE_UNSPECIFIED") params.set(key, String(value));
  }
  const url = `/a2a/${segment(appName)}/${path}${params.size === 0 ? "" : `?${params}`}`;
  const gone = new AbortController();
  // Both kinds of calls emit it; the types of their listeners differ.
  (call as Unary).once("cancelled", () => gone.abort());
  const response = await gateway.inject({
    method,
    url,
    headers: { ...headersOf(call.metadata), host: "localhost" },
    remoteAddress: addressOf(call.getPeer()),
    payloadAsStream: true,
    ...(hasBody ? { payload: request } : {}),
  });
  // The routes notice that a client has left by its connection.
  gone.signal.addEventListener("abort", () => response.raw.res.destroy());
  if (gone.signal.aborted) response.raw.res.destroy();
  return { statusCode: response.statusCode, body: response.stream() };
}

/** Clients of gRPC are of 1.0: 0.3 had another service. */
function headersOf(metadata: Metadata): Readonly<Record<string, string>> {
  const given = Object.entries(metadata.getMap()).filter(
    ([name, value]) => typeof value === "string" && !NOT_PASSED.has(name),
  );
  return { "a2a-version": "1.0", ...(Object.fromEntries(given) as Readonly<Record<string, string>>) };
}

/** The address of a peer without its port: `10.0.0.7:5000`, `[::1]:5000`. */
function addressOf(peer: string): string {
  return peer
    .replace(/^ipv[46]:/, "")
    .replace(/:\d+$/, "")
    .replace(/^\[|\]$/g, "");
}

function configsOf(taskId: unknown): string {
  return `tasks/${segment(taskId)}/pushNotificationConfigs`;
}

function segment(id: unknown): string {
  return encodeURIComponent(String(id));
}

function unknownCall(): Place {
  return { method: "GET", path: "unknown" };
}

/** The data of server-sent events; one frame at most is in memory. */
async function* framesOf(body: Readable): AsyncGenerator<JsonObject, void, undefined> {
  let text = "";
  body.setEncoding("utf8");
  for await (const chunk of body) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as JsonObject;
    }
  }
}
