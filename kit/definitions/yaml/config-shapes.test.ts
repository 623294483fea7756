import { describe, expect, it } from "vitest";
import { type Shape, Type } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import {
  choicesOf,
  eitherOr,
  flag,
  freeMap,
  integer,
  listOf,
  number,
  oneOf,
  publishedSchema,
  record,
  text,
  textMap,
  wordsOf,
} from "./config-shapes.ts";

const colour = oneOf(["RED", "LightBlue"], "The colour.");
const pair = record<{ firstName?: string; lastName?: string }>(
  "A name.",
  Type.Partial({ firstName: text("First."), lastName: text("") }),
  { check: eitherOr("firstName", "lastName") },
);

const valueOf = (shape: Shape, given: unknown): unknown => {
  const read = readValue(shape, given);
  return read.ok ? read.value : "refused";
};

describe("fields of definitions", () => {
  it("take their kind of value alone", () => {
    const shapes = { text: text(), flag: flag(""), integer: integer("", 1), number: number(""), map: freeMap("") };
    const taken = Object.entries(shapes).map(([name, shape]) => [
      name,
      ["a", " ", true, 1, 0, 1.5, null, {}, []].filter((given) => valueOf(shape, given) !== "refused"),
    ]);
    expect(Object.fromEntries(taken)).toEqual({
      ...{ text: ["a"], flag: [true], integer: [1], number: [1, 0, 1.5], map: [{}] },
    });
  });

  it("take one of several values in any case, as it is written in the code", () => {
    const given = ["RED", "red", "rEd", "lightblue", "LIGHTBLUE", "green", 1];
    expect(given.map((value) => valueOf(colour, value))).toEqual([
      ...["RED", "RED", "RED", "LightBlue", "LightBlue", "refused", "refused"],
    ]);
    expect([choicesOf(colour), choicesOf(text())]).toEqual([["RED", "LightBlue"], undefined]);
  });

  it("may exclude each other", () => {
    const problems = [{}, { firstName: "a" }, { lastName: "b" }, { firstName: "a", lastName: "b" }].map((given) => {
      const read = readValue(pair, given);
      return read.ok ? "" : JSON.stringify(read.issues);
    });
    expect(problems).toEqual([
      expect.stringContaining('Give \\"firstName\\" or \\"lastName\\".'),
      "",
      "",
      expect.stringContaining('Give either \\"firstName\\" or \\"lastName\\", not both.'),
    ]);
  });

  it("are described in words", () => {
    const shapes = [
      colour,
      text(),
      flag(""),
      integer("", 2),
      number(""),
      listOf("", text()),
      pair,
      freeMap(""),
      textMap(""),
    ];
    expect(shapes.map(wordsOf)).toEqual([
      ...["RED or LightBlue", "text", "true or false", "an integer of 2 or more", "a number", "a list"],
      ...["a map of fields", "a map", "a map of texts"],
    ]);
  });

  it("are published in both spellings, those that are needed in one of them", () => {
    const shape = record<{ name: string; maxItems: number; tags?: readonly string[] }>("A shelf.", {
      name: text("Its name."),
      maxItems: integer("How many.", 1),
      tags: Type.Optional(listOf("Words.", text())),
    });
    const [name, maxItems] = [
      { type: "string", minLength: 1, description: "Its name." },
      { type: "integer", minimum: 1, description: "How many." },
    ];
    expect(publishedSchema(shape)).toEqual({
      type: "object",
      description: "A shelf.",
      properties: {
        ...{ name, maxItems, max_items: maxItems },
        tags: { type: "array", description: "Words.", items: { type: "string", minLength: 1 } },
      },
      additionalProperties: false,
      allOf: [{ required: ["name"] }, { oneOf: [{ required: ["maxItems"] }, { required: ["max_items"] }] }],
    });
  });
});
