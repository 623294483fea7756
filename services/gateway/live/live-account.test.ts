import { expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { LiveAccount } from "./live-account.ts";

it("lets a call keep more than its share while there is room, and not beyond", () => {
  verifies("platform:live:account");
  const account = new LiveAccount(1000);
  const [large, small] = [account.open(), account.open()];
  expect([account.share, large.limit(800), large.limit(300)]).toEqual([500, 500, 300]);
  large.change(900);
  expect(large.isOver).toBe(false);
  small.change(400);
  expect([account.isFull, large.isOver, small.isOver]).toEqual([true, true, false]);
  large.change(-400);
  expect([account.bytes, large.isOver]).toEqual([900, false]);
  large.close();
  // What ends later gives nothing back twice.
  large.change(-500);
  large.close();
  expect([account.bytes, account.share]).toEqual([400, 1000]);
});

it("keeps twice its limit at most, if each call that is over its share gives that up, however many there are", () => {
  verifies("platform:live:account");
  const random = new SeededRandom(TEST_SEED).fork("live account");
  const account = new LiveAccount(10_000);
  let calls = [account.open()];
  for (let step = 0; step < 5_000; step += 1) {
    if (random.between(1, 10) === 1) calls.push(account.open());
    const call = random.pick(calls);
    call.change(random.between(0, 500));
    if (call.isOver) {
      call.close();
      calls = calls.filter((other) => other !== call);
      if (calls.length === 0) calls.push(account.open());
    }
    expect(account.bytes).toBeLessThanOrEqual(20_000);
  }
  for (const call of calls) call.close();
  expect(account.bytes).toBe(0);
});
