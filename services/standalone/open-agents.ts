import { statSync } from "node:fs";
import type { AgentLoader } from "#kit/definitions/agent-loader.ts";
import { DirectoryAgentFiles } from "#kit/definitions/directory-agent-files.ts";
import { DirectoryAgentLoader } from "#kit/definitions/directory-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { AgentFiles } from "#services/gateway/deps.ts";
import type { StandaloneConfig } from "./config.ts";

export interface Agents {
  readonly agentLoader: AgentLoader;
  /** The same folder as the YAML editor sees it. */
  readonly builder: AgentFiles;
}

/** The agents of the folder that the settings name. Throws `CONFIGURATION` when there is no such folder. */
export function openAgents({ AGENTS_DIR, HOT_RELOAD }: StandaloneConfig, logger: Logger): Agents {
  if (statSync(AGENTS_DIR, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new PlatformError(
      "CONFIGURATION",
      `There is no folder "${AGENTS_DIR}". Name the folder of your agents with --agents (AGENTS_DIR).`,
    );
  }
  return {
    agentLoader: new DirectoryAgentLoader({ directory: AGENTS_DIR, hotReload: HOT_RELOAD, logger }),
    builder: new DirectoryAgentFiles(AGENTS_DIR),
  };
}
