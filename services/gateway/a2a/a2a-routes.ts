import type { FastifyReply, FastifyRequest } from "fastify";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { Type } from "#kit/schema/shape.ts";
import { PUBLIC } from "../access/route-access.ts";
import type { RouteDeps } from "../deps.ts";
import { described } from "../openapi/route-description.ts";
import { fileBodyLimit } from "../requests/body-budget.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";

const AppParams = Type.Object({ appName: Type.String() });
const MethodParams = Type.Object({ appName: Type.String(), method: Type.String() });
const TaskParams = Type.Object({ appName: Type.String(), task: Type.String() });
const ConfigParams = Type.Object({ ...TaskParams.properties, configId: Type.String() });

const SCOPES = "Messages and cancellations need the scope `runs:write`, reading and subscribing `sessions:read`.";

/** What all operations of the protocol share. Their scopes depend on what the body asks for. */
const SHARED = {
  answer: "of-a-run",
  access: { owner: "caller" },
  tags: ["runs"],
  errors: ["APP_NOT_FOUND"],
  canBeTried: false,
} as const;

const CARD = described({
  operationId: "readAgentCard",
  answer: "of-the-operator",
  access: PUBLIC,
  tags: ["apps"],
  summary: "Read the card of an agent that A2A_APPS offers",
  description:
    "For protocol 1.0; for 0.3 with the header or the query parameter `A2A-Version=0.3`, or below `/a2a/{app}/v0.3/`.",
  errors: ["APP_NOT_FOUND"],
  params: AppParams,
  response: answers({ 200: JsonMap }),
  canBeTried: false,
});

const PUBLIC_KEYS = described({
  operationId: "readPublicKeys",
  answer: "small",
  access: PUBLIC,
  tags: ["server"],
  summary: "Read the public keys that check signed agent cards",
  description: "A JSON Web Key Set (RFC 7517). Only with A2A_SIGNING_KEYS_FILE.",
  response: answers({ 200: JsonMap }),
  canBeTried: false,
});

const JSON_RPC = described({
  ...SHARED,
  operationId: "callA2a",
  summary: "Call an agent by the Agent2Agent protocol, in JSON-RPC",
  description: `Protocol 1.0 with the header \`A2A-Version: 1.0\`, otherwise 0.3. A task is a run: \`contextId\` is the session, and a message that is sent again is done once. ${SCOPES}`,
  params: AppParams,
  givenBody: JsonMap,
  example: { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "absent" } },
  response: answers({ 200: JsonMap }),
});

