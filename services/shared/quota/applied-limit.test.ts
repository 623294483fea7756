import { describe, expect, it } from "vitest";
import { LimitFinder } from "./applied-limit.ts";
import { QUOTA_SCOPES, type QuotaSubject } from "./quota-limits.ts";
import type { QuotaRules } from "./quota-rules.ts";

const SUBJECT: QuotaSubject = { tenantId: "acme", keyId: "k", userId: "ada", appName: "app" };

/** Subjects that differ from the first in one member. */
const OTHERS: readonly QuotaSubject[] = [
  { ...SUBJECT, tenantId: "globex" },
  { keyId: "k", userId: "ada", appName: "app" },
  { ...SUBJECT, keyId: "k2" },
  { ...SUBJECT, userId: "eve" },
  { ...SUBJECT, appName: "other" },
];

/** Each name has limits of its own in each tenant. */
const RULES: QuotaRules = {
  defaults: { key: { requestsPerMinute: 1 }, user: { requestsPerMinute: 2 }, app: { requestsPerMinute: 3 } },
  overrides: (["acme", "globex"] as const).flatMap((tenantId, tenant) =>
    QUOTA_SCOPES.map((scope, at) => ({
      ...{ scope, tenantId, name: { key: "k", user: "ada", app: "app", tenant: "" }[scope] },
      limits: { requestsPerMinute: 100 * (tenant + 1) + at, openStreams: 1000 * (tenant + 1) + at },
    })),
  ),
  prices: { priceOf: () => undefined } as unknown as QuotaRules["prices"],
  reservedOutputTokens: 1,
  unpricedModels: "free",
  whenUnavailable: { requests: "allow", budgets: "allow" },
};

const find = (finder: LimitFinder, subject: QuotaSubject) =>
  finder
    .find(RULES, { subject, limits: ["requestsPerMinute", "openStreams"], scopes: QUOTA_SCOPES })
    .map(({ name, max, window }) => [name, max, window]);

describe("the limits of a subject", () => {
  it("are those of its own names in its own tenant, whichever were looked up before", () => {
    const shared = new LimitFinder();
    const all = [SUBJECT, ...OTHERS, SUBJECT];
    expect(all.map((subject) => find(shared, subject))).toEqual(all.map((subject) => find(new LimitFinder(), subject)));
    expect(find(shared, SUBJECT)).toEqual([
      ["requestsPerMinute:key:k", 100, "minute"],
      ["openStreams:key:k", 1000, "now"],
      ["requestsPerMinute:user:ada", 101, "minute"],
      ["openStreams:user:ada", 1001, "now"],
      ["requestsPerMinute:app:app", 102, "minute"],
      ["openStreams:app:app", 1002, "now"],
      ["requestsPerMinute:tenant:", 103, "minute"],
      ["openStreams:tenant:", 1003, "now"],
    ]);
    expect(find(shared, { ...SUBJECT, tenantId: "globex" }).map(([, max]) => max)).toEqual([
      200, 2000, 201, 2001, 202, 2002, 203, 2003,
    ]);
    expect(find(shared, { keyId: "k", userId: "ada", appName: "app" }).map(([, max]) => max)).toEqual([1, 2, 3]);
  });

  it("are those of new rules when the rules have changed", () => {
    const finder = new LimitFinder();
    find(finder, SUBJECT);
    const rules = { ...RULES, overrides: [] };
    const question = { subject: SUBJECT, limits: ["requestsPerMinute"], scopes: QUOTA_SCOPES } as const;
    expect(finder.find(rules, question).map(({ max }) => max)).toEqual([1, 2, 3]);
  });
});
