import { join } from "node:path";
import type { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import { type MeteredAmounts, negative, sumOf } from "#ports/storage-limits/metered-amounts.ts";
import { sizeOfArtifact, sizeOfScope, sizeOfUser } from "./artifact-sizes.ts";
import { listNames, removeTree } from "./durable-files.ts";

type SizeOf = (folder: string) => Promise<MeteredAmounts>;
type Release = (size: MeteredAmounts) => void;

/** Removes all artifacts of a user of an app, each in the queue of its saves, so that no file is counted twice. */
export async function removeUserCounted(path: string, queues: KeyedMutex, release: Release): Promise<void> {
  const remove = (folder: string, sizeOf: SizeOf) => queues.run(folder, () => removeCounted(folder, sizeOf, release));
  for (const session of await listNames(join(path, "s"))) await remove(join(path, "s", session), sizeOfScope);
  for (const name of await listNames(join(path, "u"))) await remove(join(path, "u", name), sizeOfArtifact);
  await remove(path, sizeOfUser);
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
