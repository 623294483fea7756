import { describe, expect, it } from "vitest";
import { Remembered } from "./remembered.ts";

describe("remembered values", () => {
  it("are valid until their instant, and not after a newer value of the name", () => {
    const values = new Remembered<string>();
    values.put("a", "first", 1000);
    expect([values.get("a", 999), values.get("a", 1000), values.get("b", 0)]).toEqual(["first", undefined, undefined]);
    values.put("a", "second", 2000);
    expect(values.get("a", 1000)).toBe("second");
    values.clear();
    expect([values.get("a", 1000), values.size]).toEqual([undefined, 0]);
  });

  it.each([1, 2047, 2048, 2049, 4096, 4097, 10_000])(
    "are 4096 at most, and the newest 2048 at least, of %i",
    (count) => {
      const values = new Remembered<number>();
      let most = 0;
      for (let n = 1; n <= count; n += 1) {
        values.put(`${n}`, n, 1);
        most = Math.max(most, values.size);
      }
      expect(most).toBe(Math.min(count, 4096));
      const oldest = Math.max(1, count - 2047);
      expect(values.get(`${oldest}`, 0)).toBe(oldest);
    },
  );

  it("stay while they are used, and a newer value of a name is never replaced by an older one", () => {
    const values = new Remembered<number>();
    values.put("used", 1, 1);
    values.put("changed", 1, 1);
    for (let n = 0; n < 10_000; n += 1) {
      values.put(`${n}`, n, 1);
      expect(values.get("used", 0)).toBe(1);
      if (n === 3000) values.put("changed", 2, 1);
      if (n > 3000 && n < 5000) expect(values.get("changed", 0)).toBe(2);
    }
  });
});
