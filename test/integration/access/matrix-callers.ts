import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { type Caller, EVERYBODY } from "#services/gateway/identity/caller.ts";
import { SCOPES, type Scope } from "#services/gateway/identity/scopes.ts";

/** The user of the examples of the API's description, whose data nobody else may see. */
export const OWNER = "me";

/** What the callers of the matrix may do. */
export type CallerRights = Pick<Caller, "tenantId" | "userId" | "apps" | "scopes">;

function rightsOf(rights: Partial<CallerRights>): CallerRights {
  return { tenantId: DEFAULT_TENANT, userId: undefined, apps: undefined, scopes: scopesBut("users:all"), ...rights };
}

function scopesBut(...left: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(SCOPES.filter((scope) => !left.includes(scope)));
}

export const RIGHTS = {
  owner: rightsOf({ userId: OWNER }),
  /** Every user's data. */
  admin: rightsOf({ scopes: new Set(SCOPES) }),
  /** Another user. */
  eve: rightsOf({ userId: "eve", scopes: scopesBut("users:all", "ops", "apps:edit") }),
  /** The owner's user, with credentials for another app. */
  outsider: rightsOf({ userId: OWNER, apps: ["expenses"], scopes: scopesBut("users:all", "ops", "apps:edit") }),
  /** The owner's user in another tenant. */
  twin: rightsOf({ tenantId: "acme", userId: OWNER }),
  /** Every user's data of the other tenant. */
  foreignAdmin: rightsOf({ tenantId: "acme", scopes: new Set(SCOPES) }),
  operator: rightsOf({ scopes: new Set(["ops"]) }),
  ...withoutEachScope(),
} as const satisfies Readonly<Record<string, CallerRights>>;

function withoutEachScope(): Readonly<Record<`without ${Scope}`, CallerRights>> {
  const entries = SCOPES.map((scope) => [
    `without ${scope}`,
    rightsOf({ userId: OWNER, scopes: scopesBut("users:all", scope) }),
  ]);
  // Object.fromEntries forgets the form of the names.
  return Object.fromEntries(entries) as Readonly<Record<`without ${Scope}`, CallerRights>>;
}

/** `anonymous` sends no credentials, the credentials of `expired` are refused. */
export type CallerName = keyof typeof RIGHTS | "anonymous" | "expired";

/** The caller as an authenticator returns it. */
export function callerNamed(name: keyof typeof RIGHTS): Caller {
  return { ...EVERYBODY, source: "api-key", subject: `key:${name}`, ...RIGHTS[name] };
}

export function isNamed(name: string): name is keyof typeof RIGHTS {
  return Object.hasOwn(RIGHTS, name);
}
