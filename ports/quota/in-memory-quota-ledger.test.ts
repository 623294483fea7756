import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { cpuGrowth } from "#test/helpers/cpu-growth.ts";
import { InMemoryQuotaLedger } from "./in-memory-quota-ledger.ts";
import type { QuotaCharge } from "./quota-ledger.ts";
import { windowAt } from "./quota-window.ts";

const DAY_MS = 86_400_000;
/** 2026-01-31T23:59:30Z. */
const LATE_IN_MONTH = 1_769_903_970_000;

const charge = (window: QuotaCharge["window"]): QuotaCharge => ({ name: "tokens", window, max: 10, amount: 6 });

it.each([
  ["minute", 30_000],
  ["day", 30_000],
  ["month", 30_000],
] as const)("begins a count again with the next %s of UTC", async (window, resetMs) => {
  const clock = new FixedClock(LATE_IN_MONTH);
  const ledger = new InMemoryQuotaLedger({ clock });
  expect(await ledger.spend({ charges: [charge(window)] })).toEqual({
    kind: "taken",
    states: [{ used: 6, reserved: 0, resetMs }],
  });
  clock.advance(resetMs - 1);
  expect((await ledger.read({ counts: [charge(window)] }))[0]).toEqual({ used: 6, reserved: 0, resetMs: 1 });
  clock.advance(1);
  expect((await ledger.read({ counts: [charge(window)] }))[0]).toMatchObject({ used: 0, reserved: 0 });
});

it("keeps a reservation over the end of its window, and counts what it used in the next one", async () => {
  const clock = new FixedClock(LATE_IN_MONTH);
  const ledger = new InMemoryQuotaLedger({ clock });
  const reservation = { id: "one", charges: [charge("day")], leaseMs: 1000 };
  await ledger.reserve(reservation);
  clock.advance(DAY_MS);
  expect((await ledger.read({ counts: [charge("day")] }))[0]).toMatchObject({ used: 0, reserved: 6 });
  ledger.settle(reservation, [4]);
  expect((await ledger.read({ counts: [charge("day")] }))[0]).toMatchObject({ used: 4, reserved: 0 });
});

it("finds months of every length", () => {
  const starts = [0, 1, 2].map((month) => Date.UTC(2028, month, 1));
  expect(windowAt("month", Date.UTC(2028, 1, 29, 23, 59))).toEqual({ startMs: starts[1], endMs: starts[2] });
  expect(windowAt("month", Date.UTC(2027, 11, 31))).toMatchObject({ endMs: starts[0] });
});

it("keeps what was used when the clock is set back over the beginning of the window", async () => {
  const clock = new FixedClock(LATE_IN_MONTH);
  const ledger = new InMemoryQuotaLedger({ clock });
  clock.advance(DAY_MS);
  await ledger.spend({ charges: [charge("day")] });
  clock.advance(-DAY_MS);
  expect((await ledger.read({ counts: [charge("day")] }))[0]).toMatchObject({ used: 6 });
});

it("counts tenants, windows and names apart", async () => {
  const ledger = new InMemoryQuotaLedger({ clock: new FixedClock() });
  await ledger.spend({ charges: [charge("day")] });
  const others = [
    { tenantId: "acme", counts: [charge("day")] },
    { counts: [charge("minute")] },
    { counts: [{ ...charge("day"), name: "other" }] },
  ];
  for (const other of others) expect((await ledger.read(other))[0]).toMatchObject({ used: 0 });
  expect((await ledger.read({ tenantId: "default", counts: [charge("day")] }))[0]).toMatchObject({ used: 6 });
});

it("counts many names in linear time, although all are in use", async () => {
  const count = async (names: number): Promise<void> => {
    const ledger = new InMemoryQuotaLedger({ clock: new FixedClock() });
    const charges = Array.from({ length: names }, (_, name) => ({ ...charge("day"), name: `${name}` }));
    await ledger.spend({ charges });
  };
  expect(await cpuGrowth(count, 10_500, 2)).toBeLessThan(6);
});

it("removes counts whose windows have ended, however many names there were, and none that is reserved", async () => {
  const clock = new FixedClock(LATE_IN_MONTH);
  const ledger = new InMemoryQuotaLedger({ clock });
  const reservation = { id: "one", charges: [{ ...charge("minute"), name: "reserved" }], leaseMs: 1000 };
  await ledger.reserve(reservation);
  for (let minute = 0; minute < 8; minute += 1) {
    const users = Array.from({ length: 3000 }, (_, user) => ({ ...charge("minute"), name: `${minute}:${user}` }));
    await ledger.spend({ charges: users });
    // The next month has begun.
    if (minute === 2) await ledger.spend({ charges: [charge("month")] });
    clock.advance(minute === 0 ? 29_000 : 60_000);
  }
  expect(ledger.size).toBeLessThanOrEqual(10_000);
  expect((await ledger.read({ counts: reservation.charges }))[0]).toMatchObject({ reserved: 6 });
  expect((await ledger.read({ counts: [charge("month")] }))[0]).toMatchObject({ used: 6 });
});
