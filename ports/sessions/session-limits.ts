import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { integer, record } from "#kit/schema/check-options.ts";
import { type ScopedDelta, splitDelta } from "#kit/sessions/state-delta.ts";
import { checkJsonStructure, MAX_JSON_DEPTH } from "./json-structure.ts";
import { StateScope, type StateSize } from "./state-scope.ts";

/** The limits of a session's content, the same in all stores and at the gateway. */
export interface SessionLimits {
  /** Bytes of JSON of each scope of the state. */
  readonly maxStateBytes: number;
  /** Keys of each scope. */
  readonly maxStateKeys: number;
  /** Events that a new session may contain. */
  readonly maxImportedEvents: number;
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  maxStateBytes: 256 * 1024,
  maxStateKeys: 1000,
  maxImportedEvents: 1000,
};

/** Given limits, all optional. */
export type GivenSessionLimits = { readonly [Limit in keyof SessionLimits]?: SessionLimits[Limit] | undefined };

export const SESSION_LIMITS_RULE = record<SessionLimits>({
  maxStateBytes: integer(1024, " bytes"),
  maxStateKeys: integer(1),
  maxImportedEvents: integer(0),
});

/** The given limits, and the default for each that is absent. */
export function completeSessionLimits(limits: GivenSessionLimits = {}): SessionLimits {
  return {
    maxStateBytes: limits.maxStateBytes ?? DEFAULT_SESSION_LIMITS.maxStateBytes,
    maxStateKeys: limits.maxStateKeys ?? DEFAULT_SESSION_LIMITS.maxStateKeys,
    maxImportedEvents: limits.maxImportedEvents ?? DEFAULT_SESSION_LIMITS.maxImportedEvents,
  };
}

const SCOPES = ["session", "user", "app"] as const;
export type ScopeName = (typeof SCOPES)[number];

/** Throws `TOO_MANY_EVENTS`. */
export function assertImportedEvents(count: number, { maxImportedEvents }: SessionLimits): void {
  if (count <= maxImportedEvents) return;
  throw new PlatformError(
    "TOO_MANY_EVENTS",
    `A new session may have at most ${maxImportedEvents} events (MAX_IMPORTED_EVENTS); these are ${count}.`,
    { details: { maxImportedEvents: String(maxImportedEvents) } },
  );
}

/** Checks only the size of the delta, without the stored state. Throws `STATE_TOO_LARGE` and `JSON_TOO_COMPLEX`. */
export function assertStateDelta(delta: JsonObject, limits: SessionLimits): void {
  const scoped = splitDelta(delta);
  for (const name of SCOPES) assertScope(name, measure(scoped[name]), limits);
}

/**
 * Checks that each scope is within the limits once the delta is applied. A change that makes a scope smaller is always
 * allowed, so that a scope from before a lower limit can be cleaned up. `scopeOf` is called only for scopes that
 * change. Throws as `assertStateDelta` does.
 */
export function assertStateAfter(
  scoped: ScopedDelta,
  limits: SessionLimits,
  scopeOf: (name: ScopeName) => StateScope | undefined,
): void {
  for (const name of SCOPES) {
    const delta = scoped[name];
    if (isEmpty(delta)) continue;
    const added = measure(delta);
    const scope = scopeOf(name);
    if (scope === undefined) {
      assertScope(name, added, limits);
      continue;
    }
    if (fits(scope.sizeAtMost, added, limits)) continue;
    // Measuring is needed only here: the upper bound is over the limit.
    const before = scope.measure();
    const after = new StateScope(scope.json);
    after.apply(delta);
    const size = after.measure();
    if (size.bytes > before.bytes || size.keys > before.keys) assertScope(name, size, limits);
  }
}

function fits(one: StateSize, other: StateSize, { maxStateBytes, maxStateKeys }: SessionLimits): boolean {
  return one.bytes + other.bytes <= maxStateBytes && one.keys + other.keys <= maxStateKeys;
}

function measure(values: JsonObject): StateSize {
  if (isEmpty(values)) return { bytes: 2, keys: 0 };
  const json = Buffer.from(JSON.stringify(values));
  // Members were counted when the body was read; data that is nested too deep breaks recursive code.
  checkJsonStructure(json, "The state", { maxElements: Number.POSITIVE_INFINITY, maxDepth: MAX_JSON_DEPTH });
  return { bytes: json.length, keys: Object.keys(values).length };
}

function assertScope(
  name: ScopeName,
  { bytes, keys }: StateSize,
  { maxStateBytes, maxStateKeys }: SessionLimits,
): void {
  if (bytes <= maxStateBytes && keys <= maxStateKeys) return;
  const excess =
    bytes > maxStateBytes
      ? `${bytes} bytes, more than the ${maxStateBytes} of MAX_STATE_BYTES`
      : `${keys} keys, more than the ${maxStateKeys} of MAX_STATE_KEYS`;
  throw new PlatformError(
    "STATE_TOO_LARGE",
    `The ${name} state would have ${excess}. Keep large data in artifacts, and set keys that are not needed to null.`,
    { details: { scope: name, maxBytes: String(maxStateBytes), maxKeys: String(maxStateKeys) } },
  );
}

function isEmpty(values: object): boolean {
  for (const _ in values) return false;
  return true;
}
