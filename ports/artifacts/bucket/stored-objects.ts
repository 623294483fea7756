import { type MeteredAmounts, NOTHING_METERED, sumOf } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageCount } from "#ports/storage-limits/storage-limits.ts";
import { type ArtifactLayout, TENANTS_FOLDER, tenantPrefix } from "./artifact-layout.ts";
import type { ObjectBucket } from "./object-bucket.ts";
import { isTombstone, type ObjectResource, SAVE_ID } from "./object-metadata.ts";
import { splitObjectName } from "./version-objects.ts";

/** Returns what one version counts: one item, and the bytes of its content and metadata. */
export function sizeOfObject(resource: ObjectResource): MeteredAmounts {
  if (isTombstone(resource)) return NOTHING_METERED;
  return { items: 1, bytes: Number(resource.size ?? 0) + metadataBytes(resource.metadata) };
}

/** Bytes of a version's metadata without the id of its save. */
export function metadataBytes({ [SAVE_ID]: _saveId, ...metadata }: Readonly<Record<string, unknown>> = {}): number {
  return Buffer.byteLength(JSON.stringify(metadata));
}

/** Computes what a user, app or tenant has stored. It lists the app's objects, or all objects of the tenant. */
export async function storedInBucket(
  objects: ObjectBucket,
  layout: ArtifactLayout,
  count: StorageCount,
): Promise<MeteredAmounts> {
  const root = tenantPrefix(count);
  const { prefix, isOwn } = objectsOf(layout, count, root);
  let stored = NOTHING_METERED;
  for await (const page of objects.list(prefix, { withMetadata: true })) {
    for (const resource of page) {
      const name = resource.name.slice(root.length);
      if (root === "" && name.startsWith(`${TENANTS_FOLDER}/`)) continue;
      if (isOwn(name) && splitObjectName(name) !== undefined) stored = sumOf(stored, sizeOfObject(resource));
    }
  }
  return stored;
}

/** The names of objects begin with the app and the user, in both layouts. */
function objectsOf(layout: ArtifactLayout, { scope, name, ...tenant }: StorageCount, root: string) {
  const segment = (member: "appName" | "userId"): string => {
    const names = { appName: "x", userId: "x", id: "x", ...tenant, [member]: name };
    const { prefix } = layout.userScope(names);
    return prefix.slice(root.length).split("/")[member === "appName" ? 0 : 1] ?? "";
  };
  switch (scope) {
    case "tenant":
      return { prefix: root, isOwn: () => true };
    case "app":
      return { prefix: `${root}${segment("appName")}/`, isOwn: () => true };
    case "user": {
      const user = segment("userId");
      return { prefix: root, isOwn: (path: string) => path.split("/", 2)[1] === user };
    }
    default:
      return scope satisfies never;
  }
}
