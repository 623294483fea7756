import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";

/** The tenant, app and user for whom a call is made, and possibly the one session or run that it is made for. */
export interface Principal {
  /** The only tenant whose data the call may reach, whatever the scopes. */
  readonly tenantId: string;
  /** The only app whose data the call may reach; all if absent. */
  readonly appName?: string;
  /** The only user whose data the call may reach; none if absent, unless the scopes allow it. */
  readonly userId?: string;
  readonly scopes: readonly string[];
  /** The only session whose data the call may reach, besides what belongs to the user; all sessions if absent. */
  readonly sessionId?: string;
  /** The only run that the call may name. Without a `sessionId` the call reaches that run's record and nothing else. */
  readonly runId?: string;
  /** The start of the ids of the only sessions that the call may name; it reaches nothing else. */
  readonly sessionPrefix?: string;
  /** Whether the call reaches nothing that belongs to the user and not to the session. */
  readonly sessionOnly?: boolean;
  /** Whether the call may reach the app's data; all apps' if absent. Only this process has it: it is not signed. */
  readonly mayUse?: (appName: string) => boolean;
}

/**
 * The scope of a principal that acts for every user of its tenant: a gateway without users, and its reads of heads for
 * waiting readers.
 */
export const EVERY_USER_SCOPE = "users:all";

/** The scope of a principal whose calls may change state that all users of an app read, where clients may at all. */
export const APP_STATE_SCOPE = "app-state:write";

/** The owner of data. */
export interface Owner extends TenantScoped {
  /** Absent for data of all apps. */
  readonly appName?: string;
  /** Absent for the app's own data, and with `everyUser`. */
  readonly userId?: string;
  /** The id of the session; absent for data that is not of one session. */
  readonly id?: string;
  /** Absent for data that is not of one run. */
  readonly runId?: string;
  /** Whether the data is the user's own, so that the runs of all sessions of the user and app share it, whatever its `id`. */
  readonly ofUser?: boolean;
  /** Whether the data is of all users of the tenant. */
  readonly everyUser?: boolean;
}

interface RunsFilter {
  readonly tenantId?: string | undefined;
  readonly appName?: string | undefined;
  readonly userId?: string | undefined;
}

/** The owner of the runs that a list is limited to. */
export function ownerOfRuns({ tenantId, appName, userId }: RunsFilter): Owner {
  return {
    ...inTenant(tenantId),
    appName,
    ...(userId === undefined ? { everyUser: true } : { userId }),
  };
}

/** The owner of a run's record. */
export function ownerOfRun({ runId, session }: Pick<RunRecord, "runId" | "session">): Owner {
  return { ...session, runId };
}

/** Throws `FOREIGN_OWNER`. */
export function assertReach(principal: Principal, owner: Owner): void {
  if (mayReach(principal, owner)) return;
  throw new PlatformError("FOREIGN_OWNER", "There is nothing of that name for the user that the call is made for.");
}

export function mayReach(principal: Principal, owner: Owner): boolean {
  const { tenantId, appName, userId, scopes, mayUse } = principal;
  if (tenantId !== tenantOf(owner)) return false;
  if (appName !== undefined && appName !== owner.appName) return false;
  if (mayUse !== undefined && (owner.appName === undefined || !mayUse(owner.appName))) return false;
  if (!isWithinBounds(principal, owner)) return false;
  if (scopes.includes(EVERY_USER_SCOPE)) return true;
  if (owner.everyUser === true) return false;
  return owner.userId === undefined || owner.userId === userId;
}

function isWithinBounds({ sessionId, runId, sessionPrefix, sessionOnly }: Principal, owner: Owner): boolean {
  if (sessionPrefix !== undefined) return owner.id?.startsWith(sessionPrefix) === true;
  if (sessionOnly === true) return sessionId !== undefined && owner.id === sessionId && owner.ofUser !== true;
  if (runId !== undefined && owner.runId !== undefined && owner.runId !== runId) return false;
  if (sessionId !== undefined) return owner.id === sessionId || (owner.ofUser === true && owner.id === undefined);
  return runId === undefined || owner.runId === runId;
}
