import { expect, it } from "vitest";
import type { JsonValue } from "#kit/platform/json.ts";
import { sameArguments } from "./same-arguments.ts";

it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
  [undefined, undefined, true],
  [undefined, null, true],
  [undefined, {}, false],
  [{}, undefined, false],
  [null, {}, false],
  [{ x: 1, y: [2, { z: null }] }, { y: [2, { z: null }], x: 1 }, true],
  [{ x: 1 }, { x: 1, y: 2 }, false],
  [{ x: null }, { y: null }, false],
  [{ x: null }, {}, false],
  [[1, 2], [1], false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{}, [], false],
  [true, 1, true],
  [false, 0, true],
  [true, 2, false],
  [1, "1", false],
  ["", 0, false],
  [0, null, false],
  [JSON.parse('{"__proto__":1}'), {}, false],
])("compares %j and %j: %s", (one, other, expected) => {
  expect(sameArguments(one, other)).toBe(expected);
});
