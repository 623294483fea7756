import { relative, sep } from "node:path";

/** Whether the path is the folder itself or below it. Both are absolute; links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
