import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { APP_PREFIX, USER_PREFIX } from "#kit/events/state-prefixes.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { StateScope } from "./state-scope.ts";

/** A session of another store. Its events are history: runs resume and execute nothing in it. */
export interface ImportSessionRequest {
  readonly key: SessionKey;
  /**
   * The state that the events have led to, keys with their prefixes: the deltas of events are kept and not applied. Values
   * that the app or the user has already in this store stay as they are.
   */
  readonly state: JsonObject;
  /** In their order, complete ones alone. */
  readonly events: readonly Event[];
  readonly lastUpdateTime: number;
  readonly closedTime?: number | undefined;
}

/** A store that sessions can be moved into. */
export interface SessionImports {
  /** Creates the session in one commit; false if its id is in use, and then nothing is changed. Throws as `createSession`. */
  importSession(request: ImportSessionRequest): Promise<boolean>;
}

/** The state without the values of the app and of the user that the scopes have already. */
export function newState(state: JsonObject, scopeOf: (name: "app" | "user") => StateScope | undefined): JsonObject {
  const [app, user] = [scopeOf("app"), scopeOf("user")];
  const isKept = (key: string): boolean =>
    (key.startsWith(APP_PREFIX) && app?.has(key.slice(APP_PREFIX.length)) === true) ||
    (key.startsWith(USER_PREFIX) && user?.has(key.slice(USER_PREFIX.length)) === true);
  return Object.fromEntries(Object.entries(state).filter(([key]) => !isKept(key)));
}

/** The store's method; for a store without it each call throws `NOT_IMPLEMENTED`. */
export function sessionImportsOf(store: object): SessionImports {
  return isSessionImports(store) ? store : { importSession: refuse };
}

function isSessionImports(store: object): store is SessionImports {
  return typeof Reflect.get(store, "importSession") === "function";
}

async function refuse(): Promise<never> {
  throw new PlatformError("NOT_IMPLEMENTED", "Sessions cannot be imported into this store.");
}
