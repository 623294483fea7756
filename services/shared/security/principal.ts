/** For whom a call is made. */
export interface Principal {
  /** The only app whose data the call may reach; all when absent. */
  readonly appName?: string;
  /** The only user whose data the call may reach; none when absent and the scopes do not say otherwise. */
  readonly userId?: string;
  readonly scopes: readonly string[];
}

/** A scope: the principal acts for every user. The platform's own upkeep has it, and an edge that knows no users. */
export const EVERY_USER_SCOPE = "users:all";

/** Whose something is. */
export interface Owner {
  /** Absent when it is of all apps. */
  readonly appName?: string;
  /** Absent when it is the app's own, or `everyUser`. */
  readonly userId?: string;
  /** It spans the users. */
  readonly everyUser?: boolean;
}

/** Whether nothing is out of its reach. */
export function reachesAll({ appName, scopes }: Principal): boolean {
  return appName === undefined && scopes.includes(EVERY_USER_SCOPE);
}

export function mayReach({ appName, userId, scopes }: Principal, owner: Owner): boolean {
  if (appName !== undefined && appName !== owner.appName) return false;
  if (scopes.includes(EVERY_USER_SCOPE)) return true;
  if (owner.everyUser === true) return false;
  return owner.userId === undefined || owner.userId === userId;
}
