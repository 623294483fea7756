import { isDeepStrictEqual } from "node:util";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { APP_PREFIX, REMOVED_SENTINEL } from "#kit/events/state-prefixes.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { APP_STATE_SCOPE } from "#shared/security/principal.ts";
import type { GatewayDeps } from "../deps.ts";

/** Refuses `app:` keys, which every user of the app reads, unless the settings allow clients to write them. */
export function refuseAppState(config: GatewayDeps["config"], state: JsonObject | undefined): void {
  if (mayWriteAppState(config)) return;
  for (const key in state) if (key.startsWith(APP_PREFIX)) throw refusal(key, config);
}

/**
 * The part of the state that a client may give a session that comes with its events. An exported session has the `app:`
 * keys that its agents have written: they are the app's, and left out unless the settings allow clients to write them.
 */
export function importedState(
  config: GatewayDeps["config"],
  state: JsonObject,
  events: readonly { readonly actions?: unknown }[],
): JsonObject {
  if (!hasAppState(state) || mayWriteAppState(config)) return state;
  const written = new Set(events.flatMap(({ actions }) => Object.keys(changesOf(actions))));
  return Object.fromEntries(Object.entries(state).filter(([key]) => !key.startsWith(APP_PREFIX) || !written.has(key)));
}

/**
 * The part of the delta that a client may apply to the session. Clients that edit a session's state send all of it
 * back, so `app:` keys with their stored value are left out. An `app:` key that changes something is refused, unless
 * the settings allow it.
 */
export async function withoutAppState(
  { config, sessionService }: Pick<GatewayDeps, "config" | "sessionService">,
  session: SessionKey,
  delta: JsonObject,
): Promise<JsonObject> {
  if (!hasAppState(delta) || mayWriteAppState(config)) return delta;
  const stored = (await sessionService.getSession(session, { numRecentEvents: 0 }))?.state ?? {};
  const kept = Object.entries(delta).filter(([key, value]) => {
    if (!key.startsWith(APP_PREFIX)) return true;
    const given = value === REMOVED_SENTINEL ? null : value;
    if (!isDeepStrictEqual(given, Object.hasOwn(stored, key) ? stored[key] : null)) throw refusal(key, config);
    return false;
  });
  return Object.fromEntries(kept);
}

function changesOf(actions: unknown): JsonObject {
  const { stateDelta } = isJsonObject(actions) ? actions : {};
  return isJsonObject(stateDelta) ? stateDelta : {};
}

function hasAppState(delta: JsonObject): boolean {
  for (const key in delta) if (key.startsWith(APP_PREFIX)) return true;
  return false;
}

/** The settings allow it to clients, and the caller has the scope. Only a request with a caller has a principal. */
function mayWriteAppState({ ALLOW_CLIENT_APP_STATE }: GatewayDeps["config"]): boolean {
  return ALLOW_CLIENT_APP_STATE && (currentCallScope()?.principal?.scopes.includes(APP_STATE_SCOPE) ?? true);
}

function refusal(key: string, { ALLOW_CLIENT_APP_STATE }: GatewayDeps["config"]): PlatformError {
  const shown = key.slice(0, 100);
  if (ALLOW_CLIENT_APP_STATE)
    return new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${APP_STATE_SCOPE} to write "${shown}".`, {
      details: { scope: APP_STATE_SCOPE, key: shown },
    });
  return new PlatformError(
    "APP_STATE_READ_ONLY",
    `Clients of this server may not write the state key "${shown}": every user of the app reads it. Agents may. ALLOW_CLIENT_APP_STATE=true allows clients too.`,
    { details: { key: shown, setting: "ALLOW_CLIENT_APP_STATE" } },
  );
}
