import type { Content } from "../events/content.ts";
import type { JsonObject } from "../platform/json.ts";
import type { Session } from "../sessions/session.ts";

/** Whose memory: nothing crosses an app or a user. */
export interface MemoryScope {
  readonly appName: string;
  readonly userId: string;
}

export interface MemoryEntry {
  readonly content: Content;
  readonly author?: string;
  /** ISO 8601. */
  readonly timestamp?: string;
  readonly id?: string;
  readonly customMetadata?: JsonObject;
}

export interface SearchMemoryResponse {
  /** Best match first. */
  readonly memories: readonly MemoryEntry[];
}

/** What agents remember across sessions. */
export interface MemoryService {
  /**
   * Adds the session's complete events that carry text (thoughts are no text), their text alone. Repeating it for the same
   * session replaces what it added before.
   */
  addSessionToMemory(session: Session): Promise<void>;
  /**
   * Adds entries that belong to no session, all or none. One without an id gets one; one whose id was added so before replaces
   * it. Throws `INVALID_FIELD` for a time that is none.
   */
  addMemoryEntries(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void>;
  /**
   * Entries that share words with the query, letters compared without case or accents; at most 50. Those with more of the
   * query's words come first, then newer ones (an entry without a time is as old as its adding), then by id.
   */
  searchMemory(scope: MemoryScope, query: string): Promise<SearchMemoryResponse>;
  /** Forgets what came from one session. */
  deleteSessionMemory(scope: MemoryScope, sessionId: string): Promise<void>;
}
