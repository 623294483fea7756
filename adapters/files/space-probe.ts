import { join } from "node:path";
import { makeFolder, removeIfPresent, writeTemporary } from "./durable-files.ts";

/** The size of an ordinary write of each store. A smaller probe would succeed when the next write does not. */
const PROBE_BYTES = 256 * 1024;

/**
 * Writes a small file into the folder, flushes it and removes it. Throws `STORAGE_FULL` while there is no space for it.
 */
export function spaceProbe(folder: string, name: string): () => Promise<void> {
  const file = join(folder, `.space-${name}`);
  const bytes = Buffer.alloc(PROBE_BYTES, "space ");
  return async () => {
    await makeFolder(folder);
    // An earlier process may have left the file.
    await removeIfPresent(file);
    await writeTemporary(file, bytes);
    await removeIfPresent(file);
  };
}
