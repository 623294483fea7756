import { describe, expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { isLongInteger, parseExactJson } from "./exact-json.ts";

describe("JSON with exact integers", () => {
  it.each<[string, unknown]>([
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["9007199254740992", 9007199254740992],
    ['{"id":1234567890123456789,"n":1}', { id: "1234567890123456789", n: 1 }],
    ["[1.1234567890123456789,1e-1234567890123456789,2.5e+10]", [1.1234567890123457, 0, 25_000_000_000]],
    ['["1234567890123456789","a\\\\",1234567890123456789]', ["1234567890123456789", "a\\", "1234567890123456789"]],
    ['["\\"1234567890123456789","[1234567890123456789"]', ['"1234567890123456789', "[1234567890123456789"]],
    [`[${"9".repeat(41)}]`, [1e41]],
    ["1000000000000000000", 1e18],
  ])("of %s", (text, expected) => {
    verifies("tools:openapi:breadth");
    expect(parseExactJson(text)).toEqual(expected);
  });

  it.each(["{1234567890123456789:1}", "[1234567890123456789", '"1234567890123456789', "[01234567890123456789]"])(
    "is refused where JSON is: %s",
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    },
  );

  it(`is what JSON.parse gives for all else, with SEED=${TEST_SEED}`, () => {
    const random = new SeededRandom(TEST_SEED).fork("exact");
    const leaf = () =>
      random.pick<unknown>([
        "\\",
        '"',
        '\\"',
        "1234567890123456",
        "x",
        1234567890123456,
        -0.1234567890123456,
        1e300,
        null,
      ]);
    const value = (depth: number): unknown =>
      depth === 0
        ? leaf()
        : random.pick([[value(depth - 1), leaf()], { [String(leaf())]: value(depth - 1), a: leaf() }]);
    for (let round = 0; round < 500; round += 1) {
      const json = JSON.stringify(value(4), null, random.pick([0, 1]));
      expect(parseExactJson(json), json).toEqual(JSON.parse(json));
    }
  });

  it("takes time in proportion to the text, whatever is in it", () => {
    const long = "1234567890123456789";
    const texts = [
      `[${"1,".repeat(2_000_000)}${long}]`,
      `[${`${long},`.repeat(400_000)}1]`,
      `["${'\\"'.repeat(2_000_000)}",${long}]`,
    ];
    const before = process.threadCpuUsage();
    for (const text of texts) parseExactJson(text);
    const { user, system } = process.threadCpuUsage(before);
    // A call of a function for each value takes more than four seconds for the first text alone.
    expect((user + system) / 1e6).toBeLessThan(3);
  });
});

it("knows the texts that stand for integers which no number holds", () => {
  expect(["12345678901234567891", "1234", 7].map((value) => isLongInteger(value))).toEqual([true, false, false]);
});
