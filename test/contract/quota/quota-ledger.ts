import { describe, expect, it } from "vitest";
import {
  MAX_QUOTA_AMOUNT,
  nothingOf,
  type QuotaAnswer,
  type QuotaCharge,
  type QuotaLedger,
  type QuotaReservation,
} from "#ports/quota/quota-ledger.ts";

export interface QuotaLedgerContract {
  /** The same counts in two processes. */
  readonly create: () => Promise<{
    readonly ends: readonly [QuotaLedger, QuotaLedger];
    readonly dispose: () => Promise<void>;
  }>;
}

let reservations = 0;

const charge = (amount: number, given: Partial<QuotaCharge> = {}): QuotaCharge => ({
  name: "user:ada:tokens",
  window: "day",
  max: 100,
  amount,
  ...given,
});

function reservation(charges: readonly QuotaCharge[], tenantId?: string): QuotaReservation {
  reservations += 1;
  return { id: `r-${reservations}`, charges, leaseMs: 60_000, ...(tenantId !== undefined && { tenantId }) };
}

/** The answer without its times. */
function shown(answer: QuotaAnswer): unknown {
  const states = answer.states.map(({ used, reserved }) => [used, reserved]);
  return answer.kind === "taken" ? { states } : { refused: answer.index, isReserved: answer.isReserved, states };
}

