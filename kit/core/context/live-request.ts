import { toStandardBase64 } from "#kit/events/base64.ts";
import type { Blob, Content } from "#kit/events/content.ts";
import { BLOB, CONTENT } from "#kit/events/content-table.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { invalidField, parseJson, readJson } from "#kit/schema/read-json.ts";
import { Type } from "#kit/schema/shape.ts";

/**
 * One message of a client on a live connection. Of several members, the model gets the first of `activityStart`,
 * `activityEnd`, `audioStreamEnd`, `blob` and `content`; `stateDelta` and `close` are applied in any case.
 */
export interface LiveRequest {
  /** A turn of the user, or answers to calls. */
  readonly content?: Content;
  /** A chunk of media, such as audio. */
  readonly blob?: Blob;
  /** The user begins to speak; for models whose own detection is off. */
  readonly activityStart?: boolean;
  /** The user has stopped to speak. */
  readonly activityEnd?: boolean;
  /** The microphone is muted: the model answers what it has. */
  readonly audioStreamEnd?: boolean;
  /** `content` is a part of a turn: the model waits for more. */
  readonly partial?: boolean;
  /** Changes of the session's state, stored at once. */
  readonly stateDelta?: JsonObject;
  /** Whether the connection should be closed. */
  readonly close?: boolean;
}

/** ADK's clients send an empty object for a signal that has no data. */
const SIGNAL = Type.Custom<boolean>({ type: "boolean" }, (value) => {
  if (typeof value === "boolean") return value;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0 ? true : undefined;
});

const LIVE_REQUEST = Type.Table<LiveRequest>({
  content: Type.Optional(CONTENT),
  blob: Type.Optional(BLOB),
  activityStart: Type.Optional(SIGNAL),
  activityEnd: Type.Optional(SIGNAL),
  audioStreamEnd: Type.Optional(SIGNAL),
  partial: Type.Optional(Type.Boolean()),
  stateDelta: Type.Optional(Type.JsonObject()),
  close: Type.Optional(Type.Boolean()),
});

const MEMBERS = "content, blob, activityStart, activityEnd, audioStreamEnd, stateDelta, close";

/**
 * Reads a live request from its JSON text, with member names in camelCase or snake_case; base64 of any alphabet becomes
 * the standard one. Throws `MALFORMED_JSON` and `INVALID_FIELD`, which names the member.
 */
export function liveRequestFromJson(json: string): LiveRequest {
  const request = readJson(LIVE_REQUEST, parseJson(json, "The live request"));
  const { content, blob, activityStart, activityEnd, audioStreamEnd, partial, stateDelta, close } = request;
  const signals = { activityStart, activityEnd, audioStreamEnd };
  if ([content, blob, ...Object.values(signals), stateDelta, close].every((member) => member === undefined))
    throw invalidField("The live request", `has none of ${MEMBERS}`);
  return { content, blob: blob && readBlob(blob), ...signals, partial, stateDelta, close };
}

function readBlob(blob: Blob): Blob {
  if (blob.data === undefined) throw invalidField("blob.data", "is missing");
  const data = toStandardBase64(blob.data);
  if (data === undefined) throw invalidField("blob.data", "must be base64 without spaces or line breaks");
  return { ...blob, data };
}
