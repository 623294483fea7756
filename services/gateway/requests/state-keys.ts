import { PlatformError } from "#kit/errors/platform-error.ts";
import { APP_PREFIX, TEMP_PREFIX, USER_PREFIX } from "#kit/events/state-prefixes.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** With such keys a client could control the server itself, or reach an object's prototype. */
const RESERVED_PREFIX = "_adk";
const RESERVED_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const SCOPE_PREFIXES = [APP_PREFIX, USER_PREFIX, TEMP_PREFIX] as const;

/**
 * Refuses keys that clients may not set, in any scope. `__session_metadata__` is the developer UI's own and allowed.
 */
export function checkClientState(state: JsonObject | null | undefined): void {
  for (const key in state) {
    const scope = SCOPE_PREFIXES.find((prefix) => key.startsWith(prefix)) ?? "";
    const name = key.slice(scope.length);
    if (!name.startsWith(RESERVED_PREFIX) && !RESERVED_KEYS.has(name)) continue;
    const shown = key.slice(0, 100);
    throw new PlatformError("RESERVED_STATE_KEY", `The state key "${shown}" belongs to the server; use another name.`, {
      details: { key: shown },
    });
  }
}
