import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import { Version } from "#kit/version.ts";
import type { AgentInfo, AppInfo } from "#ports/runs/runner-service.ts";
import { readinessAnswer } from "#shared/health/readiness.ts";
import { PUBLIC } from "../access/route-access.ts";
import type { GatewayDeps } from "../deps.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";

/** Required, and read by the handler, whose refusal older clients know. */
const TELEMETRY_HEADER = "x-adk-telemetry-request";
const TelemetryHeaders = Type.Object({
  [TELEMETRY_HEADER]: Type.Optional(Type.String({ description: "Must be `true`." })),
});

const ListAppsQuery = Type.Object({
  detailed: Type.Optional(Type.Boolean({ description: "Answer `{apps: […]}` with descriptions, not only names." })),
  relative_path: Type.Optional(Type.String({ description: "Sent by the developer UI; ignored." })),
});

const VersionSchema = Type.Object({
  version: Type.String(),
  language: Type.String(),
  language_version: Type.String(),
});
const StatusSchema = Type.Object({ status: Type.String() });
const ReadyQuery = Type.Object({
  verbose: Type.Optional(Type.String({ description: "With any value: name the parts that do not answer." })),
});
const Unavailable = Type.Optional(
  Type.Array(Type.String(), { description: "Parts that do not answer now, and stores whose disk is full." }),
);
const ReadySchema = Type.Object({ status: Type.String(), unavailable: Unavailable });
const NotReadySchema = Type.Object(
  { status: Type.String(), notReady: Type.Array(Type.String()), unavailable: Unavailable },
  { description: "The process should get no traffic." },
);
const TelemetrySchema = Type.Object({ telemetry: Type.Boolean() });

const ListedAppSchema = Type.Object({
  name: Type.String(),
  rootAgentName: Type.String(),
  description: Type.String(),
  language: Type.String(),
  isComputerUse: Type.Boolean(),
});
const DetailedApps = Type.Object({ apps: Type.Array(ListedAppSchema) });
const AppSchema = Type.Object({
  ...ListedAppSchema.properties,
  agents: Type.Map(Type.JsonObject(), {
    description: "Each agent by its name, with its instruction, its tools and the names of its `sub_agents`.",
  }),
});

const AppParams = Type.Object({ appName: Type.String() });

