import { PlatformError } from "#kit/errors/platform-error.ts";
import { textOf } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { MemoryEntry, MemoryScope } from "#kit/memory/memory-service.ts";
import { assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Session } from "#kit/sessions/session.ts";
import { assertOldItems, type DeleteOldRequest, type OldItem } from "../tenants/old-data.ts";
import type { DataItem } from "../tenants/tenant-data.ts";
import { queryWordsOf, wordsOf } from "./words.ts";

/** Stands for the session of entries that belong to none: no session has an empty id. */
export const NO_SESSION = "";
/** The most entries that a search returns. They become part of a prompt: more would displace the conversation. */
export const MAX_MEMORIES = 50;
/** The most characters of JSON that the entries of a search have together. */
export const MAX_FOUND_CHARACTERS = 1024 * 1024;
/**
 * The most distinct words of a query that are searched for, the first ones, so that a whole document as query stays
 * affordable.
 */
export const MAX_QUERY_WORDS = 64;

/** An entry in the form that stores with search by words keep. */
export interface MemoryRecord {
  readonly id: string;
  readonly entry: MemoryEntry;
  /** Milliseconds since the epoch, for the order of results. */
  readonly timeMs: number;
  readonly words: ReadonlySet<string>;
}

export function assertMemoryScope(scope: MemoryScope): void {
  assertAppScope(scope);
  assertIdentifier("userId", scope.userId);
}

/** Throws `INVALID_IDENTIFIER`, `INVALID_FIELD`. */
export function scopeOfOld(request: DeleteOldRequest): MemoryScope {
  assertOldItems(request);
  const { tenantId, appName, userId = "" } = request;
  const scope = { ...inTenant(tenantId), appName, userId };
  assertMemoryScope(scope);
  return scope;
}

export function oldEntry(
  { tenantId, appName, userId }: MemoryScope,
  { sessionId, id, timeMs }: Pick<MemoryRecord, "id" | "timeMs"> & { readonly sessionId: string },
): OldItem {
  return { ...inTenant(tenantId), appName, userId, ...(sessionId !== NO_SESSION && { sessionId }), id, timeMs };
}

/** One record for each complete event with text; thoughts and data are left out. */
export function recordsOfSession(session: Session): readonly MemoryRecord[] {
  return session.events.flatMap((event) => recordOfEvent(event) ?? []);
}

/** The record of a new entry, with the given id and time if the entry has none. */
export function recordOfEntry(
  entry: MemoryEntry,
  defaults: { readonly id: string; readonly timeMs: number },
): MemoryRecord {
  const id = entry.id ?? defaults.id;
  assertIdentifier("entry.id", id);
  const timeMs = entry.timestamp === undefined ? defaults.timeMs : fromIsoTime(entry.timestamp);
  if (timeMs === undefined) {
    throw new PlatformError("INVALID_FIELD", "entry.timestamp must be an ISO 8601 time.", {
      details: { field: "entry.timestamp" },
    });
  }
  return { id, entry: structuredClone({ ...entry, id }), timeMs, words: wordsOf(textOf(entry.content)) };
}

/** The words to search for; a query without words has none and finds nothing. */
export function searchWordsOf(query: string): readonly string[] {
  return [...queryWordsOf(query)].slice(0, MAX_QUERY_WORDS);
}

/** The entries, best first, without those for which the answer has no more room. */
export function withinAnswer(entries: Iterable<MemoryEntry>): readonly MemoryEntry[] {
  const kept: MemoryEntry[] = [];
  let characters = 0;
  for (const entry of entries) {
    const { length } = JSON.stringify(entry);
    if (characters + length > MAX_FOUND_CHARACTERS) continue;
    characters += length;
    kept.push(entry);
  }
  return kept;
}

function recordOfEvent(event: Event): MemoryRecord | undefined {
  if (event.partial === true) return undefined;
  const parts = (event.content?.parts ?? []).flatMap(({ text, thought }) =>
    text === undefined || thought === true || text.trim() === "" ? [] : [{ text }],
  );
  if (parts.length === 0) return undefined;
  const role = event.content?.role;
  const content = { ...(role !== undefined && { role }), parts };
  const { id, author, timestamp: timeMs } = event;
  return { id, entry: { content, author, timestamp: toIsoTime(timeMs), id }, timeMs, words: wordsOf(textOf(content)) };
}

/** An entry in the list of a tenant's data. */
export function memoryItem(
  { appName, userId }: Pick<MemoryScope, "appName" | "userId">,
  sessionId: string,
  entry: MemoryEntry,
): DataItem {
  // An entry consists only of JSON.
  const json = entry as unknown as JsonObject;
  return { kind: "memory", appName, userId, ...(sessionId !== NO_SESSION && { sessionId }), entry: json };
}