export function quotaLedgerContract({ create }: QuotaLedgerContract): void {
  describe("amounts", () => {
    it("are counted over all processes, up to the limit, and a refusal counts nothing", async () => {
      const { ends, dispose } = await create();
      const requests = charge(1, { max: 2, window: "minute" });
      const tokens = charge(10);
      expect(shown(await ends[0].spend({ charges: [tokens, requests] }))).toEqual({
        states: [
          [10, 0],
          [1, 0],
        ],
      });
      await ends[1].spend({ charges: [tokens, requests] });
      expect(shown(await ends[1].spend({ charges: [tokens, requests] }))).toEqual({
        refused: 1,
        isReserved: false,
        states: [
          [20, 0],
          [2, 0],
        ],
      });
      expect(shown(await ends[0].spend({ charges: [tokens] }))).toEqual({ states: [[30, 0]] });
      await dispose();
    });

    it("are those of one tenant, one name and one window", async () => {
      const { ends, dispose } = await create();
      await ends[0].spend({ charges: [charge(100)] });
      const others = [
        { charges: [charge(100)], tenantId: "acme" },
        { charges: [charge(100, { name: "user:bob:tokens" })] },
        { charges: [charge(100, { name: "user:ada:tokens:open" })] },
        { charges: [charge(100, { window: "month" })] },
        { charges: [charge(100, { name: "{x}:ü\ud800".repeat(40) })] },
      ];
      for (const other of others) expect(shown(await ends[0].spend(other))).toEqual({ states: [[100, 0]] });
      expect((await ends[0].spend({ tenantId: "default", charges: [charge(1)] })).kind).toBe("refused");
      await dispose();
    });

    it("are kept free by a reservation until it is settled by what was used, which may be more or nothing", async () => {
      const { ends, dispose } = await create();
      const first = reservation([charge(60)]);
      const second = reservation([charge(40)]);
      expect(shown(await ends[0].reserve(first))).toEqual({ states: [[0, 60]] });
      expect(shown(await ends[1].reserve(second))).toEqual({ states: [[0, 100]] });
      expect(shown(await ends[1].reserve(reservation([charge(1)])))).toEqual({
        refused: 0,
        isReserved: true,
        states: [[0, 100]],
      });
      ends[0].settle(first, [5]);
      ends[1].settle(second, nothingOf(second));
      const counts = [charge(0)];
      await expect.poll(async () => (await ends[0].read({ counts }))[0]).toMatchObject({ used: 5, reserved: 0 });
      const third = reservation([charge(10)]);
      await ends[0].reserve(third);
      ends[0].settle(third, [200]);
      await expect.poll(async () => (await ends[1].read({ counts }))[0]).toMatchObject({ used: 205, reserved: 0 });
      expect(shown(await ends[1].reserve(reservation([charge(1)])))).toEqual({
        refused: 0,
        isReserved: false,
        states: [[205, 0]],
      });
      await dispose();
    });

    it("are settled each by its own, and a refusal names the first without room and why", async () => {
      const { ends, dispose } = await create();
      const [requests, tokens] = [charge(1, { name: "requests", max: 1 }), charge(60)];
      const both = reservation([requests, tokens]);
      await ends[0].reserve(both);
      ends[0].settle(both, [1, 25]);
      const counts = [requests, tokens];
      await expect.poll(async () => (await ends[1].read({ counts })).map(({ used }) => used)).toEqual([1, 25]);
      await ends[0].reserve(reservation([charge(60)]));
      // What is used leaves room for the second one, and what is reserved does not.
      const wide = charge(150, { name: "wide", max: 200 });
      await ends[0].spend({ charges: [wide] });
      const spending = { charges: [{ ...wide, amount: 1 }, tokens] };
      expect(shown(await ends[1].spend(spending))).toMatchObject({ refused: 1, isReserved: true });
      // The first one has no room, whatever is reserved of the second.
      expect(shown(await ends[1].spend({ charges: counts }))).toMatchObject({ refused: 0, isReserved: false });
      await dispose();
    });

    it("are reserved when there is room again, by the reservation that was refused before", async () => {
      const { ends, dispose } = await create();
      const [first, refused] = [reservation([charge(100)]), reservation([charge(60)])];
      await ends[0].reserve(first);
      expect((await ends[0].reserve(refused)).kind).toBe("refused");
      ends[0].settle(first, [10]);
      const counts = [charge(0)];
      await expect.poll(async () => (await ends[1].read({ counts }))[0]).toMatchObject({ used: 10, reserved: 0 });
      expect(shown(await ends[0].reserve(refused))).toEqual({ states: [[10, 60]] });
      await dispose();
    });

    it("are reserved and settled once when a call is repeated", async () => {
      const { ends, dispose } = await create();
      const one = reservation([charge(60)]);
      await ends[0].reserve(one);
      expect(shown(await ends[0].reserve(one))).toEqual({ states: [[0, 60]] });
      ends[0].settle(one, [30]);
      ends[0].settle(one, [30]);
      const counts = [charge(0)];
      await expect.poll(async () => (await ends[1].read({ counts }))[0]).toMatchObject({ used: 30, reserved: 0 });
      await dispose();
    });

    it("may be larger than what is left, or than the limit, if nothing is reserved and something is left", async () => {
      const { ends, dispose } = await create();
      const large = reservation([charge(500)]);
      expect((await ends[0].reserve(large)).kind).toBe("taken");
      expect(shown(await ends[1].reserve(reservation([charge(500)])))).toMatchObject({ isReserved: true });
      ends[0].settle(large, [99]);
      const counts = [charge(0)];
      await expect.poll(async () => (await ends[1].read({ counts }))[0]).toMatchObject({ used: 99, reserved: 0 });
      expect((await ends[1].spend({ charges: [charge(500)] })).kind).toBe("taken");
      expect((await ends[1].spend({ charges: [charge(0)] })).kind).toBe("refused");
      await dispose();
    });

    it("of a window of now are only what is reserved", async () => {
      const { ends, dispose } = await create();
      const stream = () => reservation([charge(1, { name: "streams", window: "now", max: 2 })]);
      const [first, second] = [stream(), stream()];
      await ends[0].reserve(first);
      await ends[1].reserve(second);
      expect(shown(await ends[0].reserve(stream()))).toEqual({ refused: 0, isReserved: true, states: [[0, 2]] });
      ends[0].settle(first, [1]);
      await expect.poll(async () => (await ends[1].reserve(stream())).kind).toBe("taken");
      await dispose();
    });

    it("stay exact up to the largest, and beyond it the sum stays there", async () => {
      const { ends, dispose } = await create();
      const largest = charge(MAX_QUOTA_AMOUNT - 1, { max: MAX_QUOTA_AMOUNT });
      expect(shown(await ends[0].spend({ charges: [largest] }))).toEqual({ states: [[MAX_QUOTA_AMOUNT - 1, 0]] });
      expect(shown(await ends[0].spend({ charges: [largest] }))).toEqual({ states: [[MAX_QUOTA_AMOUNT, 0]] });
      expect(shown(await ends[0].spend({ charges: [{ ...largest, amount: 0, max: 0 }] }))).toMatchObject({
        refused: 0,
      });
      await dispose();
    });

    it("have no room at all under a limit of 0", async () => {
      const { ends, dispose } = await create();
      expect(shown(await ends[0].spend({ charges: [charge(1, { max: 0 })] }))).toMatchObject({ refused: 0 });
      expect((await ends[0].reserve(reservation([charge(0, { max: 0 })]))).kind).toBe("taken");
      await dispose();
    });

    it("are read with the time to the end of their window", async () => {
      const { ends, dispose } = await create();
      const windows = ["now", "minute", "day", "month"] as const;
      const states = await ends[0].read({ counts: windows.map((window) => charge(0, { window })) });
      const limits = [0, 60_000, 86_400_000, 31 * 86_400_000];
      for (const [index, { used, resetMs }] of states.entries()) {
        expect(used).toBe(0);
        expect(resetMs).toBeGreaterThanOrEqual(index === 0 ? 0 : 1);
        expect(resetMs).toBeLessThanOrEqual(limits[index] ?? 0);
      }
      expect(states).toHaveLength(4);
      expect(await ends[0].read({ counts: [] })).toEqual([]);
      expect(await ends[0].spend({ charges: [] })).toEqual({ kind: "taken", states: [] });
      await dispose();
    });
  });
}
