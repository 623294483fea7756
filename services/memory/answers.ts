import { MAX_FOUND_CHARACTERS } from "#ports/memory/memory-records.ts";
import { MAX_DATA_PAGE_CHARACTERS } from "#ports/tenants/data-pages.ts";
import { MAX_OLD_PAGE } from "#ports/tenants/old-data.ts";
import type { MemoryServiceDefinition } from "#proto/fairlead/memory/v1/MemoryService.ts";
import type { AnswerBounds } from "#shared/grpc/answer-bounds.ts";

/** Entries as values, as JSON and as bytes. */
const COPIES = 3;

/** Names and the time of an entry. */
const ITEM_BYTES = 2048;

/** How the answers about memory are bounded. */
export const MEMORY_ANSWERS: AnswerBounds<MemoryServiceDefinition> = {
  ListData: COPIES * MAX_DATA_PAGE_CHARACTERS,
  DeleteData: "small",
  ListOldData: COPIES * ITEM_BYTES * MAX_OLD_PAGE,
  DeleteOldData: "small",
  AddSession: "small",
  AddMemoryEntries: "small",
  SearchMemory: COPIES * MAX_FOUND_CHARACTERS,
  DeleteSessionMemory: "small",
  ReadStored: "small",
};
