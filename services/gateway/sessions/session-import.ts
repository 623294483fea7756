import { PlatformError } from "#kit/errors/platform-error.ts";
import { createEvent, type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { REMOVED_SENTINEL, TEMP_PREFIX } from "#kit/events/state-prefixes.ts";
import { toMilliseconds } from "#kit/events/timestamp.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/** The members of an event that a client may send. Unknown members are refused or left out as a whole. */
export interface ImportedEvent extends Partial<Omit<Event, "actions" | "cacheMetadata" | "resumption">> {
  readonly author: string;
  readonly actions?: unknown;
  readonly cacheMetadata?: unknown;
  readonly deletedArtifactIds?: unknown;
  readonly compactedSequences?: unknown;
  readonly resumption?: unknown;
}

interface ImportOptions {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The state that the session begins with. */
  readonly state: JsonObject;
}

/**
 * The history of a new session. The store marks its events, so that calls among them are never executed. Members that
 * act, wait, or answer for the server are refused all the same, because a client that sends them expects an effect.
 * What led to the given state, as in an exported session, needs none and is left out.
 */
export function toInitialEvents(given: readonly ImportedEvent[], options: ImportOptions): readonly Event[] {
  const ids = new Set<string>();
  const removed = removedKeys(given);
  return given.map((raw, index) => {
    const event = toEvent(raw, options);
    const refused = refusedPart(raw, event) ?? refusedAction(raw.actions, { ...options, removed });
    if (refused !== undefined) throw refusal(index, `cannot include ${refused}`);
    if (ids.has(event.id)) throw refusal(index, "has the id of an earlier one");
    ids.add(event.id);
    return event;
  });
}

function toEvent(raw: ImportedEvent, { clock, ids }: ImportOptions): Event {
  // What acts is refused unless it is empty; a model's cache belongs to the server that made it.
  const { actions: _, cacheMetadata: __, resumption, deletedArtifactIds, compactedSequences, ...spoken } = raw;
  const { id, invocationId, timestamp } = raw;
  return createEvent({
    ...withoutNulls(spoken),
    id: id || ids.next(),
    invocationId: invocationId || `e-${ids.next()}`,
    timestamp: timestamp === undefined ? clock.now() : toMilliseconds(timestamp),
    actions: createEventActions(),
  });
}

/** Null members that the shape does not name also count as absent. */
function withoutNulls<Members extends object>(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Members;
}

function refusedPart(raw: ImportedEvent, event: Event): string | undefined {
  if ((raw.longRunningToolIds?.length ?? 0) > 0) return "longRunningToolIds";
  if (event.partial === true) return "partial";
  for (const name of ACTING_MEMBERS) if (isSet(raw[name])) return name;
  const calls = [...functionCalls(event), ...functionResponses(event)];
  const reserved = calls.find(({ name }) => name?.startsWith(RESERVED_CALL_PREFIX));
  return reserved?.name;
}

function refusedAction(
  actions: unknown,
  { state, removed }: Pick<ImportOptions, "state"> & { readonly removed: ReadonlySet<string> },
): string | undefined {
  for (const [name, value] of membersOf(actions)) {
    if (!isSet(value) || RECORDED_ACTIONS.has(name)) continue;
    if (name !== "stateDelta") return "actions";
    const isLeftOut = ([key]: readonly [string, unknown]): boolean =>
      Object.hasOwn(state, key) || removed.has(key) || key.startsWith(TEMP_PREFIX);
    if (!membersOf(value).every(isLeftOut)) return "actions";
  }
  return undefined;
}

/** The keys that the events' last changes remove. */
function removedKeys(given: readonly ImportedEvent[]): ReadonlySet<string> {
  const removed = new Set<string>();
  for (const { actions } of given) {
    const { stateDelta } = isJsonObject(actions) ? actions : {};
    for (const [key, value] of membersOf(stateDelta))
      if (value === null || value === REMOVED_SENTINEL) removed.add(key);
      else removed.delete(key);
  }
  return removed;
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** Members beside `actions` by which an event acts. */
const ACTING_MEMBERS = ["resumption", "deletedArtifactIds", "compactedSequences"] as const;

/** Which files a session has saved, and how its agents came to their ends. */
const RECORDED_ACTIONS: ReadonlySet<string> = new Set([
  ...["artifactDelta", "transferToAgent", "escalate", "skipSummarization", "endOfAgent"],
]);

const RESERVED_CALL_PREFIX = "adk_request_";

function isSet(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false;
}

function refusal(index: number, problem: string): PlatformError {
  return new PlatformError("INVALID_MESSAGE", `Session initialization event ${index} ${problem}.`);
}
