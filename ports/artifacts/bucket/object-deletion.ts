import { fromIsoTime } from "#kit/platform/iso-time.ts";
import type { ObjectBucket } from "./object-bucket.ts";
import { isTombstone, type ObjectResource, TOMBSTONE } from "./object-metadata.ts";
import { maxVersion, type StoredVersion } from "./version-objects.ts";

/** Far longer than any save takes: an older version was listed by every save in progress. */
const SETTLED_AFTER_MS = 24 * 60 * 60 * 1000;
/** Concurrent requests; the client opens a connection for each. */
const PARALLEL_REQUESTS = 16;

/**
 * Deletes versions so that no save uses one of their numbers again. A save tries the number after the newest that it
 * listed. So two kinds of object are not simply removed: the newest, and any so young that a save may have listed the
 * versions before it existed. They are replaced by empty objects. A later delete, for which they are old enough,
 * removes all of these but the newest.
 */
export async function deleteVersions(
  objects: ObjectBucket,
  versions: readonly StoredVersion[],
  {
    now,
    onDeleted,
    isMeant = () => true,
  }: {
    readonly now: number;
    readonly onDeleted: OnDeleted;
    /** Which of the versions are deleted; all by default. Empty objects that are no longer needed go in any case. */
    readonly isMeant?: (version: StoredVersion) => boolean;
  },
): Promise<void> {
  const newest = maxVersion(versions);
  const meant = versions.filter((version) => isTombstone(version.resource) || isMeant(version));
  await forEachInParallel(meant, async ({ number, resource }) => {
    if (number < newest && isSettled(resource, now)) return deleteOne(objects, resource, onDeleted);
    if (isTombstone(resource)) return undefined;
    const { name, generation } = resource;
    // If it no longer has this generation, another delete was faster.
    if (await objects.write({ name, generation, bytes: new Uint8Array(), attributes: TOMBSTONE })) onDeleted(resource);
    return undefined;
  });
}

/** Is called with each object that is deleted by this call, not by another one. */
export type OnDeleted = (resource: ObjectResource) => void;

/** Removes the objects themselves. */
export async function deleteNames(
  objects: ObjectBucket,
  resources: readonly ObjectResource[],
  onDeleted: OnDeleted,
): Promise<void> {
  await forEachInParallel(resources, (resource) => deleteOne(objects, resource, onDeleted));
}

async function deleteOne(objects: ObjectBucket, resource: ObjectResource, onDeleted: OnDeleted): Promise<void> {
  if (await objects.remove(resource)) onDeleted(resource);
}

function isSettled({ timeCreated }: ObjectResource, now: number): boolean {
  const createdAt = fromIsoTime(timeCreated);
  return createdAt !== undefined && createdAt + SETTLED_AFTER_MS < now;
}

/** Runs tasks concurrently, up to a limit that connections allow. */
export async function forEachInParallel<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    // All workers share the one iterator.
    for (const item of queue) await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_REQUESTS, items.length) }, worker));
}
