import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the clone's package.json lies while npm packs with the published one. */
const FOLDER = ".pack";

/** Puts the published package.json in the place of the clone's, which is kept. */
export function swapManifest(root: string, manifest: Readonly<Record<string, unknown>>): void {
  mkdirSync(join(root, FOLDER), { recursive: true });
  const kept = join(root, FOLDER, "package.json");
  writeFileSync(`${kept}.new`, readFileSync(join(root, "package.json")));
  // Only a whole copy has the final name.
  renameSync(`${kept}.new`, kept);
  writeFileSync(join(root, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

export function isSwapped(root: string): boolean {
  return existsSync(join(root, FOLDER, "package.json"));
}

/** Puts the clone's package.json back. Does nothing if it is in its place. */
export function restoreManifest(root: string): void {
  if (!isSwapped(root)) return;
  renameSync(join(root, FOLDER, "package.json"), join(root, "package.json"));
  rmSync(join(root, FOLDER), { recursive: true, force: true });
}
