import { parseAst } from "vitest/node";
import type { SourceFile } from "./source-files.ts";

/** A node of the ESTree (with TypeScript's additions). */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export function parse(file: SourceFile): SyntaxNode {
  // The parser types its tree as one union of 150 kinds; the checks here need only kinds by name.
  return parseAst(file.text, { lang: "ts", sourceType: "module" }) as unknown as SyntaxNode;
}

/**
 * Visits the tree from the outside in, with the ancestors of each node, nearest last. `false` skips the descendants.
 */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => boolean | undefined,
  ancestors: readonly SyntaxNode[] = [],
): void {
  if (visit(node, ancestors) === false) return;
  const path = [...ancestors, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, path);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The text of a string literal or of a template without expressions. */
export function stringValue(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  const quasis = node["quasis"];
  if (node.type !== "TemplateLiteral" || !Array.isArray(quasis) || quasis.length !== 1) return undefined;
  const cooked: unknown = quasis[0]?.value?.cooked;
  return typeof cooked === "string" ? cooked : undefined;
}

/** The name of an identifier, or of a literal key. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : stringValue(node);
}

export function lineOf(file: SourceFile, node: SyntaxNode): number {
  let line = 1;
  for (let at = file.text.indexOf("\n"); at !== -1 && at < node.start; at = file.text.indexOf("\n", at + 1)) line += 1;
  return line;
}
