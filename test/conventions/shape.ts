import { stripTypeScriptTypes } from "node:module";
import type { SourceFile } from "#test/helpers/source-files.ts";
import { resolveOwn } from "./boundaries.ts";
import { importsOf } from "./imports.ts";

const MAX_LINES = 400;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.(ts|mjs)$/;

/** Files that are too long to read, or not named in kebab-case. */
export function shapeFaults({ path, text }: SourceFile): readonly string[] {
  const faults: string[] = [];
  const lines = text.split("\n").length - 1;
  if (lines > MAX_LINES) faults.push(`${path} has ${lines} lines; the most is ${MAX_LINES}.`);
  if (!NAME.test(path.slice(path.lastIndexOf("/") + 1))) faults.push(`${path} is not named in kebab-case.`);
  return faults;
}

/** TypeScript that Node cannot run by leaving the types away, though the test runner can. */
export function strippingFaults({ path, text }: SourceFile): readonly string[] {
  if (!path.endsWith(".ts")) return [];
  try {
    stripTypeScriptTypes(text);
    return [];
  } catch (error) {
    return [`${path} cannot be run by Node: ${error instanceof Error ? error.message.trim() : String(error)}`];
  }
}

/** Cycles of imports that run with their files, each as the path around it. Types and `import()` close no cycle. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map(files.map((file) => [file.path, staticTargets(file)]));
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(" → "));
    if (start !== -1 || done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}

function staticTargets(file: SourceFile): readonly string[] {
  return importsOf(file).flatMap(({ kind, specifier }) => {
    const target = kind === "static" && specifier !== undefined ? resolveOwn(file.path, specifier) : undefined;
    return target === undefined ? [] : [target];
  });
}
