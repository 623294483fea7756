import { describe, expect, it } from "vitest";
import { readAppRules } from "./app-rules.ts";

describe("the rules of apps", () => {
  it("are the users and groups of each app", () => {
    const rules = readAppRules({ apps: { bank: { users: ["eve"], groups: ["finance"] }, shut: {} } });
    expect([...rules]).toEqual([
      ["bank", { users: new Set(["eve"]), groups: new Set(["finance"]) }],
      ["shut", { users: new Set(), groups: new Set() }],
    ]);
  });

  it.each([null, undefined, {}, { apps: {} }])("are none in %j", (value) => {
    expect(readAppRules(value).size).toBe(0);
  });

  it.each([
    [[], "APP_RULES_FILE: the file should be a map with apps."],
    [{ app: {} }, 'APP_RULES_FILE: the file has the unknown member "app"; known: apps.'],
    [{ apps: ["bank"] }, "APP_RULES_FILE: apps should be a map."],
    [{ apps: { bank: null } }, "APP_RULES_FILE: apps.bank should be a map with users and groups."],
    [{ apps: { bank: { user: ["eve"] } } }, 'apps.bank has the unknown member "user"; known: users, groups.'],
    [{ apps: { bank: { users: "eve" } } }, "APP_RULES_FILE: apps.bank.users should be a list of texts."],
    [{ apps: { bank: { groups: [1] } } }, "APP_RULES_FILE: apps.bank.groups should be a list of texts."],
  ])("are refused with the place of the fault: %j", (value, message) => {
    expect(() => readAppRules(value)).toThrow(message);
  });
});
