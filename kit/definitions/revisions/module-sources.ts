import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { builtinModules } from "node:module";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The digest of each source of a module, by a name without paths of the server. */
export type SourceDigests = ReadonlyMap<string, string>;

// The modules of one app. More are a mistake, such as an import of a build output, and would delay the start.
const MAX_FILES = 2000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Imports with a literal name, static or dynamic, and files that a module reads beside itself. */
const REFERENCES: readonly RegExp[] = [
  /\b(?:from|import)\s*["']([^"'\n]+)["']/g,
  /\b(?:import|require)\s*\(\s*["'`]([^"'`\n$]+)["'`]/g,
  /\bnew\s+URL\s*\(\s*["'`](\.{1,2}\/[^"'`\n$]+)["'`]\s*,\s*import\.meta\.url/g,
];
const MODULES: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"]);
/** Node's loaders of CommonJS try them in this order. */
const EXTENSIONS = [".js", ".json", ".cjs", "/index.js"] as const;

/**
 * Reads the sources of a module: its file, the files that it imports or names with `new URL("./…", import.meta.url)`,
 * those that they import, and the name and version of each package. Names that are computed at run time are not found.
 * The names are relative to the module's folder, so that two copies of a folder have the same digests. Never throws:
 * what cannot be read is left out, and the import reports it.
 *
 * @example
 * ```ts
 * await readModuleSources("/agents/weather/agent.ts");
 * // Map { "agent.ts" => "sha256…", "../shared/units.ts" => "sha256…", "package:zod" => "4.3.0" }
 * ```
 */
export async function readModuleSources(file: string): Promise<SourceDigests> {
  const reader = new ModuleReader(dirname(file));
  await reader.read(file);
  return reader.digests;
}

class ModuleReader {
  readonly digests = new Map<string, string>();
  readonly #root: string;
  #bytes = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async read(file: string): Promise<void> {
    const name = relative(this.#root, file).split(sep).join("/");
    if (this.digests.has(name) || this.digests.size >= MAX_FILES || this.#bytes >= MAX_BYTES) return;
    const content = await readSource(file, MAX_BYTES - this.#bytes);
    if (content === undefined) return;
    this.#bytes += content.length;
    this.digests.set(name, createHash("sha256").update(content).digest("hex"));
    if (!MODULES.has(extname(file))) return;
    // One after another: the order decides nothing, and a module has few imports.
    for (const specifier of referencesIn(content.toString())) await this.#follow(specifier, file);
  }

  async #follow(specifier: string, from: string): Promise<void> {
    if (/^\.{1,2}\//.test(specifier) || specifier.startsWith("file:")) {
      const target = await existing(new URL(specifier, pathToFileURL(from)));
      if (target !== undefined && !target.includes(`${sep}node_modules${sep}`)) await this.read(target);
      return;
    }
    const name = packageOf(specifier);
    if (name === undefined || this.digests.has(`package:${name}`)) return;
    const version = await versionOf(name, dirname(from));
    if (version !== undefined) this.digests.set(`package:${name}`, version);
  }
}

function referencesIn(source: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const pattern of REFERENCES) for (const [, specifier = ""] of source.matchAll(pattern)) found.add(specifier);
  return found;
}

async function readSource(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(file);
    return size > maxBytes ? undefined : await readFile(file);
  } catch {
    // Also a word in a comment that looks like an import.
    return undefined;
  }
}

/** The file of a relative name; modules of CommonJS may leave out the end of the name. */
async function existing(url: URL): Promise<string | undefined> {
  const path = fileURLToPath(url);
  for (const candidate of [path, ...EXTENSIONS.map((end) => path + end)]) if (await isFile(candidate)) return candidate;
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The package that a specifier names; undefined for modules of Node and for the imports of a package's own map. */
function packageOf(specifier: string): string | undefined {
  if (/^(?:node:|data:|https?:|#|\/)/.test(specifier)) return undefined;
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  // The kit is the server's own: see `agentRevisionOf`.
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name) || builtinModules.includes(name) || name === "fairlead")
    return undefined;
  return name;
}

/** The version of the package that the folder's modules import. */
async function versionOf(name: string, folder: string): Promise<string | undefined> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const text = await readSource(join(current, "node_modules", name, "package.json"), 1024 * 1024);
    if (text !== undefined) return versionIn(text);
    if (dirname(current) === current) return undefined;
  }
}

function versionIn(text: Buffer): string | undefined {
  try {
    const { version } = JSON.parse(text.toString());
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
