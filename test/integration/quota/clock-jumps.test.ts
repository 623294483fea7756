import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryQuotaLedger } from "#ports/quota/in-memory-quota-ledger.ts";
import type { QuotaWindow } from "#ports/quota/quota-window.ts";
import { verifies } from "#test/helpers/verifies.ts";

const HOUR_MS = 3_600_000;

function start(window: QuotaWindow) {
  const clock = new FixedClock();
  clock.advance(30_000);
  const ledger = new InMemoryQuotaLedger({ clock });
  const count = { name: "c", window, max: 2 };
  const spend = async () => (await ledger.spend({ charges: [{ ...count, amount: 1 }] })).kind;
  const state = async () => (await ledger.read({ counts: [count] }))[0];
  return { clock, ledger, count, spend, state };
}

it.each([1, -1])("counts anew within a minute after the clock was set by %s hour for a moment", async (hours) => {
  verifies("quotas:clock");
  const { clock, spend } = start("minute");
  clock.advance(hours * HOUR_MS);
  expect([await spend(), await spend(), await spend()]).toEqual(["taken", "taken", "refused"]);
  clock.advance(-hours * HOUR_MS);
  // What the wrong time counted ends with the minute, if it counts at all.
  await spend();
  clock.advance(60_000);
  expect([await spend(), await spend(), await spend()]).toEqual(["taken", "taken", "refused"]);
});

it.each<readonly [QuotaWindow, number]>([
  ["minute", HOUR_MS],
  ["day", HOUR_MS],
  ["month", HOUR_MS],
])("gives no second quota of a %s to a clock that is set back over its beginning", async (window, backMs) => {
  verifies("quotas:clock");
  const { clock, spend } = start(window);
  expect([await spend(), await spend()]).toEqual(["taken", "taken"]);
  clock.advance(-backMs);
  expect(await spend()).toBe("refused");
});

it.each([HOUR_MS, -HOUR_MS])("settles a reservation over a jump of the clock by %s ms", async (jumpMs) => {
  verifies("quotas:clock");
  const { clock, ledger, count, state } = start("minute");
  const reservation = { id: "r", leaseMs: 1000, charges: [{ ...count, amount: 2 }] };
  await ledger.reserve(reservation);
  clock.advance(jumpMs);
  expect(await state()).toMatchObject({ used: 0, reserved: 2 });
  ledger.settle(reservation, [1]);
  expect(await state()).toMatchObject({ used: 1, reserved: 0 });
  clock.advance(60_000);
  expect(await state()).toMatchObject({ used: 0, reserved: 0 });
});
