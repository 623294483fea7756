import * as TypeBox from "typebox";
import { describe, expect, it } from "vitest";
import { Type } from "./type.ts";

/** Everything of a schema, marks that JSON does not show included. */
function insides(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(insides);
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(value)).sort(([left], [right]) =>
    left < right ? -1 : 1,
  );
  return descriptors.map(([name, { value: member, enumerable }]) => [name, enumerable, insides(member)]);
}

const EXAMPLES: readonly ((type: Pick<typeof TypeBox.Type, keyof typeof Type>) => unknown)[] = [
  (type) => type.Array(type.Unknown(), { maxItems: 2 }),
  (type) => type.Boolean({ default: false, description: "d" }),
  (type) => type.Enum(["a", "b"], { default: "a" }),
  (type) => type.Integer({ minimum: 0 }),
  (type) => type.Literal("x"),
  (type) => type.Literal(1, { description: "d" }),
  (type) => type.Literal(true),
  (type) => type.Null(),
  (type) => type.Number({ maximum: 2.5 }),
  (type) => type.Object({}),
  (type) => type.Object({ a: type.String(), b: type.Optional(type.Null()) }, { additionalProperties: false }),
  (type) => type.Object({ only: type.Optional(type.Object({ a: type.Integer() })) }),
  (type) => type.Optional(type.String({ minLength: 1 })),
  (type) => type.Record(type.String(), type.Number(), { description: "d" }),
  (type) => type.Union([type.Literal("x"), type.Null()], { description: "d" }),
  (type) => type.Unknown({ description: "d" }),
];

describe("the builders of schemas", () => {
  it("give what TypeBox gives, its hidden marks included", () => {
    for (const example of EXAMPLES) expect(insides(example(Type))).toEqual(insides(example(TypeBox.Type)));
  });

  it("leave what they are given as it is", () => {
    const text = Type.String();
    expect(Type.Object({ a: Type.Optional(text), b: text })).toMatchObject({ required: ["b"] });
  });
});
