import { PlatformError } from "#kit/errors/platform-error.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

export interface ListIdleRequest {
  /** Only sessions whose last update is before this time, in milliseconds. */
  readonly updatedBefore: number;
  /** How many sessions one call looks at; at least 1, at most `MAX_IDLE_PAGE`. */
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export interface IdleSession {
  readonly key: SessionKey;
  readonly lastUpdateTime: number;
}

/** A page can be empty and not be the last one: the sessions that it looked at were updated later. */
export interface IdlePage {
  readonly sessions: readonly IdleSession[];
  /** Absent on the last page. */
  readonly nextPageToken?: string | undefined;
}

/** The largest page: keys of so many sessions fit in one message between services. */
export const MAX_IDLE_PAGE = 500;

/** A store of sessions that retention can work on, together with `deleteSession`. */
export interface IdleSessions {
  /** Sessions of all tenants, those of evaluations included, in an order that updates do not change. Throws `INVALID_CURSOR`. */
  listIdleSessions(request: ListIdleRequest): Promise<IdlePage>;
  /**
   * Closes the session if it is idle: last updated before the time, without a run that is executed, queued or waits for
   * input. False if it is not, or does not exist. No run begins and no event is stored in it from then on.
   */
  closeIdleSession(key: SessionKey, updatedBefore: number): Promise<boolean>;
}

/** The store's methods; for a custom store without them each call throws `NOT_IMPLEMENTED`. */
export function idleSessionsOf(store: object): IdleSessions {
  return isIdleSessions(store) ? store : { listIdleSessions: refuse, closeIdleSession: refuse };
}

function isIdleSessions(store: object): store is IdleSessions {
  return ["listIdleSessions", "closeIdleSession"].every((name) => typeof Reflect.get(store, name) === "function");
}

async function refuse(): Promise<never> {
  throw new PlatformError("NOT_IMPLEMENTED", "The store of sessions cannot list the sessions of all tenants by age.");
}
