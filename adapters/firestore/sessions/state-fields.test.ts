import { describe, expect, it } from "vitest";
import { toStateFields, toStateScope } from "./state-fields.ts";

describe("state as fields of a document", () => {
  it("sets a field of JSON text for each key and removes those that are null", () => {
    expect(toStateFields({ a: [[1]], "b.c": null, "d`\\": { e: "f" } })).toEqual({
      values: { a: "[[1]]", "d`\\": '{"e":"f"}' },
      mask: ["state.a", "state.`b.c`", "state.`d\\`\\\\`"],
    });
  });

  it("gives back every key, also those that the store would refuse as names", () => {
    const keys = ["", "%", "__name__", "_", "%005f", "a\u0000b\n", "\ud800", "é 🎲", "constructor", "a%b"];
    const state = Object.fromEntries(keys.map((key, index) => [key, index]));
    const { values } = toStateFields(state);
    expect(Object.keys(values).filter((name) => name === "" || /^_|[\u0000-\u001f\ud800-\udfff]/u.test(name))).toEqual(
      [],
    );
    expect(toStateScope(values).copy()).toEqual(state);
  });

  it("keeps __proto__ as a key of its own", () => {
    // Only JSON text can contain such a key.
    const state = JSON.parse('{"__proto__":{"a":1}}') as Record<string, never>;
    expect(Object.entries(toStateScope(toStateFields(state).values).copy())).toEqual([["__proto__", { a: 1 }]]);
  });

  it("refuses a key that is longer than a field's name may be", () => {
    expect(() => toStateFields({ ["é".repeat(751)]: 1 })).toThrowError(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "stateDelta" } }),
    );
    expect(toStateFields({ ["é".repeat(750)]: 1 }).mask).toHaveLength(1);
  });

  it("is empty where there is no state", () => {
    expect([toStateScope(undefined).copy(), toStateScope({}).copy()]).toEqual([{}, {}]);
  });
});
