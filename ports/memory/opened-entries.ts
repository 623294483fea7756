import { textOf } from "#kit/events/content.ts";
import type { MemoryEntry, MemoryScope } from "#kit/memory/memory-service.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { ContentPlace } from "../encryption/content-sealer.ts";
import { MAX_MEMORIES, withinAnswer } from "./memory-records.ts";
import { wordsOf } from "./words.ts";

/** How many of a user's newest entries a search opens if they are encrypted: a store cannot search in them. */
export const MAX_OPENED_ENTRIES = 1_000;

export interface OpenedEntry {
  readonly entry: MemoryEntry;
  readonly timeMs: number;
  readonly id: string;
  readonly sessionId: string;
}

/** The place where an entry is stored, which its encryption authenticates. */
export function memoryPlace(scope: MemoryScope, sessionId: string, id: string): ContentPlace {
  return { tenantId: tenantOf(scope), parts: ["memory", scope.appName, scope.userId, sessionId, id] };
}

/** The entries with most of the words first, then newer ones, then by id and session; at most `MAX_MEMORIES`. */
export function searchOpened(opened: readonly OpenedEntry[], words: readonly string[]): readonly MemoryEntry[] {
  const best = opened
    .map((each) => ({ ...each, score: countOf(each.entry, words) }))
    .filter(({ score }) => score > 0)
    .sort(
      (left, right) =>
        right.score - left.score ||
        right.timeMs - left.timeMs ||
        compareText(left.id, right.id) ||
        compareText(left.sessionId, right.sessionId),
    )
    .slice(0, MAX_MEMORIES);
  return withinAnswer(best.map(({ entry }) => entry));
}

function countOf(entry: MemoryEntry, words: readonly string[]): number {
  const own = wordsOf(textOf(entry.content));
  return words.filter((word) => own.has(word)).length;
}

/** Compares the bytes of UTF-8, as databases do. */
function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
