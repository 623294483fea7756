import type { SourceFile } from "#test/helpers/source-files.ts";
import { isNode, nameOf, parse, type SyntaxNode, stringValue, walk } from "#test/helpers/syntax.ts";
import { isGated, namesOfGatedTests } from "./gates.ts";

/** A use of something that a suite's file exports: in which file, and whether only under a condition. */
interface Use {
  readonly path: string;
  readonly isGated: boolean;
}

/**
 * How the tests reach a file: `open` when a test that always runs uses it, `gated` when all that use it, directly or
 * through another suite, run under a condition, `unused` when none does.
 */
export type Reach = "open" | "gated" | "unused";

/** Answers how tests reach a file. Files that import each other do not open each other's gate. */
export function createReach(files: readonly SourceFile[]): (path: string) => Reach {
  const known = new Map<string, Reach>();
  const reachOf = (path: string): Reach => {
    if (path.endsWith(".test.ts")) return "open";
    const before = known.get(path);
    if (before !== undefined) return before;
    known.set(path, "unused");
    const ways = findUses(path, files).map((use): Reach => {
      const reach = reachOf(use.path);
      return reach === "open" && use.isGated ? "gated" : reach;
    });
    const reach = (["open", "gated"] as const).find((kind) => ways.includes(kind)) ?? "unused";
    known.set(path, reach);
    return reach;
  };
  return reachOf;
}

function findUses(path: string, files: readonly SourceFile[]): readonly Use[] {
  const fileName = path.slice(path.lastIndexOf("/"));
  const importers = files.filter((file) => file.path !== path && file.text.includes(`${fileName}"`));
  return importers.flatMap((file) => usesIn(file, fileName));
}

function usesIn(file: SourceFile, fileName: string): readonly Use[] {
  const tree = parse(file);
  const names = importedNames(tree, fileName);
  const gatedNames = namesOfGatedTests(tree);
  const uses: Use[] = [];
  walk(tree, (node, ancestors) => {
    if (node.type === "ImportDeclaration") return false;
    const name = node.type === "Identifier" ? nameOf(node) : undefined;
    if (name === undefined || !names.has(name)) return undefined;
    uses.push({ path: file.path, isGated: isGated(node, ancestors, gatedNames) });
    return undefined;
  });
  return uses;
}

function importedNames(tree: SyntaxNode, fileName: string): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree, (node) => {
    if (node.type !== "ImportDeclaration") return undefined;
    if (!stringValue(node["source"])?.endsWith(fileName.slice(1))) return false;
    const specifiers = Array.isArray(node["specifiers"]) ? node["specifiers"].filter(isNode) : [];
    for (const specifier of specifiers) {
      const name = nameOf(specifier["local"]);
      if (name !== undefined && node["importKind"] !== "type") names.add(name);
    }
    return false;
  });
  return names;
}
