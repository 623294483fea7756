import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { notingSources } from "#kit/definitions/revisions/agent-revision.ts";
import { DefinitionException } from "#kit/definitions/yaml/definition-problem.ts";

/**
 * Imports a file of an app. Failures become a `DefinitionException` that names the file by `label` and contains no path
 * of the server.
 */
export async function importModule(file: string, label: string): Promise<ReadonlyMap<string, unknown>> {
  const url = pathToFileURL(file).href;
  try {
    const module = await notingSources<object>(file, () => import(/* @vite-ignore */ url));
    return new Map(Object.entries(module));
  } catch (error) {
    const problem = {
      file: label,
      ...placeIn(file, error),
      message: `cannot be loaded${remedyFor(error)}.`,
      logDetail: textOf(error),
    };
    throw new DefinitionException([problem], error);
  }
}

/** The fix for an import that this version of Node refuses; empty for all other errors. */
function remedyFor(error: unknown): string {
  if (error instanceof SyntaxError && MODULE_SYNTAX.test(error.message)) return IS_COMMON_JS;
  if (!(error instanceof Error) || !("code" in error)) return "";
  switch (error.code) {
    case "ERR_MODULE_NOT_FOUND":
      return /^Cannot find package 'fairlead'/.test(error.message) ? NO_MAIN_ENTRY : "";
    case "ERR_PACKAGE_PATH_NOT_EXPORTED":
      return isOwnPackage(/^No "exports" main defined in (.*package\.json)/.exec(error.message)?.[1])
        ? NO_MAIN_ENTRY
        : "";
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return ': this Node loads TypeScript only with the flag --experimental-strip-types. "fairlead serve" sets it';
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return ": Node loads no TypeScript below node_modules. Compile it, or move it to another folder";
    default:
      return "";
  }
}

/** The folder has any name in a checkout. */
function isOwnPackage(file: string | undefined): boolean {
  try {
    return file !== undefined && JSON.parse(readFileSync(file, "utf8")).name === "fairlead";
  } catch {
    // The remedy is left out for a package that cannot be read.
    return false;
  }
}

/** The errors of Node for a module that it takes for a CommonJS script. */
const MODULE_SYNTAX = /^(?:Cannot use import statement outside a module|Unexpected token 'export')/;
const IS_COMMON_JS = ': the nearest package.json makes its files CommonJS. Set "type": "module" there';
const NO_MAIN_ENTRY = ': the package has no entry "fairlead". Import from "fairlead/kit"';

/** The text of an exception of the module's code. It may contain any data, so clients do not get it. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutPaths(String(error));
  const [first = ""] = error.message.split("\n");
  return `${error.name}: ${withoutPaths(first)}`;
}

/** Replaces absolute paths by their last part. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(?:file:\/\/)?\/(?:[^\s'"`/]+\/)+([^\s'"`/]*)/g, "$1");
}

/** The first line of the stack that is in the file; for a syntax error, that is the place of the error. */
function placeIn(file: string, error: unknown): { line?: number; column?: number } {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const text of stack.split("\n")) {
    const place = /:(\d{1,9})(?::(\d{1,9}))?\)?$/.exec(text);
    if (place === null) continue;
    const [, line, column] = place;
    const path = text.slice(Math.max(text.lastIndexOf(" "), text.lastIndexOf("(")) + 1, place.index);
    if (basename(path) !== basename(file) || toPath(path) !== file) continue;
    return { line: Number(line), column: column === undefined ? undefined : Number(column) };
  }
  return {};
}

function toPath(path: string): string {
  return path.startsWith("file:") ? fileURLToPath(path) : path;
}
