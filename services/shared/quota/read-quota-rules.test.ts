import { expect, it } from "vitest";
import * as yaml from "yaml";
import { LimitFinder } from "./applied-limit.ts";
import { QUOTA_LIMIT_NAMES, QUOTA_SCOPES, type QuotaSubject } from "./quota-limits.ts";
import type { QuotaRules } from "./quota-rules.ts";
import { readPricesFile, readQuotaRules } from "./read-quota-rules.ts";

const read = (text: string): QuotaRules => readQuotaRules(yaml, text);

/** The limits of a subject, as `scope limit max`. */
function limits(rules: QuotaRules, subject: QuotaSubject): readonly string[] {
  return new LimitFinder()
    .find(rules, { subject, limits: QUOTA_LIMIT_NAMES, scopes: QUOTA_SCOPES })
    .map(({ scope, limit, max }) => `${scope} ${limit} ${max}`);
}

const RULES = `
defaults:
  tenant: { usdPerMonth: 500.5 }
  user: { requestsPerMinute: 60, tokensPerDay: 1000 }
  key: { openStreams: 0 }
overrides:
  - { user: ada, tenant: acme, limits: { tokensPerDay: unlimited } }
  - { user: "*@example.com", limits: { tokensPerDay: 5000 } }
  - { user: "a*", limits: { requestsPerMinute: 10, tokensPerDay: 7 } }
  - { tenant: acme, limits: { usdPerMonth: 2 } }
  - { app: "*", tenant: "*", limits: { concurrentRuns: 3 } }
`;

it("finds the limits of a subject: of the first override that has one, and else of the defaults", () => {
  const rules = read(RULES);
  expect(limits(rules, {})).toEqual(["tenant usdPerMonth 500500000"]);
  expect(limits(rules, { userId: "bob", keyId: "k", appName: "x" })).toEqual([
    "key openStreams 0",
    "user requestsPerMinute 60",
    "user tokensPerDay 1000",
    "app concurrentRuns 3",
    "tenant usdPerMonth 500500000",
  ]);
  expect(limits(rules, { userId: "ada" })).toContain("user tokensPerDay 7");
  expect(limits(rules, { userId: "eva@example.com" })).toContain("user tokensPerDay 5000");
  expect(limits(rules, { userId: "ada", tenantId: "acme" })).toEqual([
    "user requestsPerMinute 10",
    "tenant usdPerMonth 2000000",
  ]);
});

it("has defaults for what the file does not name, also for an empty file", () => {
  for (const text of ["", "# nothing\n", "defaults:\n"]) {
    const { prices: _, ...rules } = read(text);
    expect(rules).toEqual({
      defaults: {},
      overrides: [],
      reservedOutputTokens: 2048,
      unpricedModels: "free",
      whenUnavailable: { requests: "allow", budgets: "refuse" },
    });
  }
});

it("reports each fault with its line and the fix", () => {
  const text = `defaults:
  user:
    requestsPerMinute: -1
    tokensPerDay: 1.5
    usdPerDay: .inf
    tokenPerDay: 3
  nobody: {}
  key: { sessions: 5 }
overrides:
  - limits: {}
  - { user: ada, app: x, limits: { openStreams: many } }
  - { user: 5 }
  - { tenant: "A b" }
prices:
  gemini: { input: free }
unpricedModels: maybe
reservedOutputTokens: 1e99
whenUnavailable: []
`;
  let message = "";
  try {
    read(text);
  } catch (error) {
    message = String(error);
  }
  for (const fault of [
    "Line 3: defaults.user.requestsPerMinute must be a whole number from 0 to 1000000000000000, or unlimited.",
    "Line 4: defaults.user.tokensPerDay must be",
    "Line 5: defaults.user.usdPerDay must be USD from 0 to 1000000000, or unlimited.",
    "Line 6: defaults.user.tokenPerDay is unknown here: there are requestsPerMinute,",
    "Line 7: defaults.nobody is unknown here: there are key, user, app, tenant.",
    "Line 8: defaults.key.sessions is not a limit of a key: give it to a user, an app or a tenant.",
    "Line 10: overrides[0] names nobody",
    "Line 11: overrides[1] names more than one",
    "Line 11: overrides[1].limits.openStreams must be",
    "Line 12: overrides[2].user must be a name in quotes",
    "Line 13: overrides[3].tenant is not a name of a tenant.",
    "Line 15: prices.gemini.input must be USD per million tokens",
    "Line 15: prices.gemini lacks output",
    "Line 16: unpricedModels must be one of free, refuse.",
    "Line 17: reservedOutputTokens must be",
    "Line 18: whenUnavailable must be a map",
  ])
    expect(message).toContain(fault);
});

it.each([
  ["no YAML", "defaults: {", "Line 1"],
  ["a list", "- a", "the file must be a map"],
  ["a duplicate", "defaults: {}\ndefaults: {}", "Line 2"],
  ["aliases that multiply", `a: &a [x,x,x,x,x,x,x,x,x,x]\n${aliases()}`, "aliases"],
  ["deep nesting", "[".repeat(20_000), "Line 1"],
  ["a large file", `# ${"x".repeat(1024 * 1024)}`, "over 1 MiB"],
  ["too many overrides", `overrides:\n${"  - { user: a }\n".repeat(1001)}`, "more than 1000"],
  ["the name of a prototype", "defaults: { user: { __proto__: { tokensPerDay: 1 } } }", "unknown here"],
])("refuses %s with a line, and quickly", (_, text, fault) => {
  expect(() => read(text)).toThrow(fault);
});

it("matches long names against patterns of many stars in little time", () => {
  const rules = read(`overrides: [{ user: "${"a*".repeat(400)}b", limits: { tokensPerDay: 1 } }]`);
  expect(limits(rules, { userId: "a".repeat(256) })).toEqual([]);
});

it("reads prices of a file of their own", () => {
  const prices = readPricesFile(yaml, "prices: { flash: { input: 1, output: 2 }, 'fla*': { input: 3, output: 4 } }");
  expect([prices.of("flash"), prices.of("flame"), prices.of("other")]).toEqual([
    { input: 1, output: 2 },
    { input: 3, output: 4 },
    undefined,
  ]);
  expect(() => readPricesFile(yaml, "defaults: {}")).toThrow("PRICES_FILE: Line 1: defaults is unknown here");
});

function aliases(): string {
  const names = "abcdefghij".split("");
  return names
    .slice(1)
    .map((name, index) => `${name}: &${name} [${`*${names[index]},`.repeat(10)}]`)
    .join("\n");
}