const SEND = described({
  ...SHARED,
  operationId: "sendA2aMessage",
  summary: "Send a message to an agent by the Agent2Agent protocol",
  description: `\`message:send\` answers when the task has ended or waits for input, \`message:stream\` with server-sent events. ${SCOPES}`,
  params: MethodParams,
  parameterExamples: { method: "message:send" },
  givenBody: JsonMap,
  example: { message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Hello" }] } },
  response: answers({ 200: JsonMap }),
});

const GET_METHOD = described({
  ...SHARED,
  operationId: "listA2aTasks",
  summary: "List the caller's tasks, or read the extended card of an agent",
  description: `\`tasks\` lists tasks, those with the newest status first; \`extendedAgentCard\` is for callers who are signed in. ${SCOPES}`,
  params: MethodParams,
  parameterExamples: { method: "tasks" },
  querystring: Type.Object({
    contextId: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    pageSize: Type.Optional(Type.String()),
    pageToken: Type.Optional(Type.String()),
    historyLength: Type.Optional(Type.String()),
    statusTimestampAfter: Type.Optional(Type.String()),
    includeArtifacts: Type.Optional(Type.String()),
  }),
  response: answers({ 200: JsonMap }),
});

const READ_TASK = described({
  ...SHARED,
  operationId: "readA2aTask",
  summary: "Read a task, or subscribe to it",
  description: `\`{task}\` is the task's id, or \`id:subscribe\` for its updates from now on as server-sent events. A client that sends \`Last-Event-ID\` gets the updates after that one. ${SCOPES}`,
  params: TaskParams,
  parameterExamples: { task: "absent" },
  querystring: Type.Object({ historyLength: Type.Optional(Type.String()) }),
  response: answers({ 200: JsonMap }),
});

const CHANGE_TASK = described({
  ...SHARED,
  operationId: "changeA2aTask",
  summary: "Cancel a task, or subscribe to it",
  description: `\`{task}\` is \`id:cancel\` or \`id:subscribe\`. ${SCOPES}`,
  params: TaskParams,
  parameterExamples: { task: "absent:cancel" },
  response: answers({ 200: JsonMap }),
});

const PUSH_NOTE =
  "The answer has no token and no credentials. With `A2A_PUSH=off` the protocol's error for it is answered.";

const CREATE_PUSH = described({
  ...SHARED,
  operationId: "createPushConfig",
  summary: "Ask for push notifications of a task",
  description: `From now on, the task's updates are sent to \`url\`. ${PUSH_NOTE} ${SCOPES}`,
  params: TaskParams,
  parameterExamples: { task: "absent" },
  givenBody: JsonMap,
  example: { id: "my-hook", url: "https://example.com/hook", token: "secret" },
  response: answers({ 200: JsonMap }),
});

const LIST_PUSHES = described({
  ...SHARED,
  operationId: "listPushConfigs",
  summary: "List the push notification configurations of a task",
  description: `At most 16. ${PUSH_NOTE} ${SCOPES}`,
  params: TaskParams,
  parameterExamples: { task: "absent" },
  response: answers({ 200: JsonMap }),
});

const READ_PUSH = described({
  ...SHARED,
  operationId: "readPushConfig",
  summary: "Read a push notification configuration of a task",
  description: `${PUSH_NOTE} ${SCOPES}`,
  params: ConfigParams,
  parameterExamples: { task: "absent", configId: "absent" },
  response: answers({ 200: JsonMap }),
});

const DELETE_PUSH = described({
  ...SHARED,
  operationId: "deletePushConfig",
  summary: "End push notifications of a task",
  description: `A configuration that does not exist is not an error. ${SCOPES}`,
  params: ConfigParams,
  parameterExamples: { task: "absent", configId: "absent" },
  response: answers({ 200: JsonMap }),
});

/** Agents by the Agent2Agent protocol; no routes unless A2A_APPS names apps. */
export function a2aRoutes(deps: RouteDeps): TypedRoutes {
  return async (app) => {
    const { A2A_APPS, DEFAULT_APP_NAME } = deps.config;
    if (A2A_APPS.length === 0) return;
    // Loaded only by servers that offer agents by this protocol.
    const { openA2a } = await importOptional({
      name: "@a2a-js/sdk",
      user: "Agents by the Agent2Agent protocol (A2A_APPS)",
      load: () => import("./open-a2a.ts"),
    });
    const a2a = await openA2a(deps);
    const { pushes } = a2a;
    if (pushes !== undefined) {
      app.addHook("onReady", async () => pushes.look());
      app.addHook("preClose", () => pushes.close());
    }
    const bodyLimit = fileBodyLimit(deps.config);
    type AppRequest = FastifyRequest<{ Params: { appName: string } }>;

    app.get("/a2a/:appName/.well-known/agent-card.json", { schema: CARD }, (request, reply) =>
      a2a.sendCard(request.params.appName, request, reply),
    );
    app.get(
      "/a2a/:appName/v0.3/.well-known/agent-card.json",
      { schema: { ...CARD, summary: undefined } },
      (request, reply) => a2a.sendCard(request.params.appName, request, reply, "0.3"),
    );
    if (DEFAULT_APP_NAME !== "" && (A2A_APPS.includes("*") || A2A_APPS.includes(DEFAULT_APP_NAME)))
      app.get(
        "/.well-known/agent-card.json",
        { schema: { ...CARD, params: Type.Object({}), summary: undefined } },
        (request, reply) => a2a.sendCard(DEFAULT_APP_NAME, request, reply),
      );
    const { publicKeys } = a2a;
    if (publicKeys !== undefined)
      app.get(publicKeys.path, { schema: PUBLIC_KEYS }, async (_request, reply) => publicKeys.send(reply));
    // Some clients add the path "/" to the address of the agent.
    for (const path of ["/a2a/:appName", "/a2a/:appName/"])
      app.post(path, { bodyLimit, errorHandler: a2a.onJsonRpcError, schema: JSON_RPC }, a2a.jsonRpc);
    const errorHandler = a2a.onHttpError;
    for (const [prefix, base] of [
      ["", "/a2a/:appName"],
      ["v1/", "/a2a/:appName/v1"],
    ] as const) {
      const ofTask = (request: FastifyRequest<{ Params: { appName: string; task: string } }>, reply: FastifyReply) =>
        a2a.http(`${prefix}tasks/${request.params.task}`)(request as AppRequest, reply);
      const ofMethod = (
        request: FastifyRequest<{ Params: { appName: string; method: string } }>,
        reply: FastifyReply,
      ) => a2a.http(prefix + request.params.method)(request as AppRequest, reply);
      app.post(`${base}/:method`, { bodyLimit, errorHandler, schema: SEND }, ofMethod);
      app.get(`${base}/:method`, { exposeHeadRoute: false, errorHandler, schema: GET_METHOD }, ofMethod);
      app.get(`${base}/tasks/:task`, { exposeHeadRoute: false, errorHandler, schema: READ_TASK }, ofTask);
      app.post(`${base}/tasks/:task`, { errorHandler, schema: CHANGE_TASK }, ofTask);
      const list = `${base}/tasks/:task/pushNotificationConfigs`;
      const ofConfig = (
        request: FastifyRequest<{ Params: { appName: string; task: string; configId?: string } }>,
        reply: FastifyReply,
      ) => {
        const { task, configId } = request.params;
        const config = configId === undefined ? "" : `/${encodeURIComponent(configId)}`;
        const path = `${prefix}tasks/${encodeURIComponent(task)}/pushNotificationConfigs${config}`;
        return a2a.http(path)(request as AppRequest, reply);
      };
      app.post(list, { errorHandler, schema: CREATE_PUSH }, ofConfig);
      app.get(list, { exposeHeadRoute: false, errorHandler, schema: LIST_PUSHES }, ofConfig);
      app.get(`${list}/:configId`, { exposeHeadRoute: false, errorHandler, schema: READ_PUSH }, ofConfig);
      app.delete(`${list}/:configId`, { errorHandler, schema: DELETE_PUSH }, ofConfig);
    }
  };
}
