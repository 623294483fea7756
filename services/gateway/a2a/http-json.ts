import {
  AgentCard,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { LegacyRestTransportHandler, toLegacyHTTPError } from "@a2a-js/sdk/compat/v0_3/server";
import { restStatusFor, toRestErrorBody, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RouteDeps } from "../deps.ts";
import { malformed, toA2aError, wrongForm } from "../tasks/task-errors.ts";
import type { TaskHandler } from "../tasks/task-handler.ts";
import { cardJson } from "./agent-card.ts";
import { contextOf } from "./json-rpc.ts";
import {
  fromLegacyBody,
  fromLegacyPush,
  toLegacyCard,
  toLegacyPush,
  toLegacyTask,
  toLegacyUpdate,
} from "./legacy-json.ts";
import { assertMessageForm } from "./message-form.ts";
import { streamUpdates, UpdateFrames } from "./stream-updates.ts";
import { versionOf } from "./version.ts";

export interface HttpCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Below the address of the agent, without a slash at the beginning: `tasks/id:cancel`. */
  readonly path: string;
}

/**
 * Answers a request of the binding HTTP+JSON, of either version. The SDK has its routes only for Express, so that 1.0 is
 * routed here to its own codecs; 0.3 has a handler that knows no framework.
 */
export async function answerHttp(deps: RouteDeps, handler: TaskHandler, call: HttpCall): Promise<unknown> {
  const { request, reply, path } = call;
  const isLegacy = isLegacyPath(path);
  const frames = isLegacy ? undefined : new UpdateFrames();
  if (frames !== undefined) handler.passUpdatesTo(frames);
  try {
    if (!isLegacy && versionOf(request) === "0.3" && request.headers["a2a-version"] !== undefined)
      throw new UnsupportedOperationError("Requests of version 0.3 are below /v1.");
    if (isJsonObject(request.body)) assertMessageForm(request.body["message"] ?? request.body["request"]);
    const answer = isLegacy ? await legacyAnswer(handler, call) : await modernAnswer(handler, call);
    if (answer.kind === "json") return send(reply, 200, answer.value);
    await streamUpdates(deps, reply, {
      ...{ items: answer.items, frames },
      toJson: (item) => item,
      toError: (error) => errorBody(error, isLegacy).body,
    });
    return reply;
  } catch (error) {
    if (handler.failure !== undefined) throw handler.failure;
    const thrown = error instanceof TypeError && !handler.isCalled ? wrongForm("body") : error;
    if (toA2aError(thrown) === undefined) throw thrown;
    const { status, body } = errorBody(thrown, isLegacy);
    return send(reply, status, body);
  }
}

/** Requests of 0.3 have paths of their own. */
export function isLegacyPath(path: string): boolean {
  return path.startsWith("v1/");
}

type HttpAnswer =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "stream"; readonly items: AsyncGenerator<JsonObject, void, undefined> };

async function modernAnswer(handler: TaskHandler, { request, reply, path }: HttpCall): Promise<HttpAnswer> {
  contextOf(request, reply);
  const { method, body } = request;
  const query = (request.query ?? {}) as Readonly<Record<string, string>>;
  const [id = "", verb, configId = ""] = taskPath(path);
  switch (`${method} ${verb ?? path}`) {
    case "POST message:send": {
      const answer = await handler.sendMessage(SendMessageRequest.fromJSON(body ?? {}));
      const isMessage = "messageId" in answer;
      return json(isMessage ? { message: Message.toJSON(answer) } : { task: Task.toJSON(answer) });
    }
    case "POST message:stream":
      return stream(handler.sendMessageStream(SendMessageRequest.fromJSON(body ?? {})));
    case "GET tasks":
      return json(await listed(handler, query));
    case "GET extendedAgentCard":
      return json(AgentCard.toJSON(await handler.getAuthenticatedExtendedAgentCard()));
    case "GET read": {
      const historyLength = numberIn(query, "historyLength");
      return json(Task.toJSON(await handler.getTask({ tenant: "", id, historyLength })));
    }
    case "POST cancel":
      return json(Task.toJSON(await handler.cancelTask({ tenant: "", id, metadata: {} })));
    case "GET subscribe":
    case "POST subscribe":
      return stream(handler.resubscribe({ tenant: "", id }));
    case "POST configs": {
      const config = TaskPushNotificationConfig.fromJSON(body ?? {});
      const created = await handler.createTaskPushNotificationConfig({ ...config, tenant: "", taskId: id });
      return json(TaskPushNotificationConfig.toJSON(created));
    }
    case "GET configs": {
      const page = { tenant: "", taskId: id, pageSize: 0, pageToken: "" };
      const { configs } = await handler.listTaskPushNotificationConfigs(page);
      return json({ configs: configs.map(TaskPushNotificationConfig.toJSON) });
    }
    case "GET config": {
      const config = await handler.getTaskPushNotificationConfig({ tenant: "", taskId: id, id: configId });
      return json(TaskPushNotificationConfig.toJSON(config));
    }
    case "DELETE config":
      await handler.deleteTaskPushNotificationConfig({ tenant: "", taskId: id, id: configId });
      return json({});
    default:
      throw noOperation();
  }
}

