import { basename, dirname, join } from "node:path";
import { listNames } from "./durable-files.ts";

/** The name of a log's full file ends with the number of the file's first record. */
const FULL = /^(.+)\.(\d{12})$/;
const TORN = ".torn-";
const HEAD = ".head";

/** The name under which a full file is kept. */
export function fullFilePath(path: string, firstSeq: number): string {
  return `${path}.${String(firstSeq).padStart(12, "0")}`;
}

/** A copy of the part of a record that a killed writer left in the place of this record; there can be several. */
export function tornFilePath(path: string, seq: number, copy: number): string {
  return `${path}${TORN}${seq}${copy === 1 ? "" : `.${copy}`}`;
}

/** The file that names the last record. */
export function headFilePath(path: string): string {
  return path + HEAD;
}

/** The full files of a log, oldest first. */
export async function fullFilesOf(path: string): Promise<readonly string[]> {
  const names = await listNames(dirname(path));
  return names
    .filter((name) => FULL.exec(name)?.[1] === basename(path))
    .sort()
    .map((name) => join(dirname(path), name));
}

/** Files of a log among others of the same folder, in the order of their records. */
export function inOrder(paths: readonly string[]): readonly string[] {
  const rank = (path: string): string => FULL.exec(path)?.[2] ?? "~";
  return paths
    .filter((path) => !path.endsWith(HEAD) && !path.includes(TORN))
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

export function isFullFile(path: string): boolean {
  return FULL.test(path);
}
