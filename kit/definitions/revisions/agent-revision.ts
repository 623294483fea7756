import { createHash } from "node:crypto";
import { readModuleSources, type SourceDigests } from "./module-sources.ts";

/** How many hexadecimal digits an agent revision has: enough to tell the sources of one app apart, and short to read. */
const DIGITS = 12;

/** The sources of an app, and what else decides how it behaves. */
export interface RevisionParts {
  /** Names of sources with their digests, in any order. */
  readonly sources: Iterable<readonly [name: string, digest: string]>;
  /** The process adds this, such as the digest of its image; `AGENT_REVISION_SALT`. */
  readonly salt?: string | undefined;
}

/**
 * The agent revision of these sources: the same in each process that has the same ones. The version of the server and
 * of its kit is not part of it, so that an upgrade of the platform moves no session; an operator who wants that adds it
 * to the salt.
 *
 * @example
 * ```ts
 * agentRevisionOf({ sources: [["root_agent.yaml", "9f86d0…"]] }); // "4be0c1a2d93f"
 * ```
 */
export function agentRevisionOf({ sources, salt = "" }: RevisionParts): string {
  const sorted = [...sources].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([salt, sorted]))
    .digest("hex")
    .slice(0, DIGITS);
}

/**
 * The sources of the modules that this process has imported, by file. A module stays as it was imported until the
 * process ends, and so do its sources here, whatever happens to its files.
 */
const imported = new Map<string, SourceDigests>();

/** Imports a module with the given function, and notes the sources that it is made from. */
export async function notingSources<Module>(file: string, load: () => Promise<Module>): Promise<Module> {
  // Before the import: files that change in between give a wrong agent revision until the next start, and not for ever.
  const sources = imported.get(file) ?? (await readModuleSources(file));
  const module = await load();
  imported.set(file, sources);
  return module;
}

/** The sources of a module that this process has imported. */
export function sourcesOfModule(file: string): SourceDigests | undefined {
  return imported.get(file);
}
