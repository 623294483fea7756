import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { readEvent } from "#kit/events/event-json.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { toSeconds } from "#kit/events/timestamp.ts";
import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** Nanoseconds in a millisecond, and in the shortest time between two events of one session. */
const MILLISECOND = 1_000_000n;
const STEP = 1000n;

/**
 * The members that the service knows of a part (`google.cloud.aiplatform.v1beta1.Part`). It refuses others, which are kept in
 * the raw event alone.
 */
const PART_MEMBERS: Readonly<Record<string, readonly string[] | undefined>> = {
  text: undefined,
  thought: undefined,
  thoughtSignature: undefined,
  inlineData: ["mimeType", "data"],
  fileData: ["mimeType", "fileUri"],
  functionCall: ["id", "name", "args"],
  functionResponse: ["id", "name", "response"],
  executableCode: ["language", "code"],
  codeExecutionResult: ["outcome", "output"],
  videoMetadata: ["startOffset", "endOffset", "fps"],
};

/** Where older clients kept what the event's message has no member for. */
const OLD_COMPACTION = "_compaction";
const OLD_USAGE = "_usage_metadata";

/**
 * The body of `sessions:appendEvent`. `rawEvent` is the whole event, and read again; the other members are for
 * clients that do not read it. The service orders events by `timestamp`, so this is the event's time, or `after` and a
 * microsecond if that is later.
 */
export function toSessionEvent(event: Event, after: bigint): JsonObject {
  const { json, stateDelta } = toEventRecord(event);
  // Written by toEventRecord.
  const raw = JSON.parse(json) as Record<string, JsonValue>;
  const { actions, content } = event;
  const { artifactDelta, escalate, skipSummarization, transferToAgent, requestedAuthConfigs } = actions;
  const { branch, turnComplete, interrupted, longRunningToolIds, groundingMetadata, customMetadata } = event;
  const { inputTranscription, outputTranscription } = event;
  return defined({
    author: event.author,
    invocationId: event.invocationId === "" ? event.id : event.invocationId,
    timestamp: toTimestamp(orderOf(event, after)),
    content: content === undefined ? undefined : knownContent(content),
    errorCode: event.errorCode,
    errorMessage: event.errorMessage,
    actions: defined({
      stateDelta,
      artifactDelta,
      requestedAuthConfigs,
      escalate,
      skipSummarization,
      transferAgent: transferToAgent,
    }),
    eventMetadata: defined({
      ...{ branch, turnComplete, interrupted, longRunningToolIds, groundingMetadata },
      customMetadata: isJsonObject(customMetadata) ? customMetadata : undefined,
      ...{ inputTranscription, outputTranscription },
    }),
    // Other clients read the time in seconds.
    rawEvent: { ...raw, timestamp: toSeconds(event.timestamp) },
  });
}

/** The place of a new event in the order of its session, in nanoseconds since the epoch. */
export function orderOf(event: Event, after: bigint): bigint {
  const own = BigInt(event.timestamp) * MILLISECOND;
  return own > after ? own : after + STEP;
}

/** An event as the service returns it. Throws `INVALID_FIELD` for one that is none. */
export function fromSessionEvent(stored: JsonObject): Event {
  const { rawEvent } = stored;
  // A reader may change what it is given.
  if (isJsonObject(rawEvent)) return readEvent(structuredClone(rawEvent), "rawEvent");
  const { name, author, invocationId, content, errorCode, errorMessage } = stored;
  const actions = isJsonObject(stored["actions"]) ? stored["actions"] : {};
  const metadata = isJsonObject(stored["eventMetadata"]) ? stored["eventMetadata"] : {};
  const { customMetadata, usageMetadata, ...rest } = metadata;
  const {
    [OLD_COMPACTION]: compaction,
    [OLD_USAGE]: usage,
    ...custom
  } = isJsonObject(customMetadata) ? customMetadata : {};
  const { transferAgent, ...otherActions } = actions;
  const event = defined({
    id: typeof name === "string" ? name.slice(name.lastIndexOf("/") + 1) : undefined,
    ...{ author, invocationId, content, errorCode, errorMessage, ...rest },
    timestamp: Number(toNanoseconds(stored["timestamp"]) / MILLISECOND),
    actions: defined({ transferToAgent: transferAgent, ...otherActions, compaction }),
    usageMetadata: usageMetadata ?? usage,
    customMetadata: Object.keys(custom).length > 0 ? custom : undefined,
  });
  return readEvent(structuredClone(event), "sessionEvent");
}

/** The nanoseconds since the epoch of a time as the service writes it; 0 for anything else. */
export function toNanoseconds(value: JsonValue | undefined): bigint {
  const time =
    typeof value === "string"
      ? /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(value)
      : null;
  if (time === null) return 0n;
  const [, seconds = "", fraction = "", zone = ""] = time;
  const milliseconds = fromIsoTime(seconds + zone);
  return milliseconds === undefined ? 0n : BigInt(milliseconds) * MILLISECOND + BigInt(fraction.padEnd(9, "0"));
}

export function toTimestamp(nanoseconds: bigint): string {
  const seconds = nanoseconds / 1_000_000_000n;
  const fraction = String(nanoseconds % 1_000_000_000n).padStart(9, "0");
  return `${toIsoTime(Number(seconds) * 1000).slice(0, 19)}.${fraction}Z`;
}

/** The content without members that the service does not know. */
export function knownContent({ role, parts }: Content): JsonObject {
  // Content is plain data.
  const known = ((parts ?? []) as unknown as readonly JsonObject[]).map(knownPart);
  return defined({ role, parts: known.filter((part) => Object.keys(part).length > 0) });
}

function knownPart(part: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(part).flatMap(([name, value]) => {
      if (!(name in PART_MEMBERS)) return [];
      const members = PART_MEMBERS[name];
      if (members === undefined || !isJsonObject(value)) return [[name, value]];
      return [[name, Object.fromEntries(Object.entries(value).filter(([member]) => members.includes(member)))]];
    }),
  );
}

/** The members that are there. */
export function defined(members: Readonly<Record<string, unknown>>): JsonObject {
  // The caller passes JSON.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  ) as JsonObject;
}
