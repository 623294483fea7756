import { PlatformError } from "#kit/errors/platform-error.ts";

/** The app and user for whom a call is made. */
export interface Principal {
  /** The only app whose data the call may reach; all if absent. */
  readonly appName?: string;
  /** The only user whose data the call may reach; none if absent, unless the scopes allow it. */
  readonly userId?: string;
  readonly scopes: readonly string[];
  /** Whether the call may reach the app's data; all apps' if absent. Only this process has it: it is not signed. */
  readonly mayUse?: (appName: string) => boolean;
}

/** The scope of a principal that acts for every user: the platform's own maintenance, and a gateway without users. */
export const EVERY_USER_SCOPE = "users:all";

/** The scope of a principal whose calls may change state that all users of an app read, where clients may at all. */
export const APP_STATE_SCOPE = "app-state:write";

/** The owner of data. */
export interface Owner {
  /** Absent for data of all apps. */
  readonly appName?: string;
  /** Absent for the app's own data, and with `everyUser`. */
  readonly userId?: string;
  /** Whether the data is of all users. */
  readonly everyUser?: boolean;
}

/** The owner of the runs that a list is limited to. */
export function ownerOfRuns(appName: string | undefined, userId: string | undefined): Owner {
  return { ...(appName !== undefined && { appName }), ...(userId === undefined ? { everyUser: true } : { userId }) };
}

/** Whether the principal may reach all data. */
export function reachesAll({ appName, scopes, mayUse }: Principal): boolean {
  return appName === undefined && mayUse === undefined && scopes.includes(EVERY_USER_SCOPE);
}

/** Throws `FOREIGN_OWNER`. */
export function assertReach(principal: Principal, owner: Owner): void {
  if (mayReach(principal, owner)) return;
  throw new PlatformError("FOREIGN_OWNER", "There is nothing of that name for the user that the call is made for.");
}

export function mayReach({ appName, userId, scopes, mayUse }: Principal, owner: Owner): boolean {
  if (appName !== undefined && appName !== owner.appName) return false;
  if (mayUse !== undefined && (owner.appName === undefined || !mayUse(owner.appName))) return false;
  if (scopes.includes(EVERY_USER_SCOPE)) return true;
  if (owner.everyUser === true) return false;
  return owner.userId === undefined || owner.userId === userId;
}
