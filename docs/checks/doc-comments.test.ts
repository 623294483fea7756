import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { isNode, nameOf, parse, type SyntaxNode, stringValue } from "#test/helpers/syntax.ts";

/** What files of the package export, by name: whether a doc comment stands before its declaration. */
type Exports = ReadonlyMap<string, boolean>;

const manifest: {
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(join(REPOSITORY_ROOT, "package.json"), "utf8"));
const entries = Object.entries(manifest.exports).filter(([, file]) => file.endsWith(".ts"));
const aliases = Object.entries(manifest.imports).map(([from, to]) => [from.replace("*", ""), to.replace("*", "")]);

function readRepositoryFile(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), "utf8");
}

function exportsOf(path: string, read: (path: string) => string): Exports {
  const found = new Map<string, boolean>();
  const add = (name: string, hasComment: boolean): void => {
    found.set(name, hasComment || found.get(name) === true);
  };
  const text = read(path);
  const { body } = parse({ path, text });
  for (const node of Array.isArray(body) ? body.filter(isNode) : []) {
    const source = stringValue(node["source"]);
    if (!node.type.startsWith("Export") || node.type === "ExportDefaultDeclaration") continue;
    if (source === undefined) {
      for (const name of declaredNames(node["declaration"])) add(name, hasDocComment(text, node.start));
      continue;
    }
    const inner = exportsOf(resolve(path, source), read);
    if (node.type === "ExportAllDeclaration") for (const [name, has] of inner) add(name, has);
    for (const specifier of listOf(node["specifiers"])) {
      const local = nameOf(specifier["local"]) ?? "";
      add(nameOf(specifier["exported"]) ?? local, inner.get(local) === true);
    }
  }
  return found;
}

function resolve(from: string, specifier: string): string {
  const alias = aliases.find(([prefix = ""]) => specifier.startsWith(prefix));
  if (alias === undefined) return posix.join(posix.dirname(from), specifier);
  const [prefix = "", folder = ""] = alias;
  return posix.normalize(folder + specifier.slice(prefix.length));
}

function declaredNames(declaration: unknown): readonly string[] {
  if (!isNode(declaration)) return [];
  if (declaration.type !== "VariableDeclaration") return [nameOf(declaration["id"]) ?? ""];
  return listOf(declaration["declarations"]).map((one) => nameOf(one["id"]) ?? "");
}

function listOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function hasDocComment(text: string, start: number): boolean {
  const before = text.slice(0, start).trimEnd();
  return before.endsWith("*/") && before.slice(before.lastIndexOf("/*")).startsWith("/**");
}

describe("public exports", () => {
  it.each(entries)("have doc comments: fairlead%s", (_name, file) => {
    const found = exportsOf(posix.normalize(file), readRepositoryFile);
    expect(found.size).toBeGreaterThan(0);
    expect([...found].filter(([, has]) => !has).map(([name]) => name)).toEqual([]);
  });

  it("are found through files that export them again, and are held to a comment directly before them", () => {
    const files: Readonly<Record<string, string>> = {
      "a.ts": `export { one, two as second } from "./b.ts";\nexport type * from "#kit/c.ts";`,
      "b.ts": `/** One. */\nexport const one = 1;\n/* No doc comment. */\nexport function two() {}`,
      "kit/c.ts": `/** Three. */\n\nconst three = 3;\nexport interface Four {}\n/** Five. */\nexport class Five {}`,
    };
    expect([...exportsOf("a.ts", (path) => files[path] ?? "")]).toEqual([
      ["one", true],
      ["second", false],
      ["Four", false],
      ["Five", true],
    ]);
  });
});
