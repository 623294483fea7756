import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant } from "#kit/names/tenant.ts";
import type { MeteredAmounts } from "#ports/storage-limits/metered-amounts.ts";
import { STORAGE_SCOPES, type StorageCount } from "#ports/storage-limits/storage-limits.ts";
import type {
  MeteredAmounts as AmountsMessage,
  MeteredAmounts__Output,
} from "#proto/fairlead/common/v1/MeteredAmounts.ts";
import type { StorageCount as Message, StorageCount__Output } from "#proto/fairlead/session/v1/StorageCount.ts";
import { fromTenantMember, toTenantMember } from "./tenant-messages.ts";

const MAX_COUNTS = 100;

export function toStorageCounts(counts: readonly StorageCount[]): Message[] {
  return counts.map(({ scope, name, ...tenant }) => ({ ...toTenantMember(tenant), scope, name }));
}

/** Throws `INVALID_FIELD` and `INVALID_IDENTIFIER`. */
export function fromStorageCounts(field: string, counts: readonly StorageCount__Output[]): readonly StorageCount[] {
  if (counts.length > MAX_COUNTS)
    throw new PlatformError("INVALID_FIELD", `${field} may have at most ${MAX_COUNTS} members.`, {
      details: { field },
    });
  return counts.map(fromStorageCount);
}

export function toAmountsMessages(amounts: readonly MeteredAmounts[]): AmountsMessage[] {
  return amounts.map(({ items, bytes }) => ({ items, bytes }));
}

export function fromAmountsMessages(messages: readonly MeteredAmounts__Output[]): readonly MeteredAmounts[] {
  return messages.map(({ items, bytes }) => ({ items, bytes }));
}

function fromStorageCount({ scope: given, name, ...rest }: StorageCount__Output): StorageCount {
  const tenant = fromTenantMember(rest);
  assertTenant(tenant);
  const scope = STORAGE_SCOPES.find((known) => known === given);
  if (scope === undefined)
    throw new PlatformError("INVALID_FIELD", `scope must be one of ${STORAGE_SCOPES.join(", ")}.`, {
      details: { field: "scope" },
    });
  if (scope !== "tenant") assertIdentifier(scope === "user" ? "userId" : "appName", name);
  return { ...tenant, scope, name: scope === "tenant" ? "" : name };
}
