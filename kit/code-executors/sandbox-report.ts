import type { File } from "#kit/core/code-executor.ts";
import { isJsonObject, type JsonValue } from "../platform/json.ts";
import { isFileName, mimeTypeOf } from "./files.ts";

/** What the program in the sandbox is told to keep to, and what is held against its report. */
export const REPORT_LIMITS = {
  maxOutputBytes: 256 * 1024,
  maxFiles: 32,
  maxFileBytes: 16 * 1024 * 1024,
} as const;

/** For the program's own note on what it has left out. */
const NOTE_LENGTH = 100;

export interface SandboxReport {
  /** Negative: the number of the signal that has ended the code. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputFiles: readonly File[];
}

/** Code in the sandbox may have tampered with it, so it is read like any input. */
export function readReport(text: string): SandboxReport | undefined {
  let report: JsonValue;
  try {
    report = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(report)) return undefined;
  const { exitCode, timedOut, stdout, stderr, files } = report;
  if (typeof exitCode !== "number" || typeof stdout !== "string" || typeof stderr !== "string") return undefined;
  const outputFiles = (Array.isArray(files) ? files : []).slice(0, REPORT_LIMITS.maxFiles).flatMap(readFile);
  return { exitCode, timedOut: timedOut === true, stdout: cut(stdout), stderr: cut(stderr), outputFiles };
}

function cut(text: string): string {
  return text.slice(0, REPORT_LIMITS.maxOutputBytes + NOTE_LENGTH);
}

function readFile(file: JsonValue): readonly File[] {
  if (!isJsonObject(file)) return [];
  const { name, content } = file;
  if (typeof name !== "string" || typeof content !== "string" || !isFileName(name)) return [];
  const bytes = Buffer.from(content, "base64");
  if (bytes.length > REPORT_LIMITS.maxFileBytes) return [];
  // Through bytes and back, so that what is saved is base64 whatever was written.
  return [{ name, content: bytes.toString("base64"), mimeType: mimeTypeOf(name) }];
}
