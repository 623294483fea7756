import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where the clone's files lie while npm packs others in their place. */
const KEPT = ".pack";

/** Puts each text in the place of the clone's file at that path, which is kept. */
export function swapFiles(root: string, texts: ReadonlyMap<string, string>): void {
  const copies = join(root, `${KEPT}.new`);
  rmSync(copies, { recursive: true, force: true });
  for (const path of texts.keys()) {
    mkdirSync(dirname(join(copies, path)), { recursive: true });
    cpSync(join(root, path), join(copies, path));
  }
  // The final name means that all copies are there.
  renameSync(copies, join(root, KEPT));
  for (const [path, text] of texts) writeFileSync(join(root, path), text);
}

export function isSwapped(root: string): boolean {
  return existsSync(join(root, KEPT));
}

/** Puts the clone's files back. Does nothing if they are in their places. */
export function restoreFiles(root: string): void {
  if (!isSwapped(root)) return;
  const kept = join(root, KEPT);
  const entries = readdirSync(kept, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const copy = join(entry.parentPath, entry.name);
    cpSync(copy, join(root, copy.slice(kept.length + 1)));
  }
  rmSync(kept, { recursive: true, force: true });
}
