import pino, { type DestinationStream } from "pino";
import { redactText } from "#kit/errors/redact.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";
import { LogOutput } from "./log-output.ts";
import { redactFields } from "./redact-fields.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export type LogFormat = "auto" | "json" | "pretty";

export interface LoggerOptions {
  readonly level: LogLevel;
  /** `auto` is pretty on a terminal and JSON elsewhere. */
  readonly format: LogFormat;
  /** The name of the process, on every line. */
  readonly fields?: LogFields;
  /** Standard output unless given. */
  readonly destination?: DestinationStream;
}

/**
 * A logger and its buffer. Lines are written without blocking, so the last ones must be flushed before the process
 * ends.
 */
export interface ProcessLogger {
  readonly logger: Logger;
  readonly level: LogLevel;
  /** Applies from the next line on, to existing child loggers too. */
  setLevel(level: LogLevel): void;
  flush(): void;
}

export async function createLogger({ level, format, fields = {}, destination }: LoggerOptions): Promise<ProcessLogger> {
  const stream = destination ?? (await openOutput(format));
  const root = pino(
    {
      // The library's children keep the level of their creation, so the library passes all lines and LevelledLogger
      // decides.
      level: "debug",
      base: redactFields(fields),
      messageKey: "message",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const threshold: Threshold = { rank: RANKS[level] };
  return {
    logger: new LevelledLogger(root, threshold),
    get level() {
      return level;
    },
    setLevel: (next) => {
      level = next;
      threshold.rank = RANKS[next];
    },
    flush: "flushSync" in stream && typeof stream.flushSync === "function" ? stream.flushSync.bind(stream) : () => {},
  };
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** Shared by the loggers of a process, so that a change applies to all of them. */
interface Threshold {
  rank: number;
}

/** The only way to the output: filters by level, and removes credentials. */
class LevelledLogger implements Logger {
  readonly #output: Logger;
  readonly #threshold: Threshold;

  constructor(output: Logger, threshold: Threshold) {
    this.#output = output;
    this.#threshold = threshold;
  }

  debug(fields: LogFields, message: string): void {
    if (this.#threshold.rank <= RANKS.debug) this.#output.debug(redactFields(fields), redactText(message));
  }

  info(fields: LogFields, message: string): void {
    if (this.#threshold.rank <= RANKS.info) this.#output.info(redactFields(fields), redactText(message));
  }

  warn(fields: LogFields, message: string): void {
    if (this.#threshold.rank <= RANKS.warn) this.#output.warn(redactFields(fields), redactText(message));
  }

  error(fields: LogFields, message: string): void {
    if (this.#threshold.rank <= RANKS.error) this.#output.error(redactFields(fields), redactText(message));
  }

  child(fields: LogFields): Logger {
    return new LevelledLogger(this.#output.child(redactFields(fields)), this.#threshold);
  }
}

const STANDARD_OUTPUT = 1;

async function openOutput(format: LogFormat): Promise<DestinationStream> {
  const pretty = format === "pretty" || (format === "auto" && process.stdout.isTTY === true);
  if (!pretty) return new LogOutput(STANDARD_OUTPUT);
  const { prettyFactory } = await import("pino-pretty");
  const prettify = prettyFactory({
    colorize: process.stdout.hasColors?.() ?? false,
    translateTime: "SYS:HH:MM:ss.l",
    ignore: "pid,hostname",
    messageKey: "message",
    errorLikeObjectKeys: ["error"],
    singleLine: true,
  });
  return { write: (line) => void process.stdout.write(prettify(withShownEscapes(line))) };
}

/** JSON's escapes of control characters stay escapes when they are printed: logged texts may be those of others. */
function withShownEscapes(line: string): string {
  return line
    .replace(/(?<!\\)((?:\\\\)*)\\(u00[01][0-9a-f]|[bfr])/g, "$1\\\\$2")
    .replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
      return `\\\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
}
