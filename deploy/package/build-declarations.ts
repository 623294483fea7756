import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { OPTIONAL_PACKAGES } from "#kit/optional-packages/optional-package.ts";

export interface DeclarationOptions {
  readonly root: string;
  /** Sources of public entries, from the root. */
  readonly entries: readonly string[];
  /** The package's `imports`: patterns such as "#kit/*" and what they stand for. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly output: string;
}

const SPECIFIER = /(\bfrom |\bimport\(|^import )"([#.][^"]+)"/gm;
/** An import of a package, and the name of the package. */
const PACKAGE_IMPORT = /^import .*"((?:@[^/"]+\/)?[^@#./"][^/"]*)(?:\/[^"]*)?";$/gm;
/** Modules that run in browsers: their declarations must not need the types of Node. */
const WITHOUT_NODE = /^client\//;

/**
 * Writes the declarations of the entries and of all that they refer to, each module to a file at the same path. Returns
 * the names of the packages whose types they need.
 */
export function buildDeclarations({ root, entries, aliases, output }: DeclarationOptions): ReadonlySet<string> {
  const emitted = join(output, ".declarations");
  emit(root, entries, emitted);
  const packages = new Set<string>();
  const found = new Set(entries);
  // A set visits what is added to it during the iteration.
  for (const path of found) {
    const text = readFileSync(join(emitted, toDeclaration(path)), "utf8").replace(
      SPECIFIER,
      (_all, before: string, specifier: string) => {
        const target = resolveOwn(path, specifier, aliases);
        found.add(target);
        return `${before}"${relativeTo(path, target)}"`;
      },
    );
    for (const name of packagesIn(text)) packages.add(name);
    const needsNode = entries.includes(path) && !WITHOUT_NODE.test(path);
    const file = join(output, toDeclaration(path));
    mkdirSync(dirname(file), { recursive: true });
    const types = withoutOptional(text);
    writeFileSync(file, needsNode ? `/// <reference types="node" />\n${types}` : types);
  }
  rmSync(emitted, { recursive: true });
  return packages;
}

function emit(root: string, entries: readonly string[], output: string): void {
  const project = join(output, "tsconfig.json");
  mkdirSync(output, { recursive: true });
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: output },
    include: [],
    files: entries.map((entry) => join(root, entry)),
  };
  writeFileSync(project, JSON.stringify(settings));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [compiler, "-p", project], { cwd: root, encoding: "utf8" });
  } catch (error) {
    const report = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    throw new Error(`TypeScript cannot write the declarations:\n${report}`);
  }
}

function resolveOwn(from: string, specifier: string, aliases: Readonly<Record<string, string>>): string {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  for (const [pattern, target] of Object.entries(aliases)) {
    const prefix = pattern.slice(0, -1);
    if (specifier.startsWith(prefix)) return posix.normalize(target.slice(0, -1) + specifier.slice(prefix.length));
  }
  throw new Error(`${from}: "${specifier}" is not an alias of package.json.`);
}

function relativeTo(from: string, target: string): string {
  const path = posix.relative(posix.dirname(from), target).replace(/\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

/** The types of an optional package are `any` in a project that does not have it, also if that checks its libraries. */
function withoutOptional(text: string): string {
  return text.replace(PACKAGE_IMPORT, (line, name: string) =>
    Object.hasOwn(OPTIONAL_PACKAGES, name) ? `// @ts-ignore: ${name} is optional.\n${line}` : line,
  );
}

function toDeclaration(path: string): string {
  return path.replace(/\.ts$/, ".d.ts");
}

function packagesIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:\bfrom |\bimport\(|^import )"([^"#.][^"]*)"/gm)].map(([, name = ""]) => name);
}
