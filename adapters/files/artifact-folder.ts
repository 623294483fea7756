import { basename, join } from "node:path";
import { listNames, readIfPresent } from "./durable-files.ts";
import { fromFileSegment, isHashedSegment } from "./file-segment.ts";

/**
 * The folder of one artifact contains a data file and a record for each version, and small files whose names begin with
 * a dot.
 */

export const DATA_FILE = /^(\d+)\.data$/;
export const RECORD_FILE = /^(\d+)\.json$/;
/** Contains the number of the next version, after versions were deleted. */
export const NEXT_VERSION_FILE = ".next";
/** Contains the artifact's name if the folder's own name is hashed. */
export const NAME_FILE = ".name";

/** Names that have a version and are not hidden, unordered. */
export async function listArtifacts(
  scopeFolder: string,
  isHidden: (name: string) => boolean,
): Promise<readonly string[]> {
  const segments = await listNames(scopeFolder);
  const names = await Promise.all(
    segments.map(async (segment) => {
      const folder = join(scopeFolder, segment);
      const name = await artifactName(folder);
      if (name === undefined || isHidden(name)) return undefined;
      return (await listNames(folder)).some((file) => RECORD_FILE.test(file)) ? name : undefined;
    }),
  );
  return names.filter((name) => name !== undefined);
}

/** The name of the artifact in a folder; undefined if it cannot be restored. */
export async function artifactName(folder: string): Promise<string | undefined> {
  const segment = basename(folder);
  if (!isHashedSegment(segment)) return fromFileSegment(segment);
  return (await readIfPresent(join(folder, NAME_FILE)))?.toString("utf8");
}

/** The version numbers in a folder's names, ascending. */
export function versionsIn(names: readonly string[]): readonly number[] {
  return numbersOf(names, RECORD_FILE).sort((left, right) => left - right);
}

/** The numbers that a record or a data file has, ascending. */
export function storedNumbers(names: readonly string[]): readonly number[] {
  const numbers = new Set([...numbersOf(names, RECORD_FILE), ...numbersOf(names, DATA_FILE)]);
  return [...numbers].sort((left, right) => left - right);
}

/** The first number that was never used in the folder. */
export async function nextNumber(folder: string, names: readonly string[]): Promise<number> {
  let next = names.includes(NEXT_VERSION_FILE) ? await readNextVersion(folder) : 0;
  for (const number of numbersOf(names, DATA_FILE)) next = Math.max(next, number + 1);
  return next;
}

/** The next number that the last delete stored; 0 if there was none. */
export async function readNextVersion(folder: string): Promise<number> {
  return Number((await readIfPresent(join(folder, NEXT_VERSION_FILE))) ?? 0);
}

function numbersOf(names: readonly string[], pattern: RegExp): number[] {
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number);
}
