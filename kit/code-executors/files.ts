import type { File } from "#kit/core/code-executor.ts";
import { PlatformError } from "../errors/platform-error.ts";

const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

export function isFileName(name: string): boolean {
  return FILE_NAME.test(name);
}

/** Refuses input files whose names could lead out of their folder. */
export function assertFileNames(files: readonly File[]): void {
  const bad = files.find(({ name }) => !isFileName(name));
  if (bad === undefined) return;
  throw new PlatformError(
    "INVALID_FIELD",
    `inputFiles: the name ${JSON.stringify(bad.name)} is not allowed. Use letters, digits, ".", "_" and "-", not a dot first.`,
  );
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  webp: "image/webp",
  xml: "application/xml",
};

export function mimeTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return MIME_TYPES[extension] ?? "application/octet-stream";
}
