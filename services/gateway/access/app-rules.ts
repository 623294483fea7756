import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { Caller } from "../identity/caller.ts";

/** Who may use an app. */
interface AppRule {
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

/** The rules of apps by name. Every caller may use an app without a rule. */
export type AppRules = ReadonlyMap<string, AppRule>;

/** Whether the caller may use the app: its credentials allow the app, and the app's rule, if it has one, the caller. */
export function mayUseApp({ apps, userId, groups }: Caller, appName: string, rules: AppRules | undefined): boolean {
  if (apps !== undefined && !apps.includes(appName)) return false;
  const rule = rules?.get(appName);
  if (rule === undefined) return true;
  return (userId !== undefined && rule.users.has(userId)) || groups.some((group) => rule.groups.has(group));
}

/** Reads the value of the YAML file that APP_RULES_FILE names. Throws `CONFIGURATION` with the place of a fault. */
export function readAppRules(value: unknown): AppRules {
  const { apps } = objectAt("", value ?? {}, ["apps"]);
  return new Map(Object.entries(objectAt("apps", apps ?? {})).map(([name, rule]) => [name, readRule(name, rule)]));
}

function readRule(appName: string, value: unknown): AppRule {
  const place = `apps.${appName}`;
  const { users, groups } = objectAt(place, value, ["users", "groups"]);
  return { users: namesAt(`${place}.users`, users), groups: namesAt(`${place}.groups`, groups) };
}

function objectAt(place: string, value: unknown, members?: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw fault(place, `should be a map${members ? ` with ${members.join(" and ")}` : ""}`);
  const other = members === undefined ? undefined : Object.keys(value).find((name) => !members.includes(name));
  if (other !== undefined) throw fault(place, `has the unknown member "${other}"; known: ${members?.join(", ")}`);
  return value;
}

function namesAt(place: string, value: unknown): ReadonlySet<string> {
  if (value === undefined) return new Set();
  if (Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "")) return new Set(value);
  throw fault(place, "should be a list of texts");
}

function fault(place: string, text: string): PlatformError {
  return new PlatformError("CONFIGURATION", `APP_RULES_FILE: ${place === "" ? "the file" : place} ${text}.`);
}
