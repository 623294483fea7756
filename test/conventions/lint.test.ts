import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

/** A fault for each rule of the linter: the file it is planted in, the rule that has to find it, and the text. */
const PLANTED: readonly (readonly [path: string, rule: string, text: string])[] = [
  ["kit/a/alias.ts", "noRestrictedImports", 'import { x } from "#services/gateway/app.ts";\nexport const y = x;\n'],
  [
    "kit/a/relative.ts",
    "noRestrictedImports",
    'import { x } from "../../services/shared/config.ts";\nexport const y = x;\n',
  ],
  ["kit/a/dynamic.ts", "noRestrictedImports", 'export const y = import("#adapters/sqlite/database.ts");\n'],
  ["kit/a/server.ts", "noRestrictedImports", 'import { fastify } from "fastify";\nexport const y = fastify;\n'],
  [
    "adapters/sqlite/rooms/other.ts",
    "noRestrictedImports",
    'import { x } from "../../redis/client.ts";\nexport const y = x;\n',
  ],
  ["adapters/index.ts", "noRestrictedImports", 'export const y = import("#shared/config.ts");\n'],
  ["adapters/other.ts", "noRestrictedImports", 'export const y = import("#adapters/sqlite/a.ts");\n'],
  [
    "services/gateway/other.ts",
    "noRestrictedImports",
    'import { x } from "#services/session/a.ts";\nexport const y = x;\n',
  ],
  ["client/deep/a.ts", "noRestrictedImports", 'import { x } from "#services/gateway/app.ts";\nexport const y = x;\n'],
  ["client/deep/node.ts", "noRestrictedImports", 'import { join } from "node:path";\nexport const y = join;\n'],
  ["kit/b/one.ts", "noImportCycles", 'import { two } from "#kit/b/two.ts";\nexport const one = (): number => two();\n'],
  ["kit/b/two.ts", "noImportCycles", 'import { one } from "./one.ts";\nexport const two = (): number => one();\n'],
  ["kit/a/runState.ts", "useFilenamingConvention", "export const x = 1;\n"],
  ["kit/a/run_state.ts", "useFilenamingConvention", "export const x = 1;\n"],
  ["kit/a/any.ts", "noExplicitAny", "export const x: any = 1;\n"],
  ["kit/a/date.ts", "noRestrictedGlobals", "export const x = new Date();\n"],
  ["kit/a/env.ts", "noProcessEnv", "export const x = process.env;\n"],
  ["kit/a/console.ts", "noConsole", 'console.log("x");\n'],
  ["kit/a/default.ts", "noDefaultExport", "export default 1;\n"],
  ["kit/a/barrel.ts", "noBarrelFile", 'export * from "./any.ts";\n'],
  ["kit/a/enum.ts", "noEnum", "export enum X {\n  A,\n}\n"],
  ["kit/a/property.ts", "noParameterProperties", "export class X {\n  constructor(readonly y: number) {}\n}\n"],
  ["kit/a/namespace.ts", "noNamespace", "export namespace X {\n  export const y = 1;\n}\n"],
  ["kit/a/ignore.ts", "noTsIgnore", '// @ts-ignore\nexport const x: number = "1";\n'],
  [
    "kit/a/else.ts",
    "noUselessElse",
    "export function x(y: boolean): number {\n  if (y) return 1;\n  else return 2;\n}\n",
  ],
  ["kit/a/ternary.ts", "noNestedTernary", "export const x = (y: number): number => (y > 1 ? 1 : y > 0 ? 2 : 3);\n"],
  ["kit/a/assert.ts", "noNonNullAssertion", "export const x = (y?: { z: number }): number => y!.z;\n"],
  ["kit/a/type.ts", "useImportType", 'import { X } from "./property.ts";\nexport type Y = X;\n'],
  ["kit/a/extension.ts", "useImportExtensions", 'import { x } from "./any";\nexport const y = x;\n'],
  ["kit/a/protocol.ts", "useNodejsImportProtocol", 'import { join } from "path";\nexport const y = join;\n'],
  ["kit/a/unused.ts", "noUnusedVariables", "const x = 1;\n"],
  ["kit/a/unused-import.ts", "noUnusedImports", 'import { x } from "./any.ts";\n'],
  [
    "kit/a/floating.ts",
    "noFloatingPromises",
    "async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}\n",
  ],
  [
    "kit/a/misused.ts",
    "noMisusedPromises",
    "async function f(): Promise<boolean> {\n  return true;\n}\nexport const g = (): number => {\n  if (f()) return 1;\n  return 2;\n};\n",
  ],
  ["kit/a/only.test.ts", "noFocusedTests", 'it.only("x", () => {});\n'],
  ["kit/a/common.ts", "noCommonJs", 'export const x = require("node:path");\n'],
  ["kit/a/unformatted.ts", "format", "export const x = 'single';\n"],
  [
    "kit/a/unsorted.ts",
    "organizeImports",
    'import { b } from "./b.ts";\nimport { a } from "./a.ts";\nexport const c = [a, b];\n',
  ],
];

interface LintReport {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: unknown } }[];
}

describe("biome.json", () => {
  let folder = "";
  let found: ReadonlySet<string> = new Set();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lint-"));
    for (const name of ["biome.json", "package.json"]) cpSync(join(REPOSITORY_ROOT, name), join(folder, name));
    for (const [path, , text] of PLANTED) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    found = await lint(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(PLANTED)("catches in %s by %s", (path, rule) => {
    expect([...found].filter((fault) => fault.startsWith(`${path} `))).toContain(`${path} ${rule}`);
  });
});

/** `path rule` of everything that the linter reports below the folder. */
async function lint(folder: string): Promise<ReadonlySet<string>> {
  const biome = join(REPOSITORY_ROOT, "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "check", "--reporter=json", "--max-diagnostics=none", "."];
  // The linter exits with 1 if it finds something, which it must.
  const failure = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error: unknown) => error);
  const output = (failure as { stdout?: string }).stdout ?? "";
  // The form of the linter's JSON report, of which two members are read.
  const report = JSON.parse(output.slice(output.indexOf("{"))) as LintReport;
  const faults = report.diagnostics.map(
    ({ category, location }) => `${pathOf(location.path)} ${category.split("/").at(-1)}`,
  );
  return new Set(faults);
}

function pathOf(path: unknown): string {
  if (typeof path === "string") return path;
  return typeof path === "object" && path !== null && "file" in path ? String(path.file) : "";
}
