import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ListCache, type LoadedList } from "../list-cache.ts";

/** A cache whose loads return lists of their number, with this time. */
function createCache(ttlMs?: number) {
  const clock = new FixedClock();
  const cache = new ListCache<number>(clock, 1000);
  let loads = 0;
  const load = async (): Promise<LoadedList<number>> => {
    loads += 1;
    return { items: [loads], ...(ttlMs !== undefined && { ttlMs }) };
  };
  return { clock, cache, load, read: () => cache.read(load) };
}

it.each([
  [undefined, 1000],
  [5000, 5000],
  [0, 0],
  [1e12, 86_400_000],
])("keeps a list with the time %s for %i ms", async (ttlMs, keptMs) => {
  const { clock, cache, read } = createCache(ttlMs);
  expect(cache.last).toBeUndefined();
  expect(await read()).toEqual([1]);
  if (keptMs > 0) {
    clock.advance(keptMs - 1);
    expect(await read()).toEqual([1]);
    clock.advance(1);
  }
  expect([await read(), cache.last]).toEqual([[2], [2]]);
});

it("loads a list once for concurrent readers, and again for those whose loader failed", async () => {
  const { cache, read } = createCache();
  expect(await Promise.all([read(), read(), read()])).toEqual([[1], [1], [1]]);
  cache.forget();
  const failing = cache.read(() => Promise.reject(new Error("cancelled")));
  const [first, second] = [read(), read()];
  await expect(failing).rejects.toThrow("cancelled");
  expect([await first, await second]).toEqual([[2], [2]]);
});

it("does not keep a list that changed while it was read", async () => {
  const { cache, read } = createCache();
  const old = await cache.read(async () => {
    cache.forget();
    return { items: [0] };
  });
  expect([old, cache.last]).toEqual([[0], [0]]);
  expect(await read()).toEqual([1]);
  cache.forget();
  expect(await read()).toEqual([2]);
});
