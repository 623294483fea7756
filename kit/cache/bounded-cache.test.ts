import { describe, expect, it } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";

describe("BoundedCache", () => {
  it("drops the entry that was used least recently", () => {
    const cache = new BoundedCache<number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
  });

  it("keeps nothing when it may hold nothing", () => {
    const cache = new BoundedCache<number>(0);
    cache.set("a", 1);
    expect(cache.get("a")).toBeUndefined();
  });
});
