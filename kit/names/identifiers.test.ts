import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { PlatformError } from "../errors/platform-error.ts";
import {
  assertIdentifier,
  assertSessionKey,
  escapeSegment,
  MAX_SEGMENT_LENGTH,
  unescapeSegment,
} from "./identifiers.ts";

const CONTROL = /\p{Cc}/u;
const identifiers = fc
  .string({ unit: "binary", minLength: 1, maxLength: 64 })
  .filter((value) => value.isWellFormed() && !CONTROL.test(value));
const awkward = fc.array(fc.constantFrom(".", "/", "\\", "%", "_", "2F", "25", "a", "é", "🎲", " "), {
  minLength: 1,
  maxLength: 40,
});
const anyIdentifier = fc.oneof(
  identifiers,
  awkward.map((parts) => parts.join("")),
);

describe("assertIdentifier", () => {
  it.each(["a", "a/b", "..", ".", "__proto__", "日本語", "🎲", "a b", "%2F", "x".repeat(256), "é".repeat(128)])(
    "accepts %j",
    (value) => {
      verifies("limits:identifiers");
      expect(() => assertIdentifier("userId", value)).not.toThrow();
    },
  );

  it.each([
    ["", "userId is empty. Give it at least one character."],
    ["x".repeat(257), "userId is over 256 bytes of UTF-8. Make it shorter."],
    ["é".repeat(129), "userId is over 256 bytes of UTF-8. Make it shorter."],
    ["a\nb", "userId has a control character. Remove it."],
    ["a\u0000", "userId has a control character. Remove it."],
    ["a\u007f", "userId has a control character. Remove it."],
    ["a\u0085", "userId has a control character. Remove it."],
    ["a\ud800", "userId has half of a surrogate pair. Send well-formed Unicode."],
    [7, "userId must be a string."],
  ])("refuses %j and names field and fix", (value, message) => {
    verifies("limits:identifiers");
    expect(() => assertIdentifier("userId", value)).toThrow(
      new PlatformError("INVALID_IDENTIFIER", message, { details: { field: "userId" } }),
    );
  });

  it("names the part of a session key that is wrong", () => {
    const refused = (key: { appName: string; userId: string; id: string }): unknown => {
      try {
        assertSessionKey(key);
        return undefined;
      } catch (error) {
        return error instanceof PlatformError && error.details;
      }
    };
    expect([
      refused({ appName: "", userId: "u", id: "s" }),
      refused({ appName: "a", userId: "", id: "s" }),
      refused({ appName: "a", userId: "u", id: "" }),
      refused({ appName: "a", userId: "u", id: "s" }),
    ]).toEqual([{ field: "appName" }, { field: "userId" }, { field: "sessionId" }, undefined]);
  });
});

describe("escapeSegment", () => {
  it.each([
    ["plain-Name_1.txt", "plain-Name_1.txt"],
    [".", "%2E"],
    ["..", "%2E%2E"],
    ["...", "%2E.%2E"],
    ["_index", "%5Findex"],
    ["a/b", "a%2Fb"],
    ["a%2Fb", "a%252Fb"],
    ["a\\b", "a%5Cb"],
    ["é", "%C3%A9"],
  ])("writes %j as %j", (identifier, segment) => {
    expect(escapeSegment(identifier)).toBe(segment);
  });

  it("returns one safe segment from which the identifier can be restored", () => {
    fc.assert(
      fc.property(anyIdentifier, (identifier) => {
        const segment = escapeSegment(identifier);
        expect(unescapeSegment(segment)).toBe(identifier);
        expect(segment).toMatch(/^(?![._])[A-Za-z0-9@=+,._%-]+(?<!\.)$/);
        if (Buffer.byteLength(identifier) <= 256) expect(segment.length).toBeLessThanOrEqual(MAX_SEGMENT_LENGTH);
      }),
    );
  });

  it("keeps distinct identifiers apart", () => {
    fc.assert(
      fc.property(anyIdentifier, anyIdentifier, (one, other) => {
        expect(escapeSegment(one) === escapeSegment(other)).toBe(one === other);
      }),
    );
  });

  it.each(["", ".", "..", "_index", "a/b", "%2f", "%41", "%", "%zz", "%FF", "é", "%00"])(
    "returns undefined for %j, which escapeSegment never returns",
    (segment) => {
      expect(unescapeSegment(segment)).toBeUndefined();
    },
  );
});