async function legacyAnswer(handler: TaskHandler, { request, reply, path }: HttpCall): Promise<HttpAnswer> {
  const legacy = new LegacyRestTransportHandler(handler);
  const context = contextOf(request, reply);
  const { method, body } = request;
  const query = (request.query ?? {}) as Readonly<Record<string, string>>;
  const rest = path.slice("v1/".length);
  const [id = "", verb, configId = ""] = taskPath(rest);
  // The SDK checks the members itself.
  const params = () => fromLegacyBody(body) as unknown as Parameters<LegacyRestTransportHandler["sendMessage"]>[0];
  switch (`${method} ${verb ?? rest}`) {
    case "POST message:send":
      return json(toLegacyUpdate(await legacy.sendMessage(params(), context)));
    case "POST message:stream":
      return { kind: "stream", items: legacyUpdates(await legacy.sendMessageStream(params(), context)) };
    case "GET card":
      return json(await legacyCard(await handler.getAuthenticatedExtendedAgentCard()));
    case "GET read":
      return json(toLegacyTask(await legacy.getTask(id, context, query["historyLength"])));
    case "POST cancel":
      return json(toLegacyTask(await legacy.cancelTask(id, context)));
    case "GET subscribe":
    case "POST subscribe":
      return { kind: "stream", items: legacyUpdates(await legacy.resubscribe(id, context)) };
    case "POST configs":
      return json(toLegacyPush(await legacy.setTaskPushNotificationConfig(fromLegacyPush(id, body), context)));
    case "GET configs":
      return json({ configs: (await legacy.listTaskPushNotificationConfigs(id, context)).map(toLegacyPush) });
    case "GET config":
      return json(toLegacyPush(await legacy.getTaskPushNotificationConfig(id, configId, context)));
    case "DELETE config":
      await legacy.deleteTaskPushNotificationConfig(id, configId, context);
      return json({});
    default:
      throw noOperation();
  }
}

/** The id of the task, what is asked of it, and the id of a push notification configuration. */
function taskPath(path: string): readonly [string?, string?, string?] {
  const match = /^tasks\/([^/:]+)(?::(cancel|subscribe)|(\/pushNotificationConfigs)(?:\/([^/]+))?)?$/.exec(path);
  if (match === null) return [];
  const [, id, verb, configs, configId] = match;
  if (configs === undefined) return [id, verb ?? "read"];
  const taskId = decodeURIComponent(id ?? "");
  return configId === undefined ? [taskId, "configs"] : [taskId, "config", decodeURIComponent(configId)];
}

async function listed(handler: TaskHandler, query: Readonly<Record<string, string>>): Promise<JsonObject> {
  const includeArtifacts = query["includeArtifacts"] === "true";
  const pageSize = numberIn(query, "pageSize");
  const historyLength = numberIn(query, "historyLength");
  const request = ListTasksRequest.fromJSON({ ...query, pageSize, historyLength, includeArtifacts });
  const { tasks, nextPageToken, pageSize: size, totalSize } = await handler.listTasks(request);
  const toJson = ListTasksResponse.toJSON({ tasks, nextPageToken, pageSize: size, totalSize });
  // Members without content are required too.
  return { tasks: [], nextPageToken, pageSize: size, totalSize, ...(toJson as JsonObject) };
}

function numberIn(query: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = query[name];
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,9}$/.test(text)) throw malformed(`\`${name}\` should be a whole number, 0 or more.`);
  return Number(text);
}

function json(value: unknown): HttpAnswer {
  return { kind: "json", value };
}

function stream(items: AsyncGenerator<StreamResponse, void, undefined>): HttpAnswer {
  return { kind: "stream", items: toJson(items) };
}

async function* toJson(
  items: AsyncGenerator<StreamResponse, void, undefined>,
): AsyncGenerator<JsonObject, void, undefined> {
  // The SDK writes plain objects.
  for await (const item of items) yield StreamResponse.toJSON(item) as JsonObject;
}

async function* legacyUpdates(items: AsyncIterable<unknown>): AsyncGenerator<JsonObject, void, undefined> {
  for await (const item of items) yield toLegacyUpdate(item);
}

async function legacyCard(card: AgentCard): Promise<JsonObject> {
  return toLegacyCard(await cardJson(card, "0.3"), await cardJson(card, "1.0"));
}

function noOperation(): PlatformError {
  return new PlatformError("ROUTE_NOT_FOUND", "Not Found");
}

function errorBody(thrown: unknown, isLegacy: boolean): { readonly status: number; readonly body: JsonObject } {
  const error = toA2aError(thrown);
  const status = error === undefined ? 500 : restStatusFor(error);
  const known = error ?? new Error("The server has failed at this call.");
  // Python's clients of 0.3 tell errors by `type`.
  const body = isLegacy ? { ...toLegacyHTTPError(known), type: known.name } : toRestErrorBody(known, status);
  return { status, body: { ...body } as JsonObject };
}

function send(reply: FastifyReply, status: number, value: unknown): FastifyReply {
  return reply.code(status).type("application/json").send(JSON.stringify(value));
}
