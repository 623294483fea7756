import { sleep } from "#kit/platform/sleep.ts";
import { onTermination, type SignalTarget, shutDown } from "#shared/lifecycle.ts";
import { createLogger, type ProcessLogger } from "#shared/logger.ts";
import type { StandaloneConfig } from "./config.ts";
import { createStandalone } from "./create-standalone.ts";
import { openAgents } from "./open-agents.ts";

/** The process that is run in: its signals and its last words. */
export interface HostProcess extends SignalTarget {
  on(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  on(event: "uncaughtException" | "unhandledRejection", listener: (error: unknown) => void): unknown;
}

/** Starts the server and ends it in good order when the process is told to end. Resolves when it is ready. */
export async function runStandalone(config: StandaloneConfig, host: HostProcess): Promise<{ readonly url: string }> {
  const output = await createLogger({ level: config.LOG_LEVEL, format: config.LOG_FORMAT });
  const { logger } = output;
  reportFaults(host, output);
  const standalone = await createStandalone({ config, logger, ...openAgents(config, logger) });
  onTermination(host, async (signal) => {
    logger.info({ signal }, "shutting down");
    const code = await shutDown(standalone.shutdownSteps, { sleep, logger });
    logger.info({ code }, "stopped");
    output.flush();
    return code;
  });
  logger.info({ url: standalone.url }, "ready");
  return { url: standalone.url };
}

function reportFaults(host: HostProcess, { logger, flush }: ProcessLogger): void {
  // A promise that an agent's code forgot must not end the runs of all others.
  host.on("unhandledRejection", (error) => logger.error({ error }, "a promise was rejected and nobody took notice"));
  host.on("uncaughtException", (error) => {
    logger.error({ error }, "uncaught exception: the process ends");
    flush();
    host.exit(1);
  });
}
