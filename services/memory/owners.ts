import type { MemoryScope__Output } from "#proto/fairlead/memory/v1/MemoryScope.ts";
import type { MemoryServiceDefinition } from "#proto/fairlead/memory/v1/MemoryService.ts";
import { ownerOfCounts } from "#shared/quota/owner-of-counts.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";
import type { Owner } from "#shared/security/principal.ts";

/** The owners of the memory that calls name. */
export const MEMORY_OWNERS: OwnerRules<MemoryServiceDefinition> = {
  ListData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  DeleteData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  ListOldData: "no-user",
  DeleteOldData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  AddSession: ({ header }) => header?.session ?? undefined,
  AddMemoryEntries: ofUser,
  SearchMemory: ofUser,
  DeleteSessionMemory: ({ scope, sessionId }) => (scope === null ? undefined : { ...scope, id: sessionId }),
  ReadStored: ({ names }) => ownerOfCounts("names", names),
};

/** All sessions of the user share it. */
function ofUser({ scope }: { readonly scope: MemoryScope__Output | null }): Owner | undefined {
  return scope === null ? undefined : { ...scope, ofUser: true };
}
