import { redactText } from "#kit/errors/redact.ts";
import { type LogFields, type Logger, silentLogger } from "#kit/platform/logger.ts";
import { redactFields } from "#shared/logging/redact-fields.ts";

type Level = "debug" | "info" | "warn" | "error";
type WriteLine = (fields: LogFields, message: string) => void;

/** A logger of the program: one of pino, the kit's `Logger`, or any object with these four methods. */
export interface ServerLogger extends Readonly<Record<Level, WriteLine>> {
  /** Asked before a line is made, where the logger has it. */
  isLevelEnabled?(level: string): boolean;
}

/** The program's logger as the kit's; silent if there is none. Credentials are removed from each line. */
export function givenLogger(output: ServerLogger | undefined): Logger {
  return output === undefined ? silentLogger : new GivenLogger(output, {});
}

class GivenLogger implements Logger {
  readonly #output: ServerLogger;
  readonly #fields: LogFields;

  constructor(output: ServerLogger, fields: LogFields) {
    this.#output = output;
    this.#fields = fields;
  }

  debug(fields: LogFields, message: string): void {
    this.#write("debug", fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#write("info", fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#write("warn", fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#write("error", fields, message);
  }

  child(fields: LogFields): Logger {
    return new GivenLogger(this.#output, { ...this.#fields, ...redactFields(fields) });
  }

  #write(level: Level, fields: LogFields, message: string): void {
    if (this.#output.isLevelEnabled?.(level) === false) return;
    this.#output[level]({ ...this.#fields, ...redactFields(fields) }, redactText(message));
  }
}
