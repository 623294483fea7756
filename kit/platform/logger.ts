export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log lines. Fields carry ids (`runId`, `sessionId`, `appName`), never prompt or tool content. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}

/** Discards everything: the default for programs that embed the kit. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