/** Routes about the server and its apps. */
export function serverRoutes(deps: GatewayDeps): TypedRoutes {
  const { runnerService, readiness, readMetrics } = deps;

  return async (app) => {
    const version = described({
      operationId: "readVersion",
      answer: "small",
      access: PUBLIC,
      tags: ["server"],
      summary: "Version of the server",
      response: answers({ 200: VersionSchema }),
    });
    app.get("/version", { schema: version }, async () => ({
      version: Version.FAIRLEAD_VERSION,
      language: "typescript",
      language_version: process.versions.node,
    }));

    const health = described({
      operationId: "readHealth",
      answer: "small",
      access: PUBLIC,
      tags: ["server"],
      summary: "Whether the process works",
      response: answers({ 200: StatusSchema }),
    });
    app.get("/health", { schema: health }, async () => ({ status: "ok" }));

    app.get(
      "/ready",
      {
        schema: described({
          operationId: "readReadiness",
          answer: "small",
          access: PUBLIC,
          tags: ["server"],
          summary: "Whether the process may take traffic; 503 with `notReady` names what it waits for",
          querystring: ReadyQuery,
          response: answers({ 200: ReadySchema, 503: NotReadySchema }),
        }),
      },
      async ({ query }, reply) => {
        const { code, body } = readinessAnswer(readiness, query.verbose !== undefined);
        return reply.code(code).send(body);
      },
    );

    const metrics = described({
      operationId: "readMetrics",
      answer: "of-the-operator",
      access: { scope: "ops", owner: "server" },
      tags: ["server"],
      summary: "Metrics in Prometheus form",
      response: answers({ 200: Type.String() }),
      answerExamples: { "text/plain": "process_start_time_seconds 1790000000\n" },
    });
    app.get("/metrics", { schema: metrics }, async (request, reply) => {
      const { contentType, text } = readMetrics(request.headers.accept);
      return reply.type(contentType).send(text);
    });

    app.get(
      "/list-apps",
      {
        schema: described({
          operationId: "listApps",
          answer: "of-the-operator",
          access: { owner: "server" },
          tags: ["apps"],
          summary: "Names of the loaded apps",
          querystring: ListAppsQuery,
          response: answers({ 200: Type.Union([Type.Array(Type.String()), DetailedApps]) }),
          answerExamples: { "application/json": ["expenses", "weather"] },
        }),
      },
      async ({ query }) => {
        const names = await runnerService.listApps();
        if (query.detailed !== true) return names;
        const described = await Promise.allSettled(names.map((name) => runnerService.describeApp(name)));
        // An app with invalid files must not make the whole list fail.
        return {
          apps: described.flatMap((result) => (result.status === "fulfilled" ? [toListedApp(result.value)] : [])),
        };
      },
    );

    const appInfo = described({
      operationId: "readApp",
      answer: "of-the-operator",
      access: { owner: "app" },
      tags: ["apps"],
      summary: "An app's agents and tools",
      errors: ["APP_NOT_FOUND"],
      params: AppParams,
      response: answers({ 200: AppSchema }),
    });
    app.get("/apps/:appName/app-info", { schema: appInfo }, async ({ params }) =>
      toAppInfo(await runnerService.describeApp(params.appName)),
    );

    // The UI never asks its visitors for consent, because it sends nothing anywhere.
    const consent = described({
      operationId: "readTelemetryConsent",
      answer: "small",
      access: PUBLIC,
      tags: ["server"],
      summary: "Whether the UI may collect usage data",
      response: answers({ 200: TelemetrySchema }),
    });
    app.get("/config/telemetry", { schema: consent }, async () => ({ telemetry: false }));
    app.post(
      "/config/telemetry",
      {
        schema: described({
          operationId: "setTelemetryConsent",
          answer: "small",
          access: { owner: "server" },
          tags: ["server"],
          summary: "Without effect: usage data is never collected",
          headers: TelemetryHeaders,
          parameterExamples: { [TELEMETRY_HEADER]: "true" },
          errors: ["CONFIGURATION"],
          response: answers({ 200: TelemetrySchema }),
        }),
      },
      async ({ headers }) => {
        if (headers[TELEMETRY_HEADER] !== "true") {
          throw new PlatformError("CONFIGURATION", "The header X-ADK-Telemetry-Request: true is missing.");
        }
        return { telemetry: false };
      },
    );

    for (const [path, operationId] of TRIGGERS) {
      const schema = described({
        operationId,
        answer: "small",
        access: { scope: "runs:write", owner: "app" },
        tags: ["not offered"],
        summary: "Start runs from messages of a queue",
        errors: ["NOT_IMPLEMENTED"],
        params: AppParams,
      });
      app.post(path, { schema }, async () => {
        throw new PlatformError("NOT_IMPLEMENTED", "Triggers are not offered by this server yet.");
      });
    }
  };
}

const TRIGGERS = [
  ["/apps/:appName/trigger/pubsub", "triggerByPubSub"],
  ["/apps/:appName/trigger/eventarc", "triggerByEventarc"],
] as const;

function toListedApp({ name, rootAgent, description, language }: AppInfo): Readonly<Record<string, unknown>> {
  return { name, rootAgentName: rootAgent.name, description, language, isComputerUse: false };
}

function toAppInfo(info: AppInfo): Readonly<Record<string, unknown>> {
  const agents: Record<string, unknown> = {};
  collectAgents(info.rootAgent, agents);
  return { ...toListedApp(info), agents };
}

/** Keys are snake_case in this one answer, as on the Python server. */
function collectAgents(agent: AgentInfo, agents: Record<string, unknown>): void {
  const { name, description, instruction = "", tools, subAgents } = agent;
  const declarations = tools.map(({ name: toolName, description: toolDescription, parameters }) => ({
    functionDeclarations: [{ name: toolName, description: toolDescription, parameters }],
  }));
  agents[name] = {
    name,
    description,
    instruction,
    tools: declarations,
    sub_agents: subAgents.map((child) => child.name),
  };
  for (const child of subAgents) collectAgents(child, agents);
}
