import { describe, expect, it } from "vitest";
import { copyPlain } from "./json.ts";

describe("copyPlain", () => {
  it("copies objects and lists at any depth, and shares nothing with the original", () => {
    const original = { list: [{ text: "a" }, null, 1], nested: { deep: { flag: true } }, absent: undefined };
    const copy = copyPlain(original);
    expect(copy).toStrictEqual(original);
    expect(copy.list).not.toBe(original.list);
    expect(copy.list[0]).not.toBe(original.list[0]);
    expect(copy.nested.deep).not.toBe(original.nested.deep);
  });

  it("keeps `__proto__` as data", () => {
    const copy = copyPlain(JSON.parse('{"a":{"__proto__":{"polluted":[1]}}}'));
    expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"polluted":[1]}}}');
    expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype);
  });

  it("copies what is not plain as structuredClone does", () => {
    const bytes = new Uint8Array([1, 2]);
    const copy = copyPlain({ bytes });
    expect(copy).toStrictEqual({ bytes: new Uint8Array([1, 2]) });
    expect(copy.bytes).not.toBe(bytes);
  });
});
