import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { BUILDER_ASSISTANT } from "#shared/agents/editor/editor-settings.ts";
import type { RouteDeps } from "../deps.ts";

type ToolDeps = Pick<RouteDeps, "runnerService" | "logger" | "config">;

const INPUT_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    request: { type: "string", description: "What the agent should do, in words." },
    sessionId: {
      type: "string",
      description: "Continues the conversation of an earlier call, whose result has its id. Absent: a new one.",
    },
  },
  required: ["request"],
};

/** Whether the app is one of those that MCP_APPS offers. */
export function isOffered(appName: string, { MCP_APPS }: Pick<RouteDeps["config"], "MCP_APPS">): boolean {
  return (MCP_APPS.includes("*") && appName !== BUILDER_ASSISTANT) || MCP_APPS.includes(appName);
}

/** The offered apps that the caller may use, as tools in a fixed order. An app that cannot be loaded is left out. */
export async function listAgentTools({ runnerService, logger, config }: ToolDeps): Promise<readonly JsonObject[]> {
  const names = (await runnerService.listApps()).filter((name) => isOffered(name, config));
  const tools = await Promise.all(
    names.map(async (name) => {
      try {
        const { description, rootAgent } = await runnerService.describeApp(name);
        return { name, description: description || rootAgent.description, inputSchema: INPUT_SCHEMA };
      } catch (error) {
        const { reason } = toPlatformError(error);
        logger.warn({ appName: name, reason }, "app is not offered as a tool: it cannot be described");
        return undefined;
      }
    }),
  );
  return tools.filter((tool) => tool !== undefined);
}
