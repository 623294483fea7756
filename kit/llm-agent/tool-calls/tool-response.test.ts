import { describe, expect, it } from "vitest";
import { ToolResult } from "#kit/core/context/tool-result.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MAX_ERROR_CHARACTERS, MAX_RESPONSE_CHARACTERS, MAX_RESPONSE_DEPTH } from "./tool-limits.ts";
import { errorResponse, errorText, toToolResponse } from "./tool-response.ts";

function nested(depth: number): object {
  let value: object = {};
  for (let level = 1; level < depth; level += 1) value = { value };
  return value;
}

function circular(): object {
  const value: { self?: object } = {};
  value.self = { again: [value] };
  return value;
}

const twice = { a: 1 };

describe("what a tool gave", () => {
  it.each([
    ["an object", { a: [1, { b: null }] }],
    ["nothing", undefined],
    ["null", null],
    ["a text", "hi"],
    ["a list", [1, undefined, Number.NaN, () => 1]],
    ["a date", new Date(0)],
    ["an object that knows its JSON", { when: { toJSON: (key: string) => `json of ${key}` } }],
    ["undefined members", { a: undefined, b: Symbol("b"), c: new Map([[1, 2]]) }],
    [
      "a class's instance",
      new (class Point {
        x = 1;
        #y = 2;
        get y() {
          return this.#y;
        }
      })(),
    ],
    ["the same object twice", { first: twice, second: [twice] }],
    ["odd keys", JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')],
  ])("is kept as JSON would keep it: %s", (_, raw) => {
    verifies("tools:results");
    const json = JSON.parse(JSON.stringify(raw ?? null));
    const expected = typeof json === "object" && json !== null && !Array.isArray(json) ? json : { result: json };
    const { response, size } = toToolResponse(raw);
    expect(JSON.stringify(response)).toBe(JSON.stringify(expected));
    expect(size).toBeGreaterThan(0);
  });

  it.each([
    ["a text object", Object("hi")],
    ["a number object", Object(1)],
    ["a truth object", Object(false)],
    ["a member named toJSON that is not a function", { toJSON: 1 }],
  ])("is kept as JSON would keep it, in a member: %s", (_, value) => {
    expect(JSON.stringify(toToolResponse({ value }).response)).toBe(JSON.stringify({ value }));
  });

  it("leaves out undefined members", () => {
    expect(toToolResponse({ a: undefined })).toStrictEqual({ response: {}, size: 2 });
  });

  it.each<[unknown, number]>([
    [{}, 2],
    [{ key: "text" }, 2 + 7 + 6],
    [{ a: true, b: 1, c: null }, 2 + 3 * 5 + 5 + 8 + 4],
    [{ a: ["x", []] }, 2 + 5 + 2 + (1 + 3) + (1 + 2)],
    ["x", 3 + 11],
  ])("is measured: about the length of %j", (raw, size) => {
    expect(toToolResponse(raw).size).toBe(size);
    expect(size).toBeGreaterThanOrEqual(JSON.stringify(raw).length);
  });

  it("may be as long and as deep as the limits", () => {
    const text = "x".repeat(MAX_RESPONSE_CHARACTERS - 2);
    expect(toToolResponse(text).response).toEqual({ result: text });
    expect(Object.keys(toToolResponse(`${text}x`).response)).toEqual(["error"]);
    expect(Object.keys(toToolResponse(nested(MAX_RESPONSE_DEPTH)).response)).toEqual(["value"]);
    expect(Object.keys(toToolResponse(nested(MAX_RESPONSE_DEPTH + 1)).response)).toEqual(["error"]);
  });

  it("has an error of limited length, which is measured too", () => {
    const text = "x".repeat(MAX_ERROR_CHARACTERS);
    expect(errorResponse(text)).toEqual({ response: { error: text }, size: MAX_ERROR_CHARACTERS + 12 });
    expect(errorResponse(`${text}x`).response).toEqual({ error: `${text}… (${MAX_ERROR_CHARACTERS + 1} characters)` });
  });

  it("is a copy", () => {
    const raw = { inside: { a: 1 } };
    const { response } = toToolResponse(raw);
    raw.inside.a = 2;
    expect(response).toEqual({ inside: { a: 1 } });
  });

  it.each([
    ["a BigInt", { a: 1n }, "it holds a BigInt, which JSON has not. Give it as a string."],
    ["an object that contains itself", circular(), "it contains itself, which JSON cannot say."],
    [
      "50 MB of text",
      "x".repeat(50_000_000),
      "it is longer than 1000000 characters. Give less, or save it as an artifact.",
    ],
    [
      "a list without end",
      new Array(10_000_000).fill(1),
      "it is longer than 1000000 characters. Give less, or save it as an artifact.",
    ],
    ["bytes", { data: Buffer.alloc(50_000_000) }, "it holds bytes. Save them as an artifact, or give them as base64."],
    ["endless depth", nested(100_000), "it is nested deeper than 200 levels. Give a flatter one."],
    [
      "a getter that throws",
      {
        get a(): number {
          throw new Error("no a");
        },
      },
      "no a",
    ],
  ])("is reported as an error when it is %s", (_, raw, problem) => {
    verifies("tools:results");
    expect(toToolResponse(raw).response).toEqual({ error: `The tool's result cannot be used: ${problem}` });
  });

  it.each([
    [false, 900_000],
    [false, 2_900_000],
    [true, 7_000_000],
  ])("may have a screenshot of usual size (artifacts: %s, %i bytes)", (movesMedia, bytes) => {
    verifies("tools:results:media-size");
    const part = { inlineData: { mimeType: "image/png", data: Buffer.alloc(bytes, 1).toString("base64") } };
    const { parts, response, size } = toToolResponse(new ToolResult({ response: "seen", media: [part] }), {
      movesMedia,
    });
    expect([parts?.length, response]).toEqual([1, { result: "seen" }]);
    expect(size).toBeLessThanOrEqual(MAX_RESPONSE_CHARACTERS);
  });

  it("may be as long as the limit", () => {
    const text = "x".repeat(MAX_RESPONSE_CHARACTERS - 20);
    expect(toToolResponse(text).response).toEqual({ result: text });
  });
});

describe("the text of an error", () => {
  it.each([
    ["its message", new Error("broken"), "broken"],
    ["its name where it has no message", new TypeError(), "TypeError"],
    ["the thrown value", "just a text", "just a text"],
    ["what kind of value was thrown, if it has no text", Object.create(null), "a value of type object was thrown"],
  ])("is %s", (_, error, expected) => {
    expect(errorText(error)).toBe(expected);
  });

  it("is bounded", () => {
    expect(errorText(new Error("x".repeat(5_000_000)))).toBe(`${"x".repeat(4000)}… (5000000 characters)`);
  });
});
