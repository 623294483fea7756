import type { DataOwner } from "#ports/tenants/data-owner.ts";
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

export function toDeletionMessage({ startedAtMs, ...owner }: DataDeletion): DeletionMessage {
  return { ...owner, startTime: toTimestamp(startedAtMs) };
}

/** Throws for a missing message. */
export function fromDeletionMessage(message: DataDeletion__Output | null): DataDeletion {
  const given = required(message);
  return { ...fromOwnerMessage(given), startedAtMs: fromTimestamp(given.startTime) };
}
