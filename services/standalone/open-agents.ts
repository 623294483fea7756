import type { AgentLoader } from "#kit/definitions/agent-loader.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { openAgentFiles } from "#shared/open-agent-files.ts";
import { openAgentLoader } from "#shared/open-agent-loader.ts";
import type { StandaloneConfig } from "./config.ts";

export interface Agents {
  readonly agentLoader: AgentLoader;
  /** The same folder as the YAML editor sees it. */
  readonly builder: AgentFiles;
}

/** The agents of the folder that the settings name. Throws `CONFIGURATION` when there is no such folder. */
export function openAgents(config: StandaloneConfig, logger: Logger): Agents {
  return { agentLoader: openAgentLoader(config, logger), builder: openAgentFiles(config.AGENTS_DIR) };
}
