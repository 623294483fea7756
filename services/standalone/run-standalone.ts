import { sleep } from "#kit/platform/sleep.ts";
import { onTermination, type SignalTarget, shutDown } from "#shared/lifecycle.ts";
import { createLogger, type ProcessLogger } from "#shared/logger.ts";
import type { StandaloneConfig } from "./config.ts";
import { createStandalone } from "./create-standalone.ts";
import { openAgents } from "./open-agents.ts";

const thisProcess: SignalTarget = {
  on: (signal, listener) => process.on(signal, listener),
  exit: (code) => process.exit(code),
};

/** Starts the server and ends it in good order when the process is told to end. Resolves when it is ready. */
export async function runStandalone(config: StandaloneConfig): Promise<{ readonly url: string }> {
  const output = await createLogger({ level: config.LOG_LEVEL, format: config.LOG_FORMAT });
  const { logger } = output;
  reportFaults(output);
  const standalone = await createStandalone({ config, logger, ...openAgents(config, logger) });
  onTermination(thisProcess, async (signal) => {
    logger.info({ signal }, "shutting down");
    const code = await shutDown(standalone.shutdownSteps, { sleep, logger });
    logger.info({ code }, "stopped");
    output.flush();
    return code;
  });
  logger.info({ url: standalone.url }, "ready");
  return { url: standalone.url };
}

function reportFaults({ logger, flush }: ProcessLogger): void {
  // A promise that an agent's code forgot must not end the runs of all others.
  process.on("unhandledRejection", (error) => logger.error({ error }, "a promise was rejected and nobody took notice"));
  process.on("uncaughtException", (error) => {
    logger.error({ error }, "uncaught exception: the process ends");
    flush();
    process.exit(1);
  });
}
