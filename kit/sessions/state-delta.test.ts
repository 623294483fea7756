import { describe, expect, it } from "vitest";
import type { JsonValue } from "../platform/json.ts";
import { applyDelta, mergeScopes, splitDelta } from "./state-delta.ts";

describe("splitDelta", () => {
  it("routes keys by prefix, drops temp: and does not compose prefixes", () => {
    const delta = {
      a: 1,
      "app:b": 2,
      "user:c": 3,
      "temp:d": 4,
      "app:temp:e": 5,
      "user:app:f": "__ADK_SENTINEL_REMOVED__",
    };
    expect(splitDelta(delta)).toEqual({ app: { b: 2, "temp:e": 5 }, user: { c: 3, "app:f": null }, session: { a: 1 } });
  });
});

describe("applyDelta", () => {
  it("sets keys, removes those that are null, and treats __proto__ like any other name", () => {
    const target: Record<string, JsonValue> = { kept: 1, gone: 2, alsoGone: 3 };
    applyDelta(target, JSON.parse('{"gone":null,"alsoGone":"__ADK_SENTINEL_REMOVED__","__proto__":{"polluted":1}}'));
    expect(JSON.stringify(target)).toBe('{"kept":1,"__proto__":{"polluted":1}}');
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
  });
});

describe("mergeScopes", () => {
  it("adds the prefixes again", () => {
    expect(mergeScopes({ a: 1 }, { a: 2 }, { a: 3 })).toEqual({ a: 3, "app:a": 1, "user:a": 2 });
  });
});
