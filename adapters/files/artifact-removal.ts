import { join } from "node:path";
import type { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import { type MeteredAmounts, negative, sumOf } from "#ports/storage-limits/metered-amounts.ts";
import { NEXT_VERSION_FILE, nextNumber, storedNumbers } from "./artifact-folder.ts";
import { sizeOfArtifact, sizeOfScope, sizeOfUser, sizeOfVersion } from "./artifact-sizes.ts";
import { listNames, removeIfPresent, removeTree, replaceFile, syncFolder } from "./durable-files.ts";

type SizeOf = (folder: string) => Promise<MeteredAmounts>;
type Release = (size: MeteredAmounts) => void;

/** Removes all artifacts of a user of an app, each in the queue of its saves, so that no file is counted twice. */
export async function removeUserCounted(path: string, queues: KeyedMutex, release: Release): Promise<void> {
  const remove = (folder: string, sizeOf: SizeOf) => queues.run(folder, () => removeCounted(folder, sizeOf, release));
  for (const session of await listNames(join(path, "s"))) await remove(join(path, "s", session), sizeOfScope);
  for (const name of await listNames(join(path, "u"))) await remove(join(path, "u", name), sizeOfArtifact);
  await remove(path, sizeOfUser);
}

interface VersionRemoval {
  /** Which versions are removed. */
  readonly isMeant: (number: number) => boolean | Promise<boolean>;
  /** Writes a file under a temporary name, which it returns. */
  readonly write: (text: string) => Promise<string>;
  /** Absent where sizes are not counted. */
  readonly release?: Release | undefined;
}

/** Removes versions from the folder of an artifact, in the queue of its saves, and returns how many. */
export async function removeVersions(folder: string, { isMeant, write, release }: VersionRemoval): Promise<number> {
  const names = await listNames(folder);
  const numbers: number[] = [];
  for (const number of storedNumbers(names)) if (await isMeant(number)) numbers.push(number);
  if (numbers.length === 0) return 0;
  const next = await nextNumber(folder, names);
  await replaceFile(await write(String(next)), join(folder, NEXT_VERSION_FILE));
  await syncFolder(folder);
  const removeRecord = async (number: number): Promise<void> => {
    const size = release && (await sizeOfVersion(folder, number));
    const isRemoved = await removeIfPresent(join(folder, `${number}.json`));
    if (isRemoved && size !== undefined) release?.(size);
  };
  // Records first: a version without a record does not exist.
  await Promise.all(numbers.map(removeRecord));
  await Promise.all(numbers.map((number) => removeIfPresent(join(folder, `${number}.data`))));
  await syncFolder(folder);
  return numbers.length;
}

/** Releases what was removed, also if the removal fails after a part of it. */
export async function removeCounted(folder: string, sizeOf: SizeOf, release: Release): Promise<void> {
  const size = await sizeOf(folder);
  try {
    await removeTree(folder);
  } finally {
    release(sumOf(size, negative(await sizeOf(folder))));
  }
}
