import type { LogLevel, ProcessLogger } from "./logger.ts";

const SIGNAL = "SIGUSR2";

/** The part of `process` that the signal needs. */
export interface LogLevelSignalTarget {
  on(signal: typeof SIGNAL, listener: () => void): unknown;
}

/**
 * SIGUSR2 switches detailed logs on, and the next one off again. Only the process's own user on its machine or in its
 * container can send a signal, so no client can increase the logs.
 */
export function switchLogLevelOnSignal(target: LogLevelSignalTarget, output: ProcessLogger): void {
  const configured = output.level;
  const other: LogLevel = configured === "debug" ? "info" : "debug";
  target.on(SIGNAL, () => {
    const from = output.level;
    const to = from === configured ? other : configured;
    // Logged while details are on, because the other level may hide the message.
    if (from !== "debug") output.setLevel(to);
    output.logger.info({ from, to }, "log level changed");
    output.setLevel(to);
  });
}
