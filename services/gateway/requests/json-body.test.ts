import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { parseJsonBody as parse } from "./json-body.ts";

const parseJsonBody = (body: Uint8Array): unknown => parse(body, { maxElements: 50_000, maxDepth: 200 });

const bytes = (text: string): Uint8Array => Buffer.from(text);

function refusal(body: Uint8Array): unknown {
  try {
    return parseJsonBody(body);
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.problems.map(({ type, loc }) => ({ type, loc }));
    return error instanceof PlatformError ? { reason: error.reason, message: error.message } : error;
  }
}

describe("parseJsonBody", () => {
  it("reads any JSON value, and treats an empty or blank body as no body", () => {
    expect(parseJsonBody(bytes('{"a":[1,null,"ü"]}'))).toEqual({ a: [1, null, "ü"] });
    expect(parseJsonBody(bytes("null"))).toBeNull();
    expect(parseJsonBody(bytes(""))).toBeUndefined();
    expect(parseJsonBody(bytes(" \n\t "))).toBeUndefined();
  });

  it("removes a byte order mark", () => {
    expect(parseJsonBody(bytes('\uFEFF{"a":1}'))).toEqual({ a: 1 });
  });

  it("reports the position of invalid JSON, and never quotes the body", () => {
    expect(refusal(bytes('{"secret":"s3cr3t",}'))).toEqual({
      reason: "MALFORMED_JSON",
      message: "The body is not valid JSON (at position 19).",
    });
    expect(refusal(bytes('{"a":'))).toEqual({ reason: "MALFORMED_JSON", message: "The body is not valid JSON." });
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(refusal(Uint8Array.of(0x22, 0xff, 0xfe, 0x22))).toEqual({
      reason: "MALFORMED_JSON",
      message: "The body is not valid UTF-8.",
    });
  });

  it.each([
    ['{"state":{"a":[{"__proto__":{"x":1}}]}}', ["body", "state", "a", 0, "__proto__"]],
    ['{"\\u005f_proto__":1}', ["body", "__proto__"]],
    ['[{"constructor":{"prototype":{}}}]', ["body", 0, "constructor"]],
  ])("refuses keys that reach a prototype: %s", (body, loc) => {
    expect(refusal(bytes(body))).toEqual([{ type: "forbidden_key", loc }]);
  });

  it("accepts `constructor` as a key of an application", () => {
    const body = '{"state":{"constructor":"Ferrari"}}';
    expect(JSON.stringify(parseJsonBody(bytes(body)))).toBe(body);
  });

  it("refuses trees deeper than 200 levels, whatever their size", () => {
    const nested = (depth: number): Uint8Array => bytes("[".repeat(depth) + "]".repeat(depth));
    expect(refusal(nested(201))).toEqual({
      reason: "JSON_TOO_COMPLEX",
      message: "The body is nested deeper than 200 levels.",
    });
    expect(refusal(nested(200_000))).toEqual({
      reason: "JSON_TOO_COMPLEX",
      message: "The body is nested deeper than 200 levels.",
    });
    expect(Array.isArray(parseJsonBody(nested(200)))).toBe(true);
  });

  it("refuses more members and elements than are allowed, before it parses them", () => {
    const list = (length: number): Uint8Array => bytes(`[${Array(length).fill("[]").join(",")}]`);
    expect(parseJsonBody(list(50_000))).toHaveLength(50_000);
    const reason = { reason: "JSON_TOO_COMPLEX", message: "The body has more than 50000 members and elements." };
    expect(refusal(list(50_001))).toEqual(reason);
    expect(refusal(bytes(`[${"[],".repeat(60_000)}`))).toEqual(reason);
  });
});
