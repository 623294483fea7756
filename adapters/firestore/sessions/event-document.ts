import { type EventRecord, fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { AUTHOR_KEY, ID_KEY, TIMESTAMP_KEY } from "#kit/sessions/document-keys.ts";
import { assertDocumentBytes } from "../database/document-size.ts";
import type { StoredDocument } from "../database/firestore-database.ts";
import type { DocumentFields } from "../database/firestore-values.ts";
import { eventSequence } from "./session-paths.ts";

/** Indexed, and set only on events that no run wrote: events of runs are recognised among those after a revision. */
export const OUTSIDE_ID_FIELD = "outsideId";

export function toEventFields(event: StoredEvent): DocumentFields {
  const { id, invocationId, author, timestamp, json, stateDelta, outside } = event;
  return {
    [ID_KEY]: id,
    [AUTHOR_KEY]: author,
    [TIMESTAMP_KEY]: timestamp,
    invocationId,
    json,
    hasDelta: stateDelta && true,
    ...(outside === true && { [OUTSIDE_ID_FIELD]: id }),
  };
}

export function toStoredEvent(
  { path, fields }: StoredDocument,
  open: (sequence: number, text: string) => string,
): StoredEvent {
  // Written by toEventFields.
  const document = fields as unknown as EventFields;
  const sequence = eventSequence(path);
  const event: StoredEvent = {
    id: document[ID_KEY],
    invocationId: document.invocationId,
    author: document[AUTHOR_KEY],
    timestamp: document[TIMESTAMP_KEY],
    json: open(sequence, document.json),
    sequence,
    outside: document[OUTSIDE_ID_FIELD] !== undefined ? true : undefined,
  };
  return document.hasDelta === true ? { ...event, stateDelta: fromEventRecord(event).actions.stateDelta } : event;
}

/** How many bytes of a commit the event needs, including the second copy of its delta. Throws `EVENT_TOO_LARGE`. */
export function eventBytes({ id, invocationId, author, json, stateDelta }: EventRecord): number {
  const jsonBytes = Buffer.byteLength(json);
  assertDocumentBytes("An event", jsonBytes + Buffer.byteLength(id) * 2 + Buffer.byteLength(invocationId + author));
  return stateDelta === undefined ? jsonBytes : jsonBytes * 2;
}

interface EventFields {
  readonly [ID_KEY]: string;
  readonly [AUTHOR_KEY]: string;
  readonly [TIMESTAMP_KEY]: number;
  readonly invocationId: string;
  readonly json: string;
  readonly hasDelta?: boolean;
  readonly [OUTSIDE_ID_FIELD]?: string;
}
