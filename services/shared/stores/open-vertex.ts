import type { AgentPlatformOptions } from "#adapters/vertex/agent-platform-options.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { ContentConfig } from "./open-content-encryption.ts";
import type { StoreContext } from "./store-context.ts";
import type { vertexConfigSchema } from "./vertex-settings.ts";

export type VertexConfig = ConfigOf<typeof vertexConfigSchema>;

/** The names of settings for the options that an error can name. */
const SETTINGS: Readonly<Record<string, string>> = {
  project: "VERTEX_PROJECT_ID",
  location: "VERTEX_LOCATION",
  agentEngineId: "VERTEX_AGENT_ENGINE_ID",
  apiEndpoint: "VERTEX_API_ENDPOINT",
};

/**
 * Creates a service of Google's Agent Platform by the settings; the stack closes it. Throws `CONFIGURATION` for settings that it
 * refuses, and with content encryption: the service would get the content in plain text.
 */
export function createOfVertex<Service extends AsyncDisposable>(
  { config, logger, stack }: Pick<StoreContext<VertexConfig & ContentConfig>, "config" | "logger" | "stack">,
  user: string,
  create: (options: AgentPlatformOptions) => Service,
): Service {
  if (config.CONTENT_ENCRYPTION !== "off")
    throw new PlatformError(
      "CONFIGURATION",
      `${user} gives content to Google in plain text, and CONTENT_ENCRYPTION=${config.CONTENT_ENCRYPTION} demands that it is encrypted: set one of the two to another value.`,
    );
  const { VERTEX_PROJECT_ID: project, VERTEX_LOCATION: location, VERTEX_API_ENDPOINT: endpoint } = config;
  try {
    const agentEngineId = enginesOf(config.VERTEX_AGENT_ENGINE_ID);
    return stack.use(
      create({ project, location, agentEngineId, logger, apiEndpoint: endpoint === "" ? undefined : endpoint }),
    );
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== "INVALID_FIELD") throw error;
    const setting = SETTINGS[String(error.details?.["field"])] ?? user;
    throw new PlatformError("CONFIGURATION", `${setting}: ${error.message}`, { cause: error });
  }
}

/** One engine, or one for each app. */
function enginesOf(text: string): string | Readonly<Record<string, string>> {
  if (!text.includes("=")) return text.trim();
  return Object.fromEntries(
    text.split(",").map((entry) => {
      const [app = "", engine = ""] = entry.split("=", 2);
      return [app.trim(), engine.trim()] as const;
    }),
  );
}
