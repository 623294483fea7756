import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { createContextCacheConfig, getTtlString } from "./context-cache-config.ts";
import { fingerprint } from "./fingerprint.ts";

describe("the configuration of the context cache", () => {
  it("has two integers and a time to live, which is also available as text", () => {
    verifies(
      "configuration:context-cache:record",
      "configuration:context-cache:ttl-string",
      "configuration:context-cache:component-names",
      "limits:context-cache",
      "limits:defaults:context-cache",
    );
    const defaults = createContextCacheConfig();
    expect(defaults).toEqual({ maxInvocations: 10, ttlSeconds: 1800, minTokens: 0 });
    expect(getTtlString(defaults)).toBe("1800s");
    expect(getTtlString(createContextCacheConfig({ ttlSeconds: 60 }))).toBe("60s");
  });

  it.each([
    ["maxInvocations", 0],
    ["maxInvocations", 101],
    ["ttlSeconds", 0],
    ["ttlSeconds", 1.5],
    ["minTokens", -1],
  ])("refuses %s of %d and names the field", (name, value) => {
    expect(() => createContextCacheConfig({ [name]: value })).toThrowError(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field: `contextCache.${name}` } }),
    );
  });
});

describe("a fingerprint", () => {
  it("is independent of the order of keys, and differs for any other difference", () => {
    const one = fingerprint({ a: 1, b: { c: [1, 2], d: "x" } });
    expect(fingerprint({ b: { d: "x", c: [1, 2] }, a: 1 })).toBe(one);
    expect(fingerprint({ a: 1, b: { c: [2, 1], d: "x" } })).not.toBe(one);
  });
});
