import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { allNames, NAMES_OF_PAGE, pageOfNames } from "./name-pages.ts";

describe("pages of names", () => {
  it("are in the order of the names, from the first or after one", () => {
    expect(pageOfNames(["b", "c", "a"])).toEqual(["a", "b", "c"]);
    expect(pageOfNames(["b", "c", "a"], "a")).toEqual(["b", "c"]);
    expect(pageOfNames([10, 9, 2], 2)).toEqual([9, 10]);
  });

  it("are read until the list has no more, each with as many names as one may have", async () => {
    verifies("limits:lists");
    const stored = Array.from({ length: 2 * NAMES_OF_PAGE + 1 }, (_, number) => number);
    const sizes: number[] = [];
    const read = async (after?: number): Promise<readonly number[]> => {
      const page = pageOfNames(stored, after);
      sizes.push(page.length);
      return page;
    };
    expect(await Array.fromAsync(allNames(read))).toEqual(stored);
    expect(sizes).toEqual([NAMES_OF_PAGE, NAMES_OF_PAGE, 1]);
  });
});
