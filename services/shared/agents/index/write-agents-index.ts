import { constants, type FileHandle, open, readFile, rename, unlink } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { codeOf, isAbsent } from "#kit/platform/file-errors.ts";
import type { AgentsIndex, IndexedRevision } from "./agents-index.ts";
import { readAgentsIndex } from "./read-agents-index.ts";

const HEADER = " Versions of agents, the newest first, and their shares of new sessions. Written by `fairlead agents`.";

/** The index in a file; empty if there is none. Throws `CONFIGURATION` if it is not valid. */
export async function loadAgentsIndex(file: string): Promise<AgentsIndex> {
  const path = resolve(file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isAbsent(error)) return new Map();
    throw new PlatformError("CONFIGURATION", `AGENTS_INDEX: ${file} cannot be read.`, { cause: error });
  }
  return readAgentsIndex(await import("yaml"), text, dirname(path));
}

/**
 * Replaces the index by what `change` makes of it, at once: readers see the old file or the new one. Throws
 * `CONFIGURATION` while another process does the same.
 */
export async function changeAgentsIndex(
  file: string,
  change: (index: AgentsIndex) => Promise<AgentsIndex> | AgentsIndex,
): Promise<void> {
  const path = resolve(file);
  const next = `${path}.new`;
  const handle = await create(next);
  try {
    const index = await change(await loadAgentsIndex(path));
    const text = await toText(index, dirname(path));
    // What cannot be read again is not written.
    readAgentsIndex(await import("yaml"), text, dirname(path));
    await handle.writeFile(text);
    await handle.sync();
    await rename(next, path);
  } catch (error) {
    await unlink(next);
    throw error;
  } finally {
    await handle.close();
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644);
  } catch (error) {
    if (codeOf(error) !== "EEXIST")
      throw new PlatformError("CONFIGURATION", `AGENTS_INDEX: ${path} cannot be written.`, { cause: error });
    const hint = `Another command changes the index. If it was killed, delete ${path}.`;
    throw new PlatformError("CONFIGURATION", hint, { cause: error });
  }
}

async function toText(index: AgentsIndex, directory: string): Promise<string> {
  const { Document } = await import("yaml");
  const apps = [...index].map(([name, revisions]) => [name, revisions.map((each) => toEntry(each, directory))]);
  const document = new Document({ apps: Object.fromEntries(apps) });
  document.commentBefore = HEADER;
  return document.toString({ lineWidth: 0 });
}

function toEntry({ agentRevision, folder, weight, isRetired }: IndexedRevision, directory: string) {
  const inside = relative(directory, folder);
  const path = inside.startsWith("..") || isAbsolute(inside) ? folder : inside;
  return { agentRevision, folder: path, weight, ...(isRetired ? { retired: true } : {}) };
}
