import { invalidField, type JsonRecord, parseJson, readRecord } from "#kit/schema/read-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../platform/json.ts";
import { CONTENT_SHAPE, TRANSCRIPTION_SHAPE } from "./content-json.ts";
import { createEvent, type Event } from "./event.ts";
import { createEventActions, type EventActions } from "./event-actions.ts";
import { toMilliseconds } from "./timestamp.ts";
import { fromWireEvent, type WireEvent } from "./wire-event.ts";

const COMPACTION: JsonRecord = {
  members: {
    compactedContent: CONTENT_SHAPE,
    startTimestamp: "number",
    endTimestamp: "number",
    startSequence: "number",
    endSequence: "number",
    keptSequences: { listOf: "number" },
  },
  required: ["compactedContent", "startTimestamp", "endTimestamp"],
};

const ACTIONS: JsonRecord = {
  members: {
    stateDelta: "object",
    artifactDelta: "object",
    requestedAuthConfigs: "object",
    requestedToolConfirmations: "object",
    transferToAgent: "string",
    escalate: "boolean",
    skipSummarization: "boolean",
    endOfAgent: "boolean",
    endInvocation: "boolean",
    deletedArtifactIds: { listOf: "string" },
    compaction: COMPACTION,
    agentState: "object",
    rewindBeforeInvocationId: "string",
    setModelResponse: "any",
  },
};

const CACHE_METADATA: JsonRecord = {
  members: {
    cacheName: "string",
    cache_name: "string",
    fingerprint: "string",
    contentsCount: "number",
    contents_count: "number",
    invocationsUsed: "number",
    invocations_used: "number",
    expire_time: "number",
    created_at: "number",
  },
  required: ["fingerprint"],
};

const EVENT: JsonRecord = {
  members: {
    id: "string",
    invocationId: "string",
    author: "string",
    timestamp: "number",
    content: CONTENT_SHAPE,
    actions: ACTIONS,
    partial: "boolean",
    turnComplete: "boolean",
    interrupted: "boolean",
    longRunningToolIds: { listOf: "string" },
    branch: "string",
    errorCode: "string",
    errorMessage: "string",
    finishReason: "string",
    usageMetadata: "object",
    groundingMetadata: "object",
    citationMetadata: "object",
    avgLogprobs: "number",
    customMetadata: "any",
    modelVersion: "string",
    inputTranscription: TRANSCRIPTION_SHAPE,
    outputTranscription: TRANSCRIPTION_SHAPE,
    nodeInfo: "object",
    cacheMetadata: CACHE_METADATA,
    deletedArtifactIds: { listOf: "string" },
    compactedSequences: { members: { start: "number", end: "number", kept: { listOf: "number" } } },
    resumption: { members: { agentState: "object", endOfAgent: "boolean" } },
  },
  required: ["id", "invocationId", "author", "timestamp"],
};

const CONFIRMATION: JsonRecord = {
  members: { hint: "string", confirmed: "boolean", payload: "any" },
  required: ["confirmed"],
};

/**
 * An event from its JSON text, member names in camelCase. The time may count seconds or milliseconds; null members count as
 * absent; unknown members are kept. Throws `MALFORMED_JSON` and `INVALID_FIELD`, which names the place.
 */
export function eventFromJson(json: string): Event {
  return readEvent(parseJson(json, "The event"));
}

/** The same from a parsed value that stands at the path. */
export function readEvent(value: JsonValue, path = ""): Event {
  const record = readRecord(value, EVENT, path);
  for (const name of ["id", "author"])
    if (record[name] === "") throw invalidField(path === "" ? name : `${path}.${name}`, "is empty");
  const cache = record["cacheMetadata"];
  if (isJsonObject(cache) && cache["contentsCount"] === undefined && cache["contents_count"] === undefined)
    throw invalidField(`${path === "" ? "" : `${path}.`}cacheMetadata.contents_count`, "is missing");
  const event = {
    ...record,
    timestamp: toMilliseconds(Number(record["timestamp"])),
    actions: readActions(record["actions"], path === "" ? "actions" : `${path}.actions`),
  };
  // Each member that the interfaces have was checked against the table.
  return createEvent(fromWireEvent(event as unknown as WireEvent));
}

function readActions(value: JsonValue = {}, path: string): EventActions {
  // The event's table has checked it: an object whose members have their types.
  const { endInvocation, endOfAgent, deletedArtifactIds, compaction, ...rest } = value as JsonObject;
  const ended = endOfAgent ?? endInvocation;
  const actions = {
    ...rest,
    ...(ended !== undefined && { endOfAgent: ended }),
    ...(Array.isArray(deletedArtifactIds) && { deletedArtifactIds: [...new Set(deletedArtifactIds)] }),
    ...(compaction !== undefined && { compaction: inMilliseconds(compaction) }),
  } as unknown as Partial<EventActions>;
  const { artifactDelta = {}, requestedToolConfirmations = {} } = actions;
  for (const [name, version] of Object.entries(artifactDelta)) {
    if (!Number.isSafeInteger(version) || version < 0)
      throw invalidField(`${path}.artifactDelta.${name}`, "must be a version from 0");
  }
  for (const [callId, confirmation] of Object.entries(requestedToolConfirmations))
    readRecord(confirmation as unknown as JsonValue, CONFIRMATION, `${path}.requestedToolConfirmations.${callId}`);
  return createEventActions(actions);
}

function inMilliseconds(compaction: JsonValue): JsonObject {
  // The table has checked both times.
  const { startTimestamp, endTimestamp, ...rest } = compaction as JsonObject & EventTimes;
  return { ...rest, startTimestamp: toMilliseconds(startTimestamp), endTimestamp: toMilliseconds(endTimestamp) };
}

interface EventTimes {
  readonly startTimestamp: number;
  readonly endTimestamp: number;
}
