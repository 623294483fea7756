import type { MemoryServiceDefinition } from "#proto/fairlead/memory/v1/MemoryService.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";

/** The owners of the memory that calls name. */
export const MEMORY_OWNERS: OwnerRules<MemoryServiceDefinition> = {
  AddSession: ({ header }) => header?.session ?? undefined,
  AddMemoryEntries: ({ scope }) => scope ?? undefined,
  SearchMemory: ({ scope }) => scope ?? undefined,
  DeleteSessionMemory: ({ scope }) => scope ?? undefined,
};
