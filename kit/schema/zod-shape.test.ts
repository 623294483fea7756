import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { toSchema } from "./schema.ts";

const shape = {
  city: z.string().min(2).describe("Where."),
  days: z.coerce.number().default(1),
  note: z.string().optional(),
};

describe("a shape of zod without z.object", () => {
  it("has the JSON Schema of the object", () => {
    const { $schema: _, ...object } = z.toJSONSchema(z.object(shape), { io: "input" });
    expect(toSchema(shape).jsonSchema).toEqual(object);
  });

  it.each([
    {},
    { city: "Rome" },
    { city: "Rome", days: "3", note: "x", more: true },
    { city: "R", days: "many" },
    { city: "Rome", note: null },
  ])("checks %j as the object does", async (value) => {
    const [own, whole] = await Promise.all([toSchema(shape).check(value), toSchema(z.object(shape)).check(value)]);
    expect(own).toEqual(whole);
  });

  it("refuses what is not an object", async () => {
    expect(await toSchema(shape).check("Rome")).toEqual({ ok: false, problems: ["must be an object"] });
  });

  it("gives a tool typed arguments", () => {
    const tool = new FunctionTool({
      name: "forecast",
      description: "Forecasts.",
      parameters: shape,
      execute: ({ city, days }) => city.repeat(days),
    });
    expect(tool.getDeclaration().parameters).toMatchObject({ type: "object", required: ["city"] });
  });

  it.each([{ ...shape, more: { type: "string" } }, { old: { safeParse: () => undefined } }])(
    "is refused with a field that is not a schema of zod 4: %#",
    (mixed) => {
      expect(() => toSchema(mixed)).toThrow(/must be schemas of zod 4, and "(?:more|old)" is not: write z\.object/);
    },
  );
});
