import type { SourceFile } from "#test/helpers/source-files.ts";
import { isNode, lineOf, parse, type SyntaxNode, stringValue, walk } from "#test/helpers/syntax.ts";
import { calleeNames, isGated, isNotRun, namesOfGatedTests } from "./gates.ts";
import { createReach } from "./suite-reach.ts";

export interface Citation {
  readonly id: string;
  /** `path:line` of the call. */
  readonly at: string;
  /** The test runs only where something optional is there: a tool, an emulator, a cluster. */
  readonly isGated: boolean;
}

export interface CitationScan {
  readonly citations: readonly Citation[];
  /** Calls that the scan cannot count, each with its place. */
  readonly problems: readonly string[];
}

/** Every `verifies("…")` in tests that run. Suites in other files count when a test file imports them. */
export function scanCitations(files: readonly SourceFile[]): CitationScan {
  const citations: Citation[] = [];
  const problems: string[] = [];
  const citing = files.filter(({ text }) => /\bverifies\(/.test(text) && /helpers\/verifies\.ts"/.test(text));
  const reachOf = createReach(files);
  for (const file of citing) {
    const reach = reachOf(file.path);
    if (reach === "unused") problems.push(`${file.path} cites rows, but no test imports it.`);
    else scanFile(file, reach === "gated", citations, problems);
  }
  return { citations, problems };
}

function scanFile(file: SourceFile, isGatedSuite: boolean, citations: Citation[], problems: string[]): void {
  const tree = parse(file);
  const gatedNames = namesOfGatedTests(tree);
  walk(tree, (node, ancestors) => {
    if (node.type !== "CallExpression") return undefined;
    const callee = calleeNames(node["callee"]);
    if (isNotRun(callee)) return false;
    if (callee.length !== 1 || callee[0] !== "verifies") return undefined;
    const at = `${file.path}:${lineOf(file, node)}`;
    for (const argument of arrayOf(node["arguments"])) {
      const id = stringValue(argument);
      if (id === undefined) problems.push(`${at} cites something that is not a string literal.`);
      else citations.push({ id, at, isGated: isGatedSuite || isGated(node, ancestors, gatedNames) });
    }
    return undefined;
  });
}

function arrayOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
