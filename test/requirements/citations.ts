import type { SourceFile } from "#test/helpers/source-files.ts";
import { isNode, lineOf, nameOf, parse, type SyntaxNode, stringValue, walk } from "#test/helpers/syntax.ts";

export interface Citation {
  readonly id: string;
  /** `path:line` of the call. */
  readonly at: string;
}

export interface CitationScan {
  readonly citations: readonly Citation[];
  /** Calls that the scan cannot count, each with its place. */
  readonly problems: readonly string[];
}

const NOT_RUN = new Set(["skip", "todo", "fails"]);
const TEST_FUNCTIONS = new Set(["it", "test", "describe", "suite"]);

/** Every `verifies("…")` in tests that run. Suites in other files count when a test file imports them. */
export function scanCitations(files: readonly SourceFile[]): CitationScan {
  const citations: Citation[] = [];
  const problems: string[] = [];
  const citing = files.filter(({ text }) => /\bverifies\(/.test(text) && /helpers\/verifies\.ts"/.test(text));
  for (const file of citing) {
    if (!isReached(file, files)) problems.push(`${file.path} cites rows, but no test imports it.`);
    else scanFile(file, citations, problems);
  }
  return { citations, problems };
}

function scanFile(file: SourceFile, citations: Citation[], problems: string[]): void {
  walk(parse(file), (node) => {
    if (node.type !== "CallExpression") return undefined;
    const callee = calleeNames(node["callee"]);
    if (TEST_FUNCTIONS.has(callee[0] ?? "") && callee.some((name) => NOT_RUN.has(name))) return false;
    if (callee.length !== 1 || callee[0] !== "verifies") return undefined;
    const at = `${file.path}:${lineOf(file, node)}`;
    for (const argument of arrayOf(node["arguments"])) {
      const id = stringValue(argument);
      if (id === undefined) problems.push(`${at} cites something that is not a string literal.`);
      else citations.push({ id, at });
    }
    return undefined;
  });
}

/** `it.skip.each([])` is `["it", "skip", "each"]`. */
function calleeNames(callee: unknown): readonly string[] {
  if (!isNode(callee)) return [];
  if (callee.type === "CallExpression") return calleeNames(callee["callee"]);
  if (callee.type === "MemberExpression") return [...calleeNames(callee["object"]), nameOf(callee["property"]) ?? ""];
  return [nameOf(callee) ?? ""];
}

function isReached(file: SourceFile, files: readonly SourceFile[]): boolean {
  if (file.path.endsWith(".test.ts")) return true;
  const name = file.path.slice(file.path.lastIndexOf("/"));
  return files.some((other) => other.path.endsWith(".test.ts") && other.text.includes(`${name}"`));
}

function arrayOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
