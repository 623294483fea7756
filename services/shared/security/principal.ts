/** The app and user for whom a call is made. */
export interface Principal {
  /** The only app whose data the call may reach; all if absent. */
  readonly appName?: string;
  /** The only user whose data the call may reach; none if absent, unless the scopes allow it. */
  readonly userId?: string;
  readonly scopes: readonly string[];
}

/** The scope of a principal that acts for every user: the platform's own maintenance, and a gateway without users. */
export const EVERY_USER_SCOPE = "users:all";

/** The owner of data. */
export interface Owner {
  /** Absent for data of all apps. */
  readonly appName?: string;
  /** Absent for the app's own data, and with `everyUser`. */
  readonly userId?: string;
  /** Whether the data is of all users. */
  readonly everyUser?: boolean;
}

/** Whether the principal may reach all data. */
export function reachesAll({ appName, scopes }: Principal): boolean {
  return appName === undefined && scopes.includes(EVERY_USER_SCOPE);
}

export function mayReach({ appName, userId, scopes }: Principal, owner: Owner): boolean {
  if (appName !== undefined && appName !== owner.appName) return false;
  if (scopes.includes(EVERY_USER_SCOPE)) return true;
  if (owner.everyUser === true) return false;
  return owner.userId === undefined || owner.userId === userId;
}
