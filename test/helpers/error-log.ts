import type { LogFields, Logger } from "#kit/platform/logger.ts";

/** Keeps logged errors and the texts of warnings. */
export class ErrorLog implements Logger {
  readonly errors: LogFields[] = [];
  readonly warnings: string[] = [];

  debug(): void {}
  info(): void {}
  warn(_fields: LogFields, message: string): void {
    this.warnings.push(message);
  }

  error(fields: LogFields): void {
    this.errors.push(fields);
  }

  child(): Logger {
    return this;
  }
}
