import { describe, expect, it } from "vitest";
import { EVERY_USER_SCOPE, mayReach, type Owner, ownerOfRuns, type Principal } from "./principal.ts";

const ADA: Principal = { tenantId: "default", appName: "echo", userId: "ada", scopes: [] };
const ALL: Principal = { tenantId: "default", scopes: [EVERY_USER_SCOPE] };
const OF_ADA: Owner = { appName: "echo", userId: "ada" };

describe("a principal", () => {
  it.each<[string, Principal, Owner, boolean]>([
    ["its own data", ADA, OF_ADA, true],
    ["data of its app", ADA, { appName: "echo" }, true],
    ["another user's data", ADA, { ...OF_ADA, userId: "bob" }, false],
    ["another app's data", ADA, { ...OF_ADA, appName: "shop" }, false],
    ["data of all users", ADA, { appName: "echo", everyUser: true }, false],
    ["any user's data with the scope", ALL, OF_ADA, true],
    ["data of all users with the scope", ALL, { everyUser: true }, true],
  ])("and %s", (_, principal, owner, expected) => {
    expect(mayReach(principal, owner)).toBe(expected);
  });

  it("reaches nothing of another tenant, whatever its scopes and the names", () => {
    const owners = [OF_ADA, { appName: "echo" }, { everyUser: true }, ownerOfRuns({})];
    for (const principal of [ADA, ALL])
      for (const owner of owners) {
        expect(mayReach({ ...principal, tenantId: "acme" }, owner)).toBe(false);
        expect(mayReach(principal, { ...owner, tenantId: "acme" })).toBe(false);
      }
    expect(mayReach({ ...ADA, tenantId: "acme" }, { ...OF_ADA, tenantId: "acme" })).toBe(true);
    expect(mayReach({ ...ALL, tenantId: "acme" }, ownerOfRuns({ tenantId: "acme" }))).toBe(true);
  });

  it("of a run reaches its session, its user's own data and its record", () => {
    const run: Principal = { ...ADA, sessionId: "s", runId: "r" };
    const reached = [
      { ...OF_ADA, id: "s" },
      { ...OF_ADA, id: "s", runId: "r" },
      { ...OF_ADA, ofUser: true },
    ];
    const foreign = [
      OF_ADA,
      { appName: "echo" },
      { ...OF_ADA, id: "other" },
      { ...OF_ADA, id: "other", ofUser: true },
      { ...OF_ADA, id: "s", runId: "other" },
      { ...OF_ADA, userId: "bob", id: "s" },
      { ...OF_ADA, userId: "bob", ofUser: true },
      { ...OF_ADA, appName: "shop", ofUser: true },
      { ...OF_ADA, tenantId: "acme", id: "s" },
    ];
    expect(reached.filter((owner) => !mayReach(run, owner))).toEqual([]);
    expect(foreign.filter((owner) => mayReach(run, owner))).toEqual([]);
  });

  it("limited to a run without its session reaches that record alone, whatever its scopes", () => {
    const cancel: Principal = { ...ALL, runId: "r" };
    expect(mayReach(cancel, { ...OF_ADA, id: "s", runId: "r" })).toBe(true);
    for (const owner of [
      OF_ADA,
      { ...OF_ADA, id: "s" },
      { ...OF_ADA, ofUser: true },
      { everyUser: true },
      { ...OF_ADA, runId: "x" },
    ])
      expect(mayReach(cancel, owner)).toBe(false);
  });
});
