import { APP_PREFIX, REMOVED_SENTINEL, TEMP_PREFIX, USER_PREFIX } from "#kit/events/state-prefixes.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";

/** A delta split by where its keys live, prefixes of `app:` and `user:` removed. `temp:` keys are dropped. */
export interface ScopedDelta {
  readonly app: Record<string, JsonValue>;
  readonly user: Record<string, JsonValue>;
  readonly session: Record<string, JsonValue>;
}

/** Prefixes do not compose: `app:temp:x` is the app key `temp:x`. */
export function splitDelta(delta: JsonObject): ScopedDelta {
  const scoped: ScopedDelta = { app: {}, user: {}, session: {} };
  for (const [key, value] of Object.entries(delta)) {
    const clean = value === REMOVED_SENTINEL ? null : value;
    if (key.startsWith(APP_PREFIX)) setOwn(scoped.app, key.slice(APP_PREFIX.length), clean);
    else if (key.startsWith(USER_PREFIX)) setOwn(scoped.user, key.slice(USER_PREFIX.length), clean);
    else if (!key.startsWith(TEMP_PREFIX)) setOwn(scoped.session, key, clean);
  }
  return scoped;
}

/** Sets the delta's keys on the target; null removes. */
export function applyDelta(target: Record<string, JsonValue>, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    if (value === null || value === REMOVED_SENTINEL) delete target[key];
    else setOwn(target, key, value);
  }
}

/** The three scopes as one map, with the prefixes added again. */
export function mergeScopes(app: JsonObject, user: JsonObject, session: JsonObject): Record<string, JsonValue> {
  const merged = { ...session };
  for (const [key, value] of Object.entries(app)) merged[APP_PREFIX + key] = value;
  for (const [key, value] of Object.entries(user)) merged[USER_PREFIX + key] = value;
  return merged;
}

/** Sets a key as plain data for any name: assigning to `__proto__` would change the object's prototype instead. */
export function setOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
