import type { SourceFile } from "#test/helpers/source-files.ts";
import { isNode, lineOf, nameOf, parse, type SyntaxNode, stringValue, walk } from "#test/helpers/syntax.ts";

export interface Import {
  /** As written; undefined if it is computed at run time. */
  readonly specifier: string | undefined;
  /** `static` runs with the file, `dynamic` when reached, `type` never. */
  readonly kind: "static" | "dynamic" | "type";
  readonly line: number;
}

/**
 * Everything by which a file loads another one, type imports, `import()`, `require` and `import.meta.resolve` included.
 */
export function importsOf(file: SourceFile): readonly Import[] {
  const imports: Import[] = [];
  walk(parse(file), (node) => {
    const found = asImport(node);
    if (found !== undefined) imports.push({ ...found, line: lineOf(file, node) });
    return undefined;
  });
  return imports;
}

function asImport(node: SyntaxNode): Omit<Import, "line"> | undefined {
  switch (node.type) {
    case "ImportDeclaration":
      return { specifier: stringValue(node["source"]), kind: node["importKind"] === "type" ? "type" : "static" };
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      if (!isNode(node["source"])) return undefined;
      return { specifier: stringValue(node["source"]), kind: node["exportKind"] === "type" ? "type" : "static" };
    case "ImportExpression":
      return { specifier: stringValue(node["source"]), kind: "dynamic" };
    case "TSImportType":
      return { specifier: stringValue(node["source"]), kind: "type" };
    case "CallExpression":
      return asLoadCall(node);
    default:
      return undefined;
  }
}

/** `require(…)`, and `resolve(…)` of a named module: resolving a computed name loads nothing by itself. */
function asLoadCall(node: SyntaxNode): Omit<Import, "line"> | undefined {
  const callee = node["callee"];
  if (!isNode(callee)) return undefined;
  const specifier = Array.isArray(node["arguments"]) ? stringValue(node["arguments"][0]) : undefined;
  if (nameOf(callee) === "require") return { specifier, kind: "dynamic" };
  return isResolve(callee) && specifier !== undefined ? { specifier, kind: "dynamic" } : undefined;
}

/** `require.resolve` or `import.meta.resolve`. */
function isResolve(callee: SyntaxNode): boolean {
  const owner = callee["object"];
  if (callee.type !== "MemberExpression" || nameOf(callee["property"]) !== "resolve" || !isNode(owner)) return false;
  return nameOf(owner) === "require" || owner.type === "MetaProperty";
}
