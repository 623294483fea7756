import { describe } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryQuotaLedger } from "#ports/quota/in-memory-quota-ledger.ts";
import { quotaLedgerContract } from "./quota-ledger.ts";

describe("InMemoryQuotaLedger", () => {
  quotaLedgerContract({
    create: async () => {
      const ledger = new InMemoryQuotaLedger({ clock: new FixedClock() });
      return { ends: [ledger, ledger], dispose: async () => {} };
    },
  });
});
