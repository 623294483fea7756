import type { Content } from "../events/content.ts";
import type { TenantScoped } from "../names/tenant.ts";
import type { JsonObject } from "../platform/json.ts";
import type { Session } from "../sessions/session.ts";

/** The owner of a memory: it is never shared across tenants, apps or users. */
export interface MemoryScope extends TenantScoped {
  readonly appName: string;
  readonly userId: string;
}

/** One thing that is remembered of a user. */
export interface MemoryEntry {
  readonly content: Content;
  readonly author?: string;
  /** ISO 8601. */
  readonly timestamp?: string;
  readonly id?: string;
  readonly customMetadata?: JsonObject;
}

/** The result of a search of the memory. */
export interface SearchMemoryResponse {
  /** Best match first. */
  readonly memories: readonly MemoryEntry[];
}

/** The memory of agents across sessions. */
export interface MemoryService {
  /**
   * Adds the text of the session's complete events (without thoughts). A repeated call for the same session replaces
   * the entries that it added before.
   */
  addSessionToMemory(session: Session): Promise<void>;
  /**
   * Adds entries that belong to no session, all or none. An entry without an id gets one; an entry with the id of an
   * earlier one replaces it. Throws `INVALID_FIELD` for an invalid time.
   */
  addMemoryEntries(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void>;
  /**
   * Entries that share words with the query, letters compared without case or accents; at most 50. Those with more of
   * the query's words come first, then newer ones (an entry without a time counts from when it was added), then by id.
   */
  searchMemory(scope: MemoryScope, query: string): Promise<SearchMemoryResponse>;
  /** Deletes the entries of one session. */
  deleteSessionMemory(scope: MemoryScope, sessionId: string): Promise<void>;
}
