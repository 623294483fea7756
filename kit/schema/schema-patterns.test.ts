import { describe, expect, it } from "vitest";
import { toSchema } from "./schema.ts";
import { assertLinearPatterns } from "./schema-patterns.ts";

describe("patterns of schemas", () => {
  it("end for a text on which backtracking does not", async () => {
    const schema = toSchema({ type: "object", properties: { name: { type: "string", pattern: "^(a+)+$" } } });
    const check = await schema.check({ name: `${"a".repeat(5000)}!` });
    expect(check).toMatchObject({ ok: false });
    expect(await schema.check({ name: "aaa" })).toMatchObject({ ok: true });
  });

  it("keep working when they need lookaround, which only code may ask for", async () => {
    const schema = toSchema({ type: "string", pattern: "^(?=.*\\d).{3,}$" });
    expect(await schema.check("ab1")).toMatchObject({ ok: true });
    expect(await schema.check("abc")).toMatchObject({ ok: false });
  });

  it("leave data and members of that name alone", async () => {
    const schema = toSchema({
      type: "object",
      properties: { pattern: { const: { pattern: "(" } } },
      patternProperties: { "^x-": { type: "string", pattern: "^b$" } },
    });
    expect(await schema.check({ pattern: { pattern: "(" }, "x-a": "b" })).toMatchObject({ ok: true });
    expect(await schema.check({ "x-a": "c" })).toMatchObject({ ok: false });
  });
});

describe("assertLinearPatterns", () => {
  it.each([
    [{ type: "string", pattern: "(?=a)b" }, "lookahead"],
    [{ items: { anyOf: [{ pattern: "(" }] } }, "Invalid regular expression"],
    [{ properties: { a: { patternProperties: { "(a+)+$": {} } } } }, "patternProperties"],
  ])("refuses %j", (schema, message) => expect(() => assertLinearPatterns(schema)).toThrow(message));

  it("accepts what is matched in linear time", () => {
    expect(() => assertLinearPatterns({ properties: { pattern: { pattern: "^(a+)+$" } } })).not.toThrow();
  });
});
