import type { LogLevel, ProcessLogger } from "./logger.ts";

const SIGNAL = "SIGUSR2";

/** The part of `process` that the signal needs. */
export interface LogLevelSignalTarget {
  on(signal: typeof SIGNAL, listener: () => void): unknown;
}

/**
 * SIGUSR2 turns detailed logs on, and the next one off again. A signal comes only from the process's own user on its own machine or
 * in its own container, so that nobody on the network can make a process talkative.
 */
export function switchLogLevelOnSignal(target: LogLevelSignalTarget, output: ProcessLogger): void {
  const configured = output.level;
  const other: LogLevel = configured === "debug" ? "info" : "debug";
  target.on(SIGNAL, () => {
    const from = output.level;
    const to = from === configured ? other : configured;
    // Told while details are on: the other level may hide the line.
    if (from !== "debug") output.setLevel(to);
    output.logger.info({ from, to }, "log level changed");
    output.setLevel(to);
  });
}
