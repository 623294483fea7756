import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** A session as its source has it. */
export interface SourceSession {
  readonly kind: "session";
  readonly key: SessionKey;
  /** With the state of the app and of the user, keys with their prefixes. */
  readonly state: JsonObject;
  readonly events: readonly Event[];
  readonly lastUpdateTime: number;
  readonly closedTime?: number | undefined;
}

/** One version of a file. A file of the user has the prefix `user:`, and any session. */
export interface SourceFile {
  readonly kind: "file";
  readonly session: SessionKey;
  readonly filename: string;
  readonly version: number;
  readonly artifact: Part;
  readonly customMetadata?: JsonObject | undefined;
}

/** A row of a table or a line of a file that could not be read, and why. */
export interface SourceProblem {
  readonly kind: "problem";
  readonly place: string;
  readonly reason: string;
}

export type SourceItem = SourceSession | SourceFile | SourceProblem;

/** The sessions of a database or of a file, one after the other. Files follow their sessions, and versions ascend. */
export interface SessionSource extends AsyncDisposable {
  items(): AsyncIterable<SourceItem>;
}

/** The bounds of a session import over HTTP, which hold for every source. */
export interface SourceLimits {
  /** Bytes of the JSON of one event, or of one state. */
  readonly maxRowBytes: number;
  /** Bytes of all events of a session, and of one file. */
  readonly maxSessionBytes: number;
  readonly maxEvents: number;
  /** Members and elements of one JSON text. */
  readonly maxElements: number;
}

/** The names of a session as one text of a report. */
export function placeOf({ tenantId, appName, userId, id }: SessionKey): string {
  return JSON.stringify(tenantId === undefined ? [appName, userId, id] : [tenantId, appName, userId, id]);
}
