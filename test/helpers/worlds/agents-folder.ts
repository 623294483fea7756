import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { LogFields, Logger } from "#kit/platform/logger.ts";

export interface AgentsFolder {
  readonly path: string;
  write(file: string, text: string): void;
}

/** A folder with these files that is removed when the test ends. */
export function agentsFolder(files: Readonly<Record<string, string>>): AgentsFolder {
  const path = mkdtempSync(join(tmpdir(), "agents-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return { path, write };
}

export interface RecordedLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: LogFields;
  readonly message: string;
}

/** A logger that keeps its lines, and lets a test wait for one. */
export class RecordingLogger implements Logger {
  readonly lines: RecordedLine[] = [];
  readonly #waiting = new Set<(line: RecordedLine) => void>();
  readonly debug = this.#writer("debug");
  readonly info = this.#writer("info");
  readonly warn = this.#writer("warn");
  readonly error = this.#writer("error");

  child(): Logger {
    return this;
  }

  /** The next line with this text. */
  next(text: string): Promise<RecordedLine> {
    const { promise, resolve } = Promise.withResolvers<RecordedLine>();
    const look = (line: RecordedLine): void => {
      if (!line.message.includes(text)) return;
      this.#waiting.delete(look);
      resolve(line);
    };
    this.#waiting.add(look);
    return promise;
  }

  #writer(level: RecordedLine["level"]) {
    return (fields: LogFields, message: string): void => {
      const line = { level, fields, message };
      this.lines.push(line);
      for (const look of this.#waiting) look(line);
    };
  }
}
