import { PlatformError } from "#kit/errors/platform-error.ts";
import { isTenantId } from "#kit/names/tenant.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { Caller } from "../identity/caller.ts";

/** Who may use an app. */
interface AppRule {
  /** The tenants whose callers may use the app; all if undefined. */
  readonly tenants: ReadonlySet<string> | undefined;
  /** Of these tenants, only these users and groups; undefined for everybody in them. */
  readonly people: { readonly users: ReadonlySet<string>; readonly groups: ReadonlySet<string> } | undefined;
}

/** The rules of apps by name. Every caller may use an app without a rule. */
export type AppRules = ReadonlyMap<string, AppRule>;

/** Whether the caller may use the app: its credentials allow the app, and the app's rule, if it has one, the caller. */
export function mayUseApp(caller: Caller, appName: string, rules: AppRules | undefined): boolean {
  const { apps, tenantId, userId, groups } = caller;
  if (apps !== undefined && !apps.includes(appName)) return false;
  const rule = rules?.get(appName);
  if (rule === undefined) return true;
  const { tenants, people } = rule;
  if (tenants !== undefined && !tenants.has(tenantId)) return false;
  if (people === undefined) return true;
  return (userId !== undefined && people.users.has(userId)) || groups.some((group) => people.groups.has(group));
}

/** Reads the value of the YAML file that APP_RULES_FILE names. Throws `CONFIGURATION` with the place of a fault. */
export function readAppRules(value: unknown): AppRules {
  const { apps } = objectAt("", value ?? {}, ["apps"]);
  return new Map(Object.entries(objectAt("apps", apps ?? {})).map(([name, rule]) => [name, readRule(name, rule)]));
}

function readRule(appName: string, value: unknown): AppRule {
  const place = `apps.${appName}`;
  const { tenants, users, groups } = objectAt(place, value, ["tenants", "users", "groups"]);
  const people = { users: namesAt(`${place}.users`, users), groups: namesAt(`${place}.groups`, groups) };
  // A rule without members is for nobody.
  const isForAll = tenants !== undefined && users === undefined && groups === undefined;
  return {
    tenants: tenants === undefined ? undefined : tenantsAt(`${place}.tenants`, tenants),
    people: isForAll ? undefined : people,
  };
}

function objectAt(place: string, value: unknown, members?: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw fault(place, `should be a map${members ? ` with ${members.join(" or ")}` : ""}`);
  const other = members === undefined ? undefined : Object.keys(value).find((name) => !members.includes(name));
  if (other !== undefined) throw fault(place, `has the unknown member "${other}"; known: ${members?.join(", ")}`);
  return value;
}

function namesAt(place: string, value: unknown): ReadonlySet<string> {
  if (value === undefined) return new Set();
  if (Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "")) return new Set(value);
  throw fault(place, "should be a list of texts");
}

function tenantsAt(place: string, value: unknown): ReadonlySet<string> {
  const names = namesAt(place, value);
  const invalid = names.values().find((name) => !isTenantId(name));
  if (invalid !== undefined) throw fault(place, `has "${invalid}", which is not a valid tenant id`);
  return names;
}

function fault(place: string, text: string): PlatformError {
  return new PlatformError("CONFIGURATION", `APP_RULES_FILE: ${place === "" ? "the file" : place} ${text}.`);
}
