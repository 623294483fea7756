import { parseJson, readJson } from "#kit/schema/read-json.ts";
import { Type } from "#kit/schema/shape.ts";
import { readEvent } from "../events/event-json.ts";
import { toMilliseconds } from "../events/timestamp.ts";
import { assertSessionKey } from "../names/identifiers.ts";
import { type Session, type SessionKey, sessionKey } from "./session.ts";

const KEY = Type.Table<SessionKey>({
  tenantId: Type.Optional(Type.String()),
  appName: Type.String(),
  userId: Type.String(),
  id: Type.String(),
});

const SESSION = Type.Object({
  ...KEY.properties,
  state: Type.Optional(Type.JsonObject()),
  events: Type.Optional(Type.Array(Type.Json())),
  lastUpdateTime: Type.Optional(Type.Number()),
  revision: Type.Optional(Type.Number()),
  closedTime: Type.Optional(Type.Number()),
});

/**
 * A session from its JSON text, in the form that the server returns. Times may be in seconds or milliseconds; without a
 * revision the number of events is used. Throws `MALFORMED_JSON`, `INVALID_FIELD` and `INVALID_IDENTIFIER`, naming the
 * field.
 */
export function sessionFromJson(json: string): Session {
  const session = readJson(SESSION, parseJson(json, "The session"));
  assertSessionKey(session);
  const events = (session.events ?? []).map((event, index) => readEvent(event, `events[${index}]`));
  return {
    ...sessionKey(session),
    state: session.state ?? {},
    events,
    lastUpdateTime: toMilliseconds(session.lastUpdateTime ?? 0),
    revision: session.revision ?? events.length,
    closedTime: session.closedTime === undefined ? undefined : toMilliseconds(session.closedTime),
  };
}

/** A session's key from its JSON text; other members are ignored. Throws as `sessionFromJson` does. */
export function sessionKeyFromJson(json: string): SessionKey {
  const key = readJson(KEY, parseJson(json, "The session key"));
  assertSessionKey(key);
  return sessionKey(key);
}
