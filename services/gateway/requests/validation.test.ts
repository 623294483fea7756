import { describe, expect, it } from "vitest";
import { Type } from "#kit/schema/shape.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { compileValidator } from "./validation.ts";

const problemsOf = (schema: unknown, data: unknown, httpPart = "body"): unknown => {
  const result = compileValidator({ schema, httpPart })(data);
  if (!("error" in result)) return result.value;
  return result.error.cause instanceof InvalidRequestError ? result.error.cause.problems : result.error;
};

describe("compileValidator", () => {
  it("lists every problem with its place, a sentence and the short value", () => {
    const schema = Type.Object({
      name: Type.String(),
      user: Type.String({ minLength: 1 }),
      count: Type.Integer({ minimum: 1 }),
      flag: Type.Boolean(),
      tags: Type.Array(Type.String()),
      map: Type.Map(Type.Number()),
      kind: Type.Union([Type.Literal("a"), Type.Literal("b")]),
    });
    const data = { user: "", count: 0, flag: "yes", tags: ["x", 1], map: { k: "v" }, kind: "c" };
    expect(problemsOf(schema, data)).toEqual([
      { type: "string_too_short", loc: ["body", "user"], msg: "Input should not be empty", input: "" },
      { type: "greater_than_equal", loc: ["body", "count"], msg: "Input should be at least 1", input: 0 },
      { type: "bool_type", loc: ["body", "flag"], msg: "Input should be true or false", input: "yes" },
      { type: "string_type", loc: ["body", "tags", 1], msg: "Input should be a string", input: 1 },
      { type: "float_type", loc: ["body", "map", "k"], msg: "Input should be a number", input: "v" },
      { type: "literal_error", loc: ["body", "kind"], msg: 'Input should be "a" or "b"', input: "c" },
      { type: "missing", loc: ["body", "name"], msg: "Field required" },
    ]);
  });

  it("passes unknown members and nulls that are allowed", () => {
    const schema = Type.Object({
      state: Type.Optional(Type.Union([Type.Null(), Type.JsonObject()])),
    });
    expect(problemsOf(schema, { state: null, other: 1 })).toEqual({ state: null, other: 1 });
    expect(problemsOf(schema, { state: [1] })).toEqual([
      { type: "dict_type", loc: ["body", "state"], msg: "Input should be an object" },
    ]);
  });

  it("does not echo long values, and stops at fifty problems", () => {
    const schema = Type.Array(Type.Number());
    const problems = problemsOf(
      schema,
      Array.from({ length: 1000 }, () => "x".repeat(101)),
    );
    expect(problems).toHaveLength(50);
    expect(problems).toEqual(
      expect.arrayContaining([{ type: "float_type", loc: ["body", 49], msg: "Input should be a number" }]),
    );
  });

  it("stops at fifty problems of an object too, of its known members and of others", () => {
    const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
    const required = Type.Object(Object.fromEntries(names.map((name) => [name, Type.Number()])));
    expect(problemsOf(required, {})).toHaveLength(50);
    const map = Type.Map(Type.Number());
    const data = Object.fromEntries(names.map((name) => [name, "text"]));
    expect(problemsOf(map, data)).toHaveLength(50);
    const nullable = Type.Map(Type.Union([Type.Number(), Type.Null()]));
    expect(problemsOf(nullable, data)).toHaveLength(50);
  });

  it("accepts numbers at their minimum and at their maximum, and refuses the next ones", () => {
    const schema = Type.Integer({ minimum: 1, maximum: 1000 });
    expect([problemsOf(schema, 1), problemsOf(schema, 1000)]).toEqual([1, 1000]);
    expect([problemsOf(schema, 0), problemsOf(schema, 1001)]).toEqual([
      [{ type: "greater_than_equal", loc: ["body"], msg: "Input should be at least 1", input: 0 }],
      [{ type: "less_than_equal", loc: ["body"], msg: "Input should be at most 1000", input: 1001 }],
    ]);
  });

  it("reads numbers and booleans of a query strictly", () => {
    const schema = Type.Object({
      size: Type.Optional(Type.Integer()),
      detailed: Type.Optional(Type.Boolean()),
      name: Type.Optional(Type.String()),
    });
    expect(problemsOf(schema, { size: "12", detailed: "true", name: "5" }, "querystring")).toEqual({
      size: 12,
      detailed: true,
      name: "5",
    });
    expect(problemsOf(schema, { size: "", detailed: "maybe" }, "querystring")).toEqual([
      { type: "int_type", loc: ["query", "size"], msg: "Input should be a number", input: "" },
      { type: "bool_type", loc: ["query", "detailed"], msg: "Input should be true or false", input: "maybe" },
    ]);
  });
});
