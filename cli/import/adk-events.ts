import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { readEvent } from "#kit/events/event-json.ts";
import { toMilliseconds } from "#kit/events/timestamp.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { camelCase, inCamelCase } from "#kit/schema/spelling.ts";
import { checkJsonStructure, MAX_JSON_DEPTH } from "#ports/sessions/json-structure.ts";
import { PickleError, readPickle } from "./pickle.ts";
import type { SourceLimits } from "./session-source.ts";

/** A row of the newer schema: the event is one JSON. */
export interface EventRow {
  readonly id: string;
  readonly invocation_id: string;
  readonly time: number | string;
  /** Null if it is too long to be read. */
  readonly event_data: string | null;
  readonly bytes: number;
}

/** A row of the first schema, whose actions are a pickle. */
export interface PickledEventRow extends Omit<EventRow, "event_data"> {
  readonly actions: Uint8Array | null;
  readonly [column: string]: unknown;
}

/** The columns of the first schema that contain JSON, and those whose values are members of the event. */
export const JSON_COLUMNS = [
  ...(["content", "grounding_metadata", "custom_metadata", "usage_metadata", "citation_metadata"] as const),
  ...(["input_transcription", "output_transcription"] as const),
] as const;
export const PLAIN_COLUMNS = ["author", "branch", "error_code", "error_message"] as const;
export const FLAG_COLUMNS = ["partial", "turn_complete", "interrupted"] as const;

/** The event of a row. Throws a `PlatformError` with what is wrong with it. */
export function eventOfRow(row: EventRow, limits: SourceLimits): Event {
  assertSize(row.bytes, limits);
  const data = parseObject(row.event_data ?? "{}", limits);
  // The columns decide, as they do for ADK itself. Its time is exact in the JSON.
  const { invocation_id: _, invocationId: __, timestamp = row.time, ...rest } = data;
  return read({ ...rest, id: row.id, invocationId: row.invocation_id, timestamp: timeOf(timestamp) });
}

/** The same for a row of the first schema. */
export function eventOfPickledRow(row: PickledEventRow, limits: SourceLimits): Event {
  assertSize(row.bytes, limits);
  const members: Record<string, unknown> = {
    ...{ id: row.id, invocationId: row.invocation_id, timestamp: timeOf(row.time) },
    actions: row.actions === null ? {} : actionsOf(row.actions, limits),
  };
  for (const column of PLAIN_COLUMNS) if (typeof row[column] === "string") members[column] = row[column];
  for (const column of FLAG_COLUMNS)
    if (row[column] !== null && row[column] !== undefined) members[column] = Boolean(row[column]);
  for (const column of JSON_COLUMNS) {
    const text = row[column];
    if (typeof text !== "string") continue;
    const value = parseJson(text, limits);
    if (value !== null) members[column] = value;
  }
  const ids = row["long_running_tool_ids_json"];
  if (typeof ids === "string" && ids !== "") members["long_running_tool_ids"] = parseJson(ids, limits);
  return read(members);
}

/** Milliseconds of a column: seconds as a number, or a text in UTC with microseconds. */
export function timeOf(value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return toMilliseconds(value);
  if (typeof value === "string") {
    const [, whole, fraction = "0"] =
      /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00(?::?00)?)?$/.exec(value) ?? [];
    const seconds = whole === undefined ? undefined : fromIsoTime(`${whole.replace(" ", "T")}Z`);
    if (seconds !== undefined) return seconds + Math.round(Number(`0.${fraction}`) * 1000);
  }
  throw invalid("Its time cannot be read.");
}

export function parseObject(text: string, limits: Pick<SourceLimits, "maxElements">): JsonObject {
  const value = parseJson(text, limits);
  if (!isJsonObject(value)) throw invalid("Its JSON is not an object.");
  return value;
}

/** Throws for a text that is too complex before it is parsed. */
export function parseJson(text: string, { maxElements }: Pick<SourceLimits, "maxElements">): unknown {
  checkJsonStructure(Buffer.from(text), "Its JSON", { maxElements, maxDepth: MAX_JSON_DEPTH });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PlatformError("MALFORMED_JSON", "Its JSON is not valid.", { cause });
  }
}

export function assertSize(bytes: number, { maxRowBytes }: Pick<SourceLimits, "maxRowBytes">): void {
  if (bytes > maxRowBytes)
    throw new PlatformError("BODY_TOO_LARGE", `It has ${bytes} bytes, over the ${maxRowBytes} of MAX_BODY_BYTES.`);
}

function actionsOf(pickle: Uint8Array, { maxElements }: SourceLimits): unknown {
  try {
    return readPickle(pickle, { maxElements, maxDepth: MAX_JSON_DEPTH });
  } catch (error) {
    if (error instanceof PickleError) throw invalid(`Its pickled actions cannot be read. ${error.message}`);
    throw error;
  }
}

/** Members without a table of their own, all of whose names ADK spells with underscores. */
const FOREIGN: ReadonlySet<string> = new Set([
  ...[
    "usageMetadata",
    "groundingMetadata",
    "citationMetadata",
    "logprobsResult",
    "nodeInfo",
    "goAway",
    "voiceActivity",
  ],
  ...["liveSessionResumptionUpdate"],
]);

/** The members in the spelling of events, which ADK's HTTP interface has too. */
function read(members: Readonly<Record<string, unknown>>): Event {
  const spelled: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    const own = camelCase(name);
    // Parsed from JSON.
    spelled[own] = FOREIGN.has(own) ? inCamelCase(value as JsonValue) : value;
  }
  return readEvent(spelled);
}

function invalid(message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message);
}
