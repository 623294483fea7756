import { expect, it } from "vitest";
import * as yaml from "yaml";
import { verifies } from "#test/helpers/verifies.ts";
import { readRetentionRules } from "./read-retention-rules.ts";
import { RETAINED_KINDS, shortestTime, timeToLive } from "./retention-rules.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const read = (text: string) => readRetentionRules(yaml, text);

it("finds the time of an app of a tenant: the first override that fits, else the default", () => {
  verifies("retention:rules");
  const rules = read(`
defaults: { sessionDays: 90 }
overrides:
  - { tenant: archive, sessionDays: keep }
  - { tenant: acme, app: payroll, sessionDays: 30 }
  - { app: "demo-*", sessionDays: 0.5 }`);
  const days = (appName: string, tenantId?: string) => timeToLive(rules, "sessions", { appName, tenantId }) / DAY_MS;
  expect([days("weather"), days("payroll"), days("payroll", "acme"), days("demo-1", "acme")]).toEqual([
    90, 90, 30, 0.5,
  ]);
  expect(days("demo-1", "archive")).toBe(Number.POSITIVE_INFINITY);
  expect(shortestTime(rules, "sessions")).toBe(DAY_MS / 2);
});

it("has a time for each kind of data", () => {
  verifies("retention:rules");
  const rules = read(`
defaults: { sessionDays: 90, runDays: 30, artifactDays: 60, memoryDays: 365 }
overrides: [{ app: demo, memoryDays: keep, resultDays: 7 }]`);
  const days = (appName: string) => RETAINED_KINDS.map((kind) => timeToLive(rules, kind, { appName }) / DAY_MS);
  expect(days("weather")).toEqual([90, 30, 60, 365, Number.POSITIVE_INFINITY]);
  expect(days("demo")).toEqual([90, 30, 60, Number.POSITIVE_INFINITY, 7]);
});

it("keeps everything that the file does not name", () => {
  const rules = read("overrides: [{ app: demo, sessionDays: 1 }]");
  expect(timeToLive(rules, "sessions", { appName: "weather" })).toBe(Number.POSITIVE_INFINITY);
  expect(shortestTime(read(""), "sessions")).toBe(Number.POSITIVE_INFINITY);
});

it("names each fault of the file with its line", () => {
  verifies("retention:rules");
  const faults = `defaults:
  sessionDays: 0
  sessionHours: 3
  runDays: 0.5
overrides:
  - { sessionDays: 3 }
  - { app: demo }
  - { tenant: "A B", app: "", sessionDays: never }`;
  const problems = [
    "Line 2: defaults.sessionDays must be days from 0.01 to 36500, or keep.",
    "Line 3: defaults.sessionHours is unknown here",
    "Line 4: defaults.runDays must be days from 1 to 36500, or keep.",
    "Line 6: overrides[0] names nothing",
    "Line 7: overrides[1] sets nothing",
    "Line 8: overrides[2].app must be a name in quotes.",
    "Line 8: overrides[2].tenant is not a name of a tenant.",
    "Line 8: overrides[2].sessionDays must be days",
  ];
  for (const problem of problems) expect(() => read(faults)).toThrow(problem);
  expect(() => read("overrides: 3")).toThrow("overrides must be a list");
  expect(() => read(`overrides: [${"{ app: a, sessionDays: 1 },".repeat(1001)}]`)).toThrow(
    "has more than 1000 entries",
  );
});
