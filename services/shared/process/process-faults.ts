import type { LogLevelSignalTarget } from "../logging/log-level-signal.ts";
import type { ProcessLogger } from "../logging/logger.ts";
import type { SignalTarget } from "./lifecycle.ts";

export const thisProcess: SignalTarget & LogLevelSignalTarget = {
  on: (signal: NodeJS.Signals, listener: () => void) => process.on(signal, listener),
  exit: (code) => process.exit(code),
};

/** Logs errors that were not caught. A server whose output nobody reads any more keeps running. */
export function reportFaults({ logger, flush }: ProcessLogger): void {
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  process.on("exit", flush);
  // A rejected promise that an agent's code does not handle must not end the runs of others.
  process.on("unhandledRejection", (error) => logger.error({ error }, "unhandled promise rejection"));
  process.on("uncaughtException", (error) => {
    logger.error({ error }, "uncaught exception: the process ends");
    flush();
    process.exit(1);
  });
}
