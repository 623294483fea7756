import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { PostgresQuotaLedger } from "#adapters/postgres/streams/postgres-quota-ledger.ts";
import type { QuotaReservation } from "#ports/quota/quota-ledger.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { usePostgresEnds } from "../postgres-ends.ts";
import { quotaLedgerContract } from "../quota/quota-ledger.ts";

/** Renewed in time also when this process stands still for a second. */
const SHORT_MS = 1500;
const TOKENS = { name: "tokens", window: "day", max: 100, amount: 60 } as const;
const held = (leaseMs: number): QuotaReservation => ({ id: "held", charges: [TOKENS], leaseMs });

describe.skipIf(whyNoPostgres() !== undefined)("PostgresQuotaLedger", { timeout: 60_000 }, () => {
  const { open, postgres } = usePostgresEnds((place) => new PostgresQuotaLedger(place));
  const stateOf = async (ledger: PostgresQuotaLedger) => (await ledger.read({ counts: [TOKENS] }))[0];

  quotaLedgerContract({ create: open });

  it("ends the reservation of a lost process alone with its lease, and keeps what it had used", async () => {
    const { ends, dispose } = await open();
    await ends[0].spend({ charges: [{ ...TOKENS, amount: 10 }] });
    await ends[0].reserve({ ...held(SHORT_MS), charges: [{ ...TOKENS, amount: 30 }] });
    await ends[1].reserve({ ...held(60_000), id: "alive", charges: [{ ...TOKENS, amount: 7 }] });
    expect(await stateOf(ends[1])).toMatchObject({ used: 10, reserved: 37 });
    await ends[0][Symbol.asyncDispose]();
    await expect.poll(() => stateOf(ends[1])).toMatchObject({ used: 10, reserved: 7 });
    await dispose();
  });

  it("keeps what was used when the server's clock is set back over the beginning of the window", async () => {
    verifies("quotas:clock");
    const { ends, places, dispose } = await open();
    const move = (ms: number) =>
      places[0].database.write("UPDATE fairlead.quota_counts SET starts = starts + $1", [ms]);
    await ends[0].spend({ charges: [{ ...TOKENS, amount: 10 }] });
    await move(86_400_000);
    expect(await stateOf(ends[1])).toMatchObject({ used: 10 });
    await ends[0].spend({ charges: [{ ...TOKENS, amount: 5 }] });
    expect(await stateOf(ends[1])).toMatchObject({ used: 15 });
    await move(-86_400_000);
    expect(await stateOf(ends[1])).toMatchObject({ used: 0 });
    await dispose();
  });

  it("keeps used amounts over a crash of the server, and restores reservations that are not settled", async () => {
    const { ends, dispose } = await open();
    await ends[0].spend({ charges: [{ ...TOKENS, amount: 10 }] });
    await ends[0].reserve(held(SHORT_MS));
    await pause(2 * SHORT_MS);
    expect(await stateOf(ends[1])).toMatchObject({ used: 10, reserved: 60 });
    await postgres.server().kill();
    await postgres.server().start();
    await expect.poll(() => stateOf(ends[1]).catch(() => undefined)).toMatchObject({ used: 10, reserved: 60 });
    ends[0].settle(held(SHORT_MS), [20]);
    await expect.poll(() => stateOf(ends[1])).toMatchObject({ used: 30, reserved: 0 });
    await dispose();
  });

  it("counts what was used during an outage once the server is back", async () => {
    const { ends, dispose } = await open();
    await ends[0].reserve(held(3_600_000));
    await postgres.server().kill();
    ends[0].settle(held(3_600_000), [25]);
    await pause(500);
    await postgres.server().start();
    await expect
      .poll(() => stateOf(ends[1]).catch(() => undefined), { timeout: 20_000 })
      .toMatchObject({ used: 25, reserved: 0 });
    await dispose();
  });

  it("reports that the counts are unknown while the server is unavailable", async () => {
    const { places, dispose } = await open();
    await using database = await PostgresDatabase.open({ pool: { url: "postgresql://nobody@127.0.0.1:1/none" } });
    await using ledger = new PostgresQuotaLedger({ database, signals: places[0].signals });
    const calls = [
      ledger.spend({ charges: [TOKENS] }),
      ledger.reserve(held(SHORT_MS)),
      ledger.read({ counts: [TOKENS] }),
    ];
    const outcomes = await Promise.allSettled(calls);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { reason: "STORE_UNAVAILABLE" } });
    await dispose();
  });
});
