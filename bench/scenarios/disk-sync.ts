import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const SYNCS = 200;
/** One page of SQLite. */
const PAGE = Buffer.alloc(4096, "x");

/**
 * Times of a write and its `fdatasync`, on a file in this folder. Each overwrites the same page, whose blocks exist, so
 * that no time goes into the file system's metadata: the least that a durable commit can take.
 */
export function syncMillis(folder: string): readonly number[] {
  const path = join(folder, "sync-of-the-disk");
  const file = openSync(path, "w");
  const times: number[] = [];
  try {
    // The first allocates the blocks.
    for (let count = -1; count < SYNCS; count += 1) {
      const started = performance.now();
      writeSync(file, PAGE, 0, PAGE.length, 0);
      fdatasyncSync(file);
      if (count >= 0) times.push(performance.now() - started);
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  return times;
}
