import { stripTypeScriptTypes } from "node:module";
import type { SourceFile } from "#test/helpers/source-files.ts";

const MAX_LINES = 400;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.(ts|mjs)$/;

/** Files that are too long, or not named in kebab-case. */
export function shapeFaults({ path, text }: SourceFile): readonly string[] {
  const faults: string[] = [];
  const lines = text.split("\n").length - 1;
  if (lines > MAX_LINES) faults.push(`${path} has ${lines} lines; the most is ${MAX_LINES}.`);
  if (!NAME.test(path.slice(path.lastIndexOf("/") + 1))) faults.push(`${path} is not named in kebab-case.`);
  return faults;
}

/** TypeScript that Node cannot run by stripping types, though the test runner can. */
export function strippingFaults({ path, text }: SourceFile): readonly string[] {
  if (!path.endsWith(".ts")) return [];
  try {
    stripTypeScriptTypes(text);
    return [];
  } catch (error) {
    return [`${path} cannot be run by Node: ${error instanceof Error ? error.message.trim() : String(error)}`];
  }
}
