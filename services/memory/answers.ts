import { MAX_FOUND_CHARACTERS } from "#ports/memory/memory-records.ts";
import { MAX_DATA_PAGE_CHARACTERS } from "#ports/tenants/data-pages.ts";
import type { MemoryServiceDefinition } from "#proto/fairlead/memory/v1/MemoryService.ts";
import type { AnswerBounds } from "#shared/grpc/answer-bounds.ts";

/** Entries as values, as JSON and as bytes. */
const COPIES = 3;

/** How the answers about memory are bounded. */
export const MEMORY_ANSWERS: AnswerBounds<MemoryServiceDefinition> = {
  ListData: COPIES * MAX_DATA_PAGE_CHARACTERS,
  DeleteData: "small",
  AddSession: "small",
  AddMemoryEntries: "small",
  SearchMemory: COPIES * MAX_FOUND_CHARACTERS,
  DeleteSessionMemory: "small",
  ReadStored: "small",
};
