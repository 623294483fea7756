import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { TransientMap } from "./transient-map.ts";

describe("TransientMap", () => {
  it("works as a map after many entries were added and removed", () => {
    const map = new TransientMap<string, number>();
    const expected = new Map<string, number>();
    for (let n = 0; n < 1000; n += 1) {
      map.set(`k${n}`, n);
      expected.set(`k${n}`, n);
      const old = `k${n - (n % 7) * 3}`;
      map.delete(old);
      expected.delete(old);
      map.delete("absent");
    }
    expect([map.size, [...map], map.values()]).toEqual([expected.size, [...expected], [...expected.values()]]);
    for (let n = 0; n < 1000; n += 1)
      expect([map.has(`k${n}`), map.get(`k${n}`)]).toEqual([expected.has(`k${n}`), expected.get(`k${n}`)]);
  });

  it("is empty after it was cleared", () => {
    const map = new TransientMap<string, number>();
    map.set("a", 1);
    map.clear();
    expect([map.size, map.has("a"), map.values()]).toEqual([0, false, []]);
    map.set("b", 2);
    expect([...map]).toEqual([["b", 2]]);
  });

  it("may be changed during an iteration, which covers the entries at its start", () => {
    const map = new TransientMap<number, number>();
    for (let n = 0; n < 300; n += 1) map.set(n, n);
    const seen: number[] = [];
    for (const [key] of map) {
      seen.push(key);
      map.delete(key);
      map.set(key + 1000, key);
    }
    expect([seen.length, map.size]).toEqual([300, 300]);
  });

  it("keeps nothing of removed entries in the old generation, as a Map does", () => {
    const kept = (type: string): number => Number(execFileSync(process.execPath, [...ARGS, churn(type)]).toString());
    // In MB, of 40 MB of values that were removed. The collector's figures are exact enough for this distance.
    expect(kept("TransientMap")).toBeLessThan(12);
    expect(kept("Map")).toBeGreaterThan(20);
  });
});

const ARGS = [
  "--expose-gc",
  "--max-semi-space-size=4",
  "--heap-growing-percent=10000",
  "--input-type=module",
  "--eval",
];

/** A program that prints how many MB of 50 entries at a time, 1 KB each, a young collection leaves. */
function churn(type: string): string {
  return `
    import { TransientMap } from ${JSON.stringify(pathToFileURL(`${import.meta.dirname}/transient-map.ts`).href)};
    const map = new ({ Map, TransientMap }.${type})();
    const value = (n) => Array.from({ length: 20 }, (_, part) => ({ n, part }));
    const turn = (n) => { map.set("run-" + n, value(n)); map.delete("run-" + (n - 50)); };
    let n = 0;
    for (; n < 50; n += 1) turn(n);
    gc();
    gc();
    const before = process.memoryUsage().heapUsed;
    for (; n < 40_000; n += 1) turn(n);
    gc({ type: "minor" });
    gc({ type: "minor" });
    console.log((process.memoryUsage().heapUsed - before) / 1e6);
  `;
}
