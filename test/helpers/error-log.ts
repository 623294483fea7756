import type { LogFields, Logger } from "#kit/platform/logger.ts";

/** Keeps logged errors. */
export class ErrorLog implements Logger {
  readonly errors: LogFields[] = [];

  debug(): void {}
  info(): void {}
  warn(): void {}

  error(fields: LogFields): void {
    this.errors.push(fields);
  }

  child(): Logger {
    return this;
  }
}
