import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { openEditor } from "#services/gateway/open-editor.ts";
import { openAgentLoader } from "#shared/agents/open-agent-loader.ts";
import type { StandaloneConfig } from "./config.ts";

export interface Agents {
  readonly agentLoader: AgentLoader;
  /** Their folder for the editor of the developer UI; absent if the settings do not allow it, or if the agents are in none. */
  readonly builder?: AgentFiles | undefined;
}

/**
 * The agents that the settings name. Throws `CONFIGURATION` if their folder does not exist, and for an editor off
 * loopback.
 */
export async function openAgents(config: StandaloneConfig, logger: Logger): Promise<Agents> {
  const isFolder = config.AGENTS_LOADER === "directory" || config.AGENTS_LOADER === "config";
  const builder = isFolder ? openEditor(config) : undefined;
  return { agentLoader: await openAgentLoader(config, logger), builder };
}
