import { DEFAULT_TENANT, inTenant, isTenantId } from "#kit/names/tenant.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import { type ListOldRequest, type OldItem, type OldPage, oldPage, oldRange } from "#ports/tenants/old-data.ts";
import { toOldVersion } from "../old-artifacts.ts";
import { type ArtifactLayout, TENANTS_FOLDER } from "./artifact-layout.ts";
import { isTombstone, type ObjectResource } from "./object-metadata.ts";
import type { OwnedPlaces } from "./owned-objects.ts";
import { splitObjectName } from "./version-objects.ts";

/** A page with old versions from all tenants, sorted by the names of their objects. */
export async function oldObjects({ objects, layout }: OwnedPlaces, request: ListOldRequest): Promise<OldPage> {
  const { limit, after: [after] = [] } = oldRange(request);
  const items: OldItem[] = [];
  let count = 0;
  for await (const page of objects.list("", { after })) {
    for (const resource of page) {
      const item = toItem(layout, resource);
      if (item !== undefined) items.push(item);
      count += 1;
      if (count >= limit) return oldPage(request, items, [resource.name]);
    }
  }
  return oldPage(request, items, undefined);
}

/** Whether the object is a version that was created before the time. */
export function isVersionBefore(resource: ObjectResource, before: number): boolean {
  return !isTombstone(resource) && (fromIsoTime(resource.timeCreated) ?? before) < before;
}

function toItem(layout: ArtifactLayout, resource: ObjectResource): OldItem | undefined {
  const split = isTombstone(resource) ? undefined : splitObjectName(resource.name);
  const timeMs = fromIsoTime(resource.timeCreated);
  if (split === undefined || timeMs === undefined) return undefined;
  const [folder, tenant = "", ...rest] = split.path.split("/");
  const isOfTenant = folder === TENANTS_FOLDER;
  // Counters of the store are in a folder that no tenant has.
  if (isOfTenant && !isTenantId(tenant)) return undefined;
  const names = layout.namesOf(isOfTenant ? rest.join("/") : split.path);
  if (names === undefined) return undefined;
  return toOldVersion({ ...inTenant(isOfTenant ? tenant : DEFAULT_TENANT), ...names, version: split.number, timeMs });
}
