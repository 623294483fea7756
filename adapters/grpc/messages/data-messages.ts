import { inTenant } from "#kit/names/tenant.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import { assertPageSize } from "#ports/tenants/data-pages.ts";
import type { ListOldRequest, OldItem, OldPage } from "#ports/tenants/old-data.ts";
import type {
  DataDeletion,
  DataItem,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
} from "#ports/tenants/tenant-data.ts";
import type { DataDeletion__Output, DataDeletion as DeletionMessage } from "#proto/fairlead/session/v1/DataDeletion.ts";
import { fromJsonBytes, fromTimestamp, required, toJsonBytes, toTimestamp } from "./messages.ts";
import { toTenantMember } from "./tenant-messages.ts";

/** Converts messages about the data of tenants, which have the same form in all services that store such data. */
interface OwnerMessage {
  readonly tenantId: string;
  readonly userId?: string | undefined;
}

export function fromOwnerMessage({ tenantId, userId }: OwnerMessage): DataOwner {
  return { tenantId, userId };
}

export function fromListMessage(
  message: OwnerMessage & { readonly pageSize: number; readonly pageToken?: string | undefined },
): ListDataRequest {
  const { pageSize, pageToken } = message;
  return { ...fromOwnerMessage(message), pageSize, pageToken };
}

export function toPageMessage({ items, nextPageToken }: DataPage) {
  return { itemsJson: items.map(toJsonBytes), nextPageToken };
}

export function fromPageMessage({
  itemsJson,
  nextPageToken,
}: {
  readonly itemsJson: readonly Buffer[];
  readonly nextPageToken?: string;
}): DataPage {
  const items = itemsJson.map((bytes) => fromJsonBytes<DataItem>(bytes, "The item"));
  return { items, nextPageToken };
}

export function fromDeleteMessage(message: OwnerMessage & { readonly limit: number }): DeleteDataRequest {
  return { ...fromOwnerMessage(message), limit: message.limit };
}

export function fromDeletedMessage({ deleted, isDone }: DeleteDataResponse): DeleteDataResponse {
  return { deleted, isDone };
}

/** Throws `INVALID_FIELD` for a page without a size, which the encoding would round. */
export function toListOldMessage({ before, pageSize, pageToken }: ListOldRequest) {
  assertPageSize(pageSize);
  return { before: toTimestamp(before), pageSize, pageToken };
}

export function fromListOldMessage({
  before,
  pageSize,
  pageToken,
}: {
  readonly before: Parameters<typeof fromTimestamp>[0];
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}): ListOldRequest {
  return { before: fromTimestamp(before), pageSize, pageToken };
}

interface OldItemMessage {
  readonly tenantId: string;
  readonly appName: string;
  readonly id: string;
  readonly time: Parameters<typeof fromTimestamp>[0];
}

export function toOldPageMessage({ items, nextPageToken }: OldPage) {
  return {
    items: items.map(({ timeMs, ...item }) => ({ ...item, ...toTenantMember(item), time: toTimestamp(timeMs) })),
    nextPageToken,
  };
}

export function fromOldItem({ tenantId, appName, id, time }: OldItemMessage): OldItem {
  return { ...inTenant(tenantId), appName, id, timeMs: fromTimestamp(time) };
}

export function toDeletionMessage({ startedAtMs, ...owner }: DataDeletion): DeletionMessage {
  return { ...owner, startTime: toTimestamp(startedAtMs) };
}

/** Throws for a missing message. */
export function fromDeletionMessage(message: DataDeletion__Output | null): DataDeletion {
  const given = required(message);
  return { ...fromOwnerMessage(given), startedAtMs: fromTimestamp(given.startTime) };
}
