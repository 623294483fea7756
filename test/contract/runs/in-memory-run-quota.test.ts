import { describe } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRunQuota } from "#ports/runs/in-memory-run-quota.ts";
import { runQuotaContract } from "./run-quota.ts";

describe("InMemoryRunQuota", () => {
  runQuotaContract({
    create: async () => {
      const clock = new FixedClock();
      const quota = new InMemoryRunQuota({ clock });
      return { ends: [quota, quota], pass: async (ms) => clock.advance(ms), dispose: async () => {} };
    },
  });
});
