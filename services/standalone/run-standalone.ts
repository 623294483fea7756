import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { openEditor } from "#services/gateway/open-editor.ts";
import { openAgentLoader } from "#shared/agents/open-agent-loader.ts";
import { settingsForLog } from "#shared/config/describe-config.ts";
import { switchLogLevelOnSignal } from "#shared/logging/log-level-signal.ts";
import { createLogger } from "#shared/logging/logger.ts";
import { limitHeap } from "#shared/process/heap.ts";
import { onTermination, shutDown } from "#shared/process/lifecycle.ts";
import { limitDials } from "#shared/process/limit-dials.ts";
import { reportFaults, thisProcess } from "#shared/process/process-faults.ts";
import { watchLoop } from "#shared/process/watch-loop.ts";
import { type StandaloneConfig, standaloneConfigSchema } from "./config.ts";
import { createStandalone, type Standalone } from "./create-standalone.ts";

/** Starts the server, and shuts it down when the process gets a signal. Resolves when it is ready. */
export async function runStandalone(config: StandaloneConfig): Promise<Pick<Standalone, "url" | "errorDetail">> {
  const output = await createLogger({ level: config.LOG_LEVEL, format: config.LOG_FORMAT });
  const { logger } = output;
  reportFaults(output);
  limitHeap();
  limitDials(config.CONNECT_TIMEOUT_MS);
  switchLogLevelOnSignal(thisProcess, output);
  const standalone = await createStandalone({ config, logger, ...(await openAgents(config, logger)) });
  watchLoop(config.LOOP_STALL_MS);
  onTermination(thisProcess, async (signal) => {
    logger.info({ signal }, "shutting down");
    const code = await shutDown(standalone.shutdownSteps, { sleep, logger });
    logger.info({ code }, "stopped");
    output.flush();
    return code;
  });
  logger.info({ url: standalone.url, settings: settingsForLog(standaloneConfigSchema, config) }, "ready");
  return { url: standalone.url, errorDetail: standalone.errorDetail };
}

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
