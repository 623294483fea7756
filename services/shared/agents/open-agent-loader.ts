import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { type agentsConfigSchema, assertAgentsFolder } from "./agents-settings.ts";

/** The agents of the folder that the settings name. */
export function openAgentLoader(
  { AGENTS_DIR, HOT_RELOAD }: ConfigOf<typeof agentsConfigSchema>,
  logger: Logger,
): DirectoryAgentLoader {
  assertAgentsFolder(AGENTS_DIR);
  return new DirectoryAgentLoader({ directory: AGENTS_DIR, hotReload: HOT_RELOAD, logger });
}
