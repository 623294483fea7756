import type { Event } from "../events/event.ts";
import { toMilliseconds, toSeconds } from "../events/timestamp.ts";
import { inTenant, type TenantScoped, tenantOf } from "../names/tenant.ts";
import type { JsonValue } from "../platform/json.ts";

/** Names a session. Every store keys by all its members. */
export interface SessionKey extends TenantScoped {
  readonly appName: string;
  readonly userId: string;
  readonly id: string;
}

/** A session as read: a copy that only `appendEvent` and the run loop update. */
export interface Session extends SessionKey {
  /** All scopes merged, keys of shared scopes with their prefix. */
  state: Record<string, JsonValue>;
  /** In order; possibly only the part that the read asked for. */
  events: Event[];
  /** Milliseconds since the epoch. */
  lastUpdateTime: number;
  /** Sequence of the newest durable event; 0 for a new session. */
  revision: number;
  /** Set when the session was closed, in milliseconds since the epoch. */
  closedTime?: number;
}

export function sessionKey({ tenantId, appName, userId, id }: SessionKey): SessionKey {
  return { ...inTenant(tenantId), appName, userId, id };
}

export function isSameSession(one: SessionKey, other: SessionKey): boolean {
  return (
    one.id === other.id &&
    one.userId === other.userId &&
    one.appName === other.appName &&
    tenantOf(one) === tenantOf(other)
  );
}

/** The last update in seconds with a fraction. */
export function lastUpdateTimeAsDouble(session: Pick<Session, "lastUpdateTime">): number {
  return toSeconds(session.lastUpdateTime);
}

/** Sets the last update from seconds with a fraction. */
export function setLastUpdateTimeSeconds(session: Session, seconds: number): void {
  session.lastUpdateTime = toMilliseconds(seconds);
}
