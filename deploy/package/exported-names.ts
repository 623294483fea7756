import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { publicEntries, readCloneManifest } from "./clone-manifest.ts";

/** The reviewed list of all public names, from the root. */
export const EXPORT_LIST = "test/package/exports.txt";

/**
 * The names that each public entry exports, as text: the entry's name, then one name a line, types after values. Throws
 * for `export *` from a package or another part.
 */
export function describeExports(root: string): string {
  const parts = publicEntries(readCloneManifest(root)).map(({ name, source }) => {
    const exported = exportsOf(join(root, source), readFileSync(join(root, source), "utf8"));
    return [name.replace(".", "fairlead"), ...exported.map((line) => `  ${line}`)].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}

/** The exports of a module, sorted: "name" for a value or a class, "type Name" for a type. `path` is the file's. */
export function exportsOf(path: string, text: string): readonly string[] {
  return [...new Set(namesOf(path, text))].sort(compare);
}

function namesOf(path: string, text: string): string[] {
  // The parser types its tree as one union of all kinds; these are the ones that export.
  const { body } = parseAst(text, { lang: "ts", sourceType: "module" }) as unknown as {
    readonly body: readonly Statement[];
  };
  return body.flatMap((statement) => namesIn(path, statement));
}

interface Named {
  readonly name: string;
}

interface Statement {
  readonly type: string;
  readonly exportKind?: "type" | "value";
  readonly exported?: Named | null;
  readonly source?: { readonly value: string } | null;
  readonly specifiers?: readonly { readonly exported: Named; readonly exportKind?: "type" | "value" }[];
  readonly declaration?: {
    readonly type: string;
    readonly id?: Named | null;
    readonly declarations?: readonly { readonly id: Named }[];
  } | null;
}

function namesIn(
  path: string,
  { type, exportKind, exported, source, specifiers = [], declaration }: Statement,
): readonly string[] {
  if (type === "ExportDefaultDeclaration") return ["default"];
  if (type === "ExportAllDeclaration") {
    if (exported) return [exported.name];
    const from = source?.value ?? "";
    if (!/^\.\.?\//.test(from)) throw new Error(`${path}: name the exports instead of export * from "${from}".`);
    const target = join(dirname(path), from);
    return namesOf(target, readFileSync(target, "utf8"));
  }
  if (type !== "ExportNamedDeclaration") return [];
  const isType = exportKind === "type";
  const declared = declaration?.declarations?.map(({ id }) => id) ?? [declaration?.id ?? undefined];
  return [
    ...specifiers.map((one) => lineOf(one.exported, isType || one.exportKind === "type")),
    ...declared.flatMap((id) => (id === undefined ? [] : [lineOf(id, isType)])),
  ];
}

function lineOf({ name }: Named, isType: boolean): string {
  return isType ? `type ${name}` : name;
}

function compare(a: string, b: string): number {
  const kinds = Number(a.startsWith("type ")) - Number(b.startsWith("type "));
  if (kinds !== 0) return kinds;
  return a < b ? -1 : Number(a > b);
}
