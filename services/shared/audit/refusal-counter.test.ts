import { describe, expect, it } from "vitest";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RefusalCounter, WINDOW_MS } from "./refusal-counter.ts";

const refusal = (requestId: string, changes: Partial<AuditDecision> = {}): AuditDecision => ({
  kind: "decision",
  timeMs: 5,
  subject: "anonymous",
  address: "192.0.2.1",
  action: "getSession",
  resource: { appName: "echo", sessionId: requestId },
  decision: "refused",
  reason: "UNAUTHENTICATED",
  requestId,
  ...changes,
});

describe("the counter of refusals", () => {
  it("has a record of the first refusal, and one of all others within a minute", () => {
    verifies("authentication:audit:refusals");
    const counter = new RefusalCounter();
    expect(counter.admit(refusal("1"), 0)).toEqual(refusal("1"));
    for (let number = 2; number <= 50; number += 1)
      expect(counter.admit(refusal(String(number)), number)).toBeUndefined();
    expect([...counter.ended(WINDOW_MS - 1)]).toEqual([]);
    expect([...counter.ended(WINDOW_MS)]).toEqual([{ ...refusal("50"), resource: {}, count: 49 }]);
    expect([...counter.ended(2 * WINDOW_MS)]).toEqual([]);
    expect(counter.admit(refusal("51"), WINDOW_MS + 1)).toEqual(refusal("51"));
  });

  it("keeps the ids of a second refusal that is the only other one", () => {
    const counter = new RefusalCounter();
    counter.admit(refusal("1"), 0);
    counter.admit(refusal("2"), 1);
    expect([...counter.ended()]).toEqual([refusal("2")]);
  });

  it.each<[string, Partial<AuditDecision>]>([
    ["caller", { subject: "key:b" }],
    ["address", { address: "192.0.2.2" }],
    ["operation", { action: "deleteSession" }],
    ["reason", { reason: "SCOPE_MISSING" }],
  ])("records refusals of another %s apart", (_what, changes) => {
    const counter = new RefusalCounter();
    counter.admit(refusal("1"), 0);
    expect(counter.admit(refusal("2", changes), 0)).toEqual(refusal("2", changes));
  });

  it("has few records for an attacker with many addresses", () => {
    verifies("authentication:audit:refusals");
    const counter = new RefusalCounter();
    const records: AuditDecision[] = [];
    for (let number = 0; number < 10_000; number += 1) {
      const record = counter.admit(refusal(String(number), { address: `2001:db8::${number}` }), 0);
      if (record !== undefined) records.push(record);
    }
    expect(records).toHaveLength(101);
    expect([...counter.ended()]).toEqual([
      expect.objectContaining({
        subject: "(others)",
        action: "(others)",
        resource: {},
        reason: "UNAUTHENTICATED",
        count: 9899,
      }),
    ]);
  });
});
