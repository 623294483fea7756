import type { JsonValue } from "#kit/platform/json.ts";
import type { Session } from "#kit/sessions/session.ts";
import type { Session__Output, Session as SessionMessage } from "#proto/fairlead/session/v1/Session.ts";
import {
  fromJsonBytes,
  fromSessionKey,
  fromTimestamp,
  required,
  toJsonBytes,
  toSessionKeyMessage,
  toTimestamp,
} from "./messages.ts";

/** Converts a session without its events to and from its message. */

export function toSessionMessage(session: Session): SessionMessage {
  const { state, lastUpdateTime, revision, closedTime } = session;
  return {
    key: toSessionKeyMessage(session),
    stateJson: toJsonBytes(state),
    lastUpdateTime: toTimestamp(lastUpdateTime),
    revision,
    closedTime: closedTime === undefined ? undefined : toTimestamp(closedTime),
  };
}

export function fromSessionMessage(message: Session__Output | null): Session {
  const { key, stateJson, lastUpdateTime, revision, closedTime } = required(message);
  return {
    ...fromSessionKey(key),
    state: fromJsonBytes<Record<string, JsonValue>>(stateJson, "The state"),
    events: [],
    lastUpdateTime: fromTimestamp(lastUpdateTime),
    revision,
    closedTime: closedTime ? fromTimestamp(closedTime) : undefined,
  };
}
