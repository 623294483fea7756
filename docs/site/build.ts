import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { checkSite } from "./check-site.ts";
import { copyPages } from "./copy-pages.ts";

const SITE = import.meta.dirname;
const ROOT = join(SITE, "../..");
const PAGES = join(SITE, "dist/pages");

/**
 * Builds the site and prints its folder. Its tools are installed here on first use. Fails for a dead link or a foreign
 * host.
 */
function main(): void {
  if (!existsSync(join(SITE, "node_modules"))) run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  rmSync(PAGES, { recursive: true, force: true });
  copyPages(PAGES);
  writeReference();
  run("node", ["node_modules/vitepress/bin/vitepress.js", "build", "."]);
  const site = join(SITE, "dist/site");
  const faults = checkSite(site);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
  else process.stdout.write(`The site is in ${relative(process.cwd(), site)}.\n`);
}

/** Pages on every export of the package, from the comments in the code. Each import has a module of its own. */
function writeReference(): void {
  const manifest: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const modules = Object.entries(manifest.exports).flatMap(([name, file]) => {
    if (!file.endsWith(".ts")) return [];
    // Typedoc names a module for its file.
    const module = join(PAGES, "entries", `${name}.ts`);
    mkdirSync(dirname(module), { recursive: true });
    writeFileSync(module, `export * from "${relative(dirname(module), join(ROOT, file)).replaceAll("\\", "/")}";\n`);
    return [module];
  });
  const compilerOptions = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
  const tsconfig = { extends: "../../../../tsconfig.json", compilerOptions, include: modules };
  writeFileSync(join(PAGES, "tsconfig.json"), JSON.stringify(tsconfig));
  run("node", [
    "node_modules/typedoc/bin/typedoc",
    ...["--tsconfig", "dist/pages/tsconfig.json", "--plugin", "typedoc-plugin-markdown", "--out", "dist/pages/api"],
    ...["--readme", "none", "--name", "fairlead", "--entryFileName", "index", "--logLevel", "Error"],
    ...["--excludeExternals", "--excludePrivate", "--disableSources", "--hidePageHeader", "--hideBreadcrumbs"],
    ...["--parametersFormat", "table", "--interfacePropertiesFormat", "table", "--typeDeclarationFormat", "table"],
    ...modules,
  ]);
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { cwd: SITE, stdio: "inherit" });
}

main();
