import { DEFAULT_TENANT, inTenant } from "#kit/names/tenant.ts";
import { type MeteredAmounts, NOTHING_METERED, sumOf } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageOwner } from "#ports/storage-limits/storage-limits.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataItem, DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import { type ArtifactLayout, TENANTS_FOLDER, tenantPrefix } from "./artifact-layout.ts";
import type { BucketStorageMeter } from "./bucket-storage-meter.ts";
import type { ObjectBucket } from "./object-bucket.ts";
import { deleteNames } from "./object-deletion.ts";
import { isTombstone, type ObjectResource } from "./object-metadata.ts";
import { sizeOfObject } from "./stored-objects.ts";
import { splitObjectName } from "./version-objects.ts";

/** Where the objects of an owner are. */
export interface OwnedPlaces {
  readonly objects: ObjectBucket;
  readonly layout: ArtifactLayout;
}

/** Prefixes of all the owner's objects, in the order of their names: one for each app, or for its user's. */
async function* prefixesOf(
  { objects, layout }: OwnedPlaces,
  { tenantId, userId }: DataOwner,
): AsyncGenerator<string, void, undefined> {
  const root = tenantPrefix(inTenant(tenantId));
  for await (const app of objects.folders(root)) {
    if (tenantId === DEFAULT_TENANT && app === TENANTS_FOLDER) continue;
    yield userId === undefined ? `${root}${app}/` : `${root}${app}/${layout.userSegment(userId)}/`;
  }
}

/** The artifacts of the owner, in the order of the names of their objects. */
export async function* ownedObjects(
  places: OwnedPlaces,
  owner: DataOwner,
  after: readonly string[] | undefined,
): AsyncGenerator<PlacedItem, void, undefined> {
  const root = tenantPrefix(inTenant(owner.tenantId));
  for await (const prefix of prefixesOf(places, owner)) {
    let last: string | undefined;
    for await (const page of places.objects.list(prefix)) {
      for (const resource of page) {
        const path = isTombstone(resource) ? undefined : splitObjectName(resource.name.slice(root.length))?.path;
        // The versions of a file follow each other.
        if (path === undefined || path === last) continue;
        last = path;
        // With the slash, the place sorts like the names of the objects.
        const place = `${path}/`;
        if (after?.[0] !== undefined && Buffer.compare(Buffer.from(place), Buffer.from(after[0])) <= 0) continue;
        const names = places.layout.namesOf(path);
        const item: DataItem =
          names === undefined ? { kind: "unnamed-files", folder: path } : { kind: "artifact", ...names };
        yield { item, place: [place] };
      }
    }
  }
}

/** The amounts that the objects count, by the users of apps. */
function sizesByUser(
  { layout }: OwnedPlaces,
  { tenantId }: DataOwner,
  resources: readonly ObjectResource[],
): ReadonlyMap<StorageOwner, MeteredAmounts> {
  const tenant = inTenant(tenantId);
  const owners = new Map<string, StorageOwner>();
  const sizes = new Map<StorageOwner, MeteredAmounts>();
  for (const resource of resources) {
    const path = splitObjectName(resource.name.slice(tenantPrefix(tenant).length))?.path;
    const names = path === undefined ? undefined : layout.namesOf(path);
    if (names === undefined) continue;
    const { appName, userId } = names;
    const key = JSON.stringify([appName, userId]);
    const owner = owners.get(key) ?? { ...tenant, appName, userId };
    owners.set(key, owner);
    sizes.set(owner, sumOf(sizes.get(owner) ?? NOTHING_METERED, sizeOfObject(resource)));
  }
  return sizes;
}

/**
 * Also removes the objects that keep the numbers of deleted versions in use, because no save begins while all data is
 * deleted.
 */
export async function deleteOwnedObjects(
  places: OwnedPlaces,
  { limit, ...owner }: DeleteDataRequest,
  meter: BucketStorageMeter,
): Promise<DeleteDataResponse> {
  let deleted = 0;
  for await (const prefix of prefixesOf(places, owner)) {
    for await (const page of places.objects.list(prefix, { withMetadata: meter.isMetering })) {
      const some: readonly ObjectResource[] = page.slice(0, limit - deleted);
      const gone: ObjectResource[] = [];
      try {
        await deleteNames(places.objects, some, (resource) => gone.push(resource));
      } finally {
        for (const [user, size] of meter.isMetering ? sizesByUser(places, owner, gone) : [])
          await meter.release(user, size);
      }
      deleted += some.length;
      if (deleted >= limit) return { deleted, isDone: false };
    }
  }
  return { deleted, isDone: true };
}
