import type { Requirement } from "#test/requirements/requirement.ts";

export const memory: readonly Requirement[] = [
  { id: "memory:entry:author", line: 96, status: "verified", text: "A memory entry may have an author.", names: ["MemoryEntry"] },
  { id: "memory:entry:author-absent", line: 96, status: "verified", text: "A memory entry may be without an author." },
  { id: "memory:entry:content", line: 96, status: "verified", text: "A memory entry has content." },
  { id: "memory:search-response:memories", line: 96, status: "verified", text: "The answer of a search holds memory entries.", names: ["SearchMemoryResponse"] },
  { id: "memory:load-response:record", line: 96, status: "verified", text: "LoadMemoryResponse is a record.", names: ["LoadMemoryResponse"] },
  { id: "memory:entry:further-fields", line: 96, status: "verified", text: "Further fields of a memory entry are left open.", decided: "`timestamp` (ISO 8601), `id`, `customMetadata`." },
  {
    id: "memory:search:words",
    line: 96,
    status: "verified",
    text: "What counts as a word of a memory is left open.",
    decided: "Letters and digits without case and accents (ß is ss), single pictographs, and in scripts without spaces characters and pairs; a query has the pairs, and single Chinese characters that have a meaning.",
  },
  { id: "memory:search-response:further-fields", line: 96, status: "verified", text: "Further fields of the search answer are left open.", decided: "None: `memories`, the best match first." },
];
