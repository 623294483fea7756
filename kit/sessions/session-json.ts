import { type JsonRecord, parseJson, readRecord } from "#kit/schema/read-json.ts";
import { readEvent } from "../events/event-json.ts";
import { toMilliseconds } from "../events/timestamp.ts";
import { assertSessionKey } from "../platform/identifiers.ts";
import type { JsonValue } from "../platform/json.ts";
import { type Session, type SessionKey, sessionKey } from "./session.ts";

const KEY: JsonRecord = {
  members: { appName: "string", userId: "string", id: "string" },
  required: ["appName", "userId", "id"],
};

const SESSION: JsonRecord = {
  members: {
    ...KEY.members,
    state: "object",
    events: { listOf: "any" },
    lastUpdateTime: "number",
    revision: "number",
    closedTime: "number",
  },
  required: KEY.required ?? [],
};

/**
 * A session from its JSON text, in the form that the server returns. Times may be in seconds or milliseconds; without a
 * revision the number of events is used. Throws `MALFORMED_JSON`, `INVALID_FIELD` and `INVALID_IDENTIFIER`, naming the
 * field.
 */
export function sessionFromJson(json: string): Session {
  // The table has checked every member that is read below; events are checked one by one.
  const session = readRecord(parseJson(json, "The session"), SESSION) as unknown as SessionKey & SessionMembers;
  assertSessionKey(session);
  const events = (session.events ?? []).map((event, index) => readEvent(event, `events.${index}`));
  return {
    ...sessionKey(session),
    state: session.state ?? {},
    events,
    lastUpdateTime: toMilliseconds(session.lastUpdateTime ?? 0),
    revision: session.revision ?? events.length,
    ...(session.closedTime !== undefined && { closedTime: toMilliseconds(session.closedTime) }),
  };
}

/** A session's key from its JSON text; other members are ignored. Throws as `sessionFromJson` does. */
export function sessionKeyFromJson(json: string): SessionKey {
  // The table has checked the three members.
  const key = readRecord(parseJson(json, "The session key"), KEY) as unknown as SessionKey;
  assertSessionKey(key);
  return sessionKey(key);
}

interface SessionMembers {
  readonly state?: Record<string, JsonValue>;
  readonly events?: readonly JsonValue[];
  readonly lastUpdateTime?: number;
  readonly revision?: number;
  readonly closedTime?: number;
}
