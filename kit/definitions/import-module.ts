import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { DefinitionException } from "./definition-problem.ts";

/** Imports a file of an app. Failures become a `DefinitionException` that names the file as `label`, and no path of the server. */
export async function importModule(file: string, label: string): Promise<ReadonlyMap<string, unknown>> {
  const url = pathToFileURL(file).href;
  try {
    const module: object = await import(/* @vite-ignore */ url);
    return new Map(Object.entries(module));
  } catch (error) {
    throw new DefinitionException([{ file: label, ...placeIn(file, error), message: messageOf(error) }], error);
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `cannot be loaded: ${withoutPaths(String(error))}`;
  const [first = ""] = error.message.split("\n");
  return `cannot be loaded: ${error.name}: ${withoutPaths(first)}`;
}

/** Absolute paths shrink to their last part. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(?:file:\/\/)?\/(?:[^\s'"`/]+\/)+([^\s'"`/]*)/g, "$1");
}

/** The first line of the stack that lies in the file; for errors of syntax, that is where the source is wrong. */
function placeIn(file: string, error: unknown): { line?: number; column?: number } {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const [, path = "", line, column] of stack.matchAll(/((?:file:\/\/)?\/[^\s():]+):(\d+)(?::(\d+))?/g)) {
    if (basename(path) !== basename(file) || toPath(path) !== file) continue;
    return { line: Number(line), ...(column !== undefined && { column: Number(column) }) };
  }
  return {};
}

function toPath(path: string): string {
  return path.startsWith("file:") ? fileURLToPath(path) : path;
}
