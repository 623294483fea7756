import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryQuotaLedger } from "#ports/quota/in-memory-quota-ledger.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";

const ADA = { keyId: "k", userId: "ada", appName: "app" };

async function quotasWith(used: number, text = "defaults: { user: { tokensPerDay: 10 } }") {
  const ledger = new InMemoryQuotaLedger({ clock: new FixedClock() });
  const quotas = quotasOf(text, { ledger });
  for (const limit of quotas.limitsOf(ADA)) await ledger.spend({ charges: [{ ...limit, max: 1000, amount: used }] });
  return { quotas, ledger };
}

describe("a run", () => {
  it.each([
    [9, undefined],
    [10, { reason: "QUOTA_EXCEEDED" }],
    [11, { reason: "QUOTA_EXCEEDED" }],
  ])("of a user who has used %i of 10 tokens is refused with %j", async (used, refusal) => {
    const { quotas } = await quotasWith(used);
    const asserted = quotas.assertBudget(ADA);
    if (refusal === undefined) await expect(asserted).resolves.toBeUndefined();
    else await expect(asserted).rejects.toMatchObject(refusal);
  });

  it("of another user, tenant or without limits is not refused", async () => {
    const { quotas } = await quotasWith(10);
    for (const other of [{ ...ADA, userId: "eve" }, { ...ADA, tenantId: "acme" }, { keyId: "k" }])
      await expect(quotas.assertBudget(other)).resolves.toBeUndefined();
  });

  it("begins while the counts cannot be read, and a fault of the ledger is thrown", async () => {
    const { quotas, ledger } = await quotasWith(10);
    ledger.read = () => Promise.reject(new PlatformError("STORE_UNAVAILABLE", "down"));
    await expect(quotas.assertBudget(ADA)).resolves.toBeUndefined();
    ledger.read = () => Promise.reject(new TypeError("bug"));
    await expect(quotas.assertBudget(ADA)).rejects.toThrow("bug");
  });
});

describe("a request", () => {
  const text = (requests: string) =>
    `defaults: { user: { requestsPerMinute: 2 }, app: { requestsPerMinute: 9 } }\nwhenUnavailable: { requests: ${requests} }`;

  it("is counted for each scope, and refused beyond the limit of one", async () => {
    const quotas = quotasOf(text("allow"));
    const outcomes = [];
    for (let request = 0; request < 3; request += 1) outcomes.push(await quotas.countRequest(ADA));
    expect(outcomes.map(({ refusal }) => refusal?.reason)).toEqual([undefined, undefined, "QUOTA_EXCEEDED"]);
    expect(outcomes[1]?.uses.map(({ applied, state }) => [applied.scope, state.used])).toEqual([
      ["user", 2],
      ["app", 2],
    ]);
    expect((await quotas.countRequest(ADA, ["app"])).refusal).toBeUndefined();
    expect((await quotas.countRequest({ ...ADA, userId: "eve" })).refusal).toBeUndefined();
  });

  it.each([
    ["allow", undefined],
    ["refuse", "QUOTA_UNAVAILABLE"],
  ])("is handled as the rules say while the counts are unavailable: %s", async (requests, reason) => {
    const ledger = new InMemoryQuotaLedger({ clock: new FixedClock() });
    ledger.spend = () => Promise.reject(new PlatformError("STORE_UNAVAILABLE", "down"));
    expect((await quotasOf(text(requests), { ledger }).countRequest(ADA)).refusal?.reason).toBe(reason);
  });
});
