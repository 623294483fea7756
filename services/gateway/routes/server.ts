import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AgentInfo, AppInfo } from "#kit/runs/runner-service.ts";
import { type Shape, Type } from "#kit/schema/shape.ts";
import { Version } from "#kit/version.ts";
import type { GatewayDeps } from "../deps.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, ErrorSchema, JsonMap } from "../requests/wire-schemas.ts";

const ListAppsQuery = Type.Object({
  detailed: Type.Optional(Type.Boolean()),
  relative_path: Type.Optional(Type.String({ description: "Sent by the developer UI; ignored." })),
});

const VersionSchema = Type.Object({
  version: Type.String(),
  language: Type.String(),
  language_version: Type.String(),
});
const StatusSchema = Type.Object({ status: Type.String() });
const TelemetrySchema = Type.Object({ telemetry: Type.Boolean() });

const AppParams = Type.Object({ appName: Type.String() });

/** Routes about the server and its apps. */
export function serverRoutes(deps: GatewayDeps): TypedRoutes {
  const { runnerService, notReady, readMetrics } = deps;

  return async (app) => {
    app.get("/version", { schema: doc("Version of the server", VersionSchema) }, async () => ({
      version: Version.AGENTPLANE_VERSION,
      language: "typescript",
      language_version: process.versions.node,
    }));

    app.get("/health", { schema: doc("Whether the process lives", StatusSchema) }, async () => ({ status: "ok" }));

    app.get(
      "/ready",
      {
        schema: doc(
          "Whether the process may take traffic; 503 with `notReady` names what is missing, a store with a full disk included",
          StatusSchema,
        ),
      },
      async (_request, reply) => {
        const parts = notReady();
        if (parts.length === 0) return { status: "ready" };
        return reply.code(503).send({ status: "not ready", notReady: parts });
      },
    );

    app.get("/metrics", { schema: doc("Metrics in Prometheus form", Type.String()) }, async (request, reply) => {
      const { contentType, text } = readMetrics(request.headers.accept);
      return reply.type(contentType).send(text);
    });

    app.get(
      "/list-apps",
      { schema: { ...doc("Names of the loaded apps", Type.Array(Type.String())), querystring: ListAppsQuery } },
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

    const appInfo = { schema: { ...doc("An app's agents and tools", JsonMap), params: AppParams } };
    app.get("/apps/:appName/app-info", appInfo, async ({ params }) =>
      toAppInfo(await runnerService.describeApp(params.appName)),
    );

    // The UI never asks its visitors for consent, because it sends nothing anywhere.
    app.get(
      "/config/telemetry",
      { schema: doc("Whether the UI may collect usage data", TelemetrySchema) },
      async () => ({
        telemetry: false,
      }),
    );
    app.post(
      "/config/telemetry",
      { schema: doc("Not offered: usage data is never collected", TelemetrySchema) },
      async ({ headers }) => {
        if (headers["x-adk-telemetry-request"] !== "true") {
          throw new PlatformError("CONFIGURATION", "The header X-ADK-Telemetry-Request: true is missing.");
        }
        return { telemetry: false };
      },
    );

    for (const path of ["/apps/:appName/trigger/pubsub", "/apps/:appName/trigger/eventarc"]) {
      app.post(path, { schema: doc("Not offered yet", ErrorSchema) }, async () => {
        throw new PlatformError("NOT_IMPLEMENTED", "Triggers are not offered by this server yet.");
      });
    }
    app.get("/run_live", { schema: doc("Not offered yet", ErrorSchema) }, async () => {
      throw new PlatformError("NOT_IMPLEMENTED", "Live runs are not offered by this server yet; use /run_sse.");
    });
  };
}

function doc(summary: string, answer: Shape) {
  return { tags: ["server"], summary, response: answers({ 200: answer }) };
}

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
    functionDeclarations: [
      { name: toolName, description: toolDescription, ...(parameters !== undefined && { parameters }) },
    ],
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
