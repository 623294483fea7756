import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { EVERYBODY } from "../identity/caller.ts";
import { mayUseApp, readAppRules } from "./app-rules.ts";

describe("the rules of apps", () => {
  const callers = {
    eve: { ...EVERYBODY, userId: "eve" },
    clerk: { ...EVERYBODY, userId: "bob", groups: ["finance"] },
    foreignEve: { ...EVERYBODY, tenantId: "acme", userId: "eve" },
    foreignClerk: { ...EVERYBODY, tenantId: "acme", userId: "bob", groups: ["finance"] },
  };

  it.each([
    [{}, []],
    [{ users: ["eve"] }, ["eve", "foreignEve"]],
    [{ users: ["eve"], groups: ["finance"] }, ["eve", "clerk", "foreignEve", "foreignClerk"]],
    [{ tenants: ["acme"] }, ["foreignEve", "foreignClerk"]],
    [{ tenants: ["acme", "default"] }, ["eve", "clerk", "foreignEve", "foreignClerk"]],
    [{ tenants: ["acme"], groups: ["finance"] }, ["foreignClerk"]],
    [{ tenants: ["acme"], users: [] }, []],
    [{ tenants: [] }, []],
  ])("let the callers of %j use the app: %j", (rule, names) => {
    verifies("authentication:apps", "authentication:tenants");
    const rules = readAppRules({ apps: { bank: rule } });
    const allowed = Object.entries(callers).filter(([, caller]) => mayUseApp(caller, "bank", rules));
    expect(allowed.map(([name]) => name)).toEqual(names);
    expect(mayUseApp(callers.foreignEve, "other", rules)).toBe(true);
  });

  it.each([null, undefined, {}, { apps: {} }])("are none in %j", (value) => {
    expect(readAppRules(value).size).toBe(0);
  });

  it.each([
    [[], "APP_RULES_FILE: the file should be a map with apps."],
    [{ app: {} }, 'APP_RULES_FILE: the file has the unknown member "app"; known: apps.'],
    [{ apps: ["bank"] }, "APP_RULES_FILE: apps should be a map."],
    [{ apps: { bank: null } }, "APP_RULES_FILE: apps.bank should be a map with tenants or users or groups."],
    [{ apps: { bank: { user: ["eve"] } } }, 'apps.bank has the unknown member "user"; known: tenants, users, groups.'],
    [{ apps: { bank: { users: "eve" } } }, "APP_RULES_FILE: apps.bank.users should be a list of texts."],
    [
      { apps: { bank: { tenants: ["../x"] } } },
      'APP_RULES_FILE: apps.bank.tenants has "../x", which is not a valid tenant id.',
    ],
    [{ apps: { bank: { groups: [1] } } }, "APP_RULES_FILE: apps.bank.groups should be a list of texts."],
  ])("are refused with the place of the fault: %j", (value, message) => {
    expect(() => readAppRules(value)).toThrow(message);
  });
});
