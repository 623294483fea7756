import type { File } from "#kit/core/code-executor.ts";
import { isJsonObject, type JsonValue } from "../platform/json.ts";
import { isFileName, mimeTypeOf } from "./files.ts";

/** The limits that the program in the sandbox gets, and that its report is checked against. */
export const REPORT_LIMITS = {
  maxOutputBytes: 256 * 1024,
  maxFiles: 32,
  maxFileBytes: 16 * 1024 * 1024,
} as const;

/** Room for the program's own note about omitted output. */
const NOTE_LENGTH = 100;

export interface SandboxReport {
  /** Negative: the number of the signal that ended the code. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputFiles: readonly File[];
}

/** Code in the sandbox may have tampered with the report, so it is checked like any input. */
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
  // Decoded and encoded again, so that the stored content is base64 whatever the report contains.
  return [{ name, content: bytes.toString("base64"), mimeType: mimeTypeOf(name) }];
}
