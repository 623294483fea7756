import { expect, it } from "vitest";
import { lazy } from "./lazy.ts";

it("loads once for all callers, and again after a failure", async () => {
  let calls = 0;
  const get = lazy(async () => {
    calls += 1;
    if (calls < 3) throw new Error(`failure ${calls}`);
    return calls;
  });
  const both = await Promise.allSettled([get(), get()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(calls).toBe(1);
  await expect(get()).rejects.toThrow("failure 2");
  expect([await get(), await get(), calls]).toEqual([3, 3, 3]);
});
