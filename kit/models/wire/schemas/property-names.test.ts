import { expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { newNames, renameValue, withNewNames } from "./property-names.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    "first name": { type: "string", description: "As in the passport." },
    "home address": { anyOf: [{ type: "string" }, { type: "object", properties: { "zip code": { type: "string" } } }] },
    age: { type: "number" },
  },
  required: ["first name", "age"],
};

it("gives properties names that a provider takes, and tells the model their own ones", () => {
  const names = newNames(SCHEMA, /^\w+$/);
  expect([...names.keys()]).toEqual(["first name", "home address", "zip code"]);
  const [first = "", home = "", zip = ""] = names.values();
  const { properties, required } = withNewNames(SCHEMA, names) as typeof SCHEMA & Record<string, unknown>;
  expect(required).toEqual([first, "age"]);
  expect(properties).toEqual({
    [first]: { type: "string", description: expect.stringMatching(/^As in the passport\.\s.*"first name"/s) },
    // Some providers take no description beside a choice.
    [home]: {
      anyOf: [
        { type: "string", description: expect.stringContaining('"home address"') },
        {
          type: "object",
          properties: { [zip]: { type: "string", description: expect.stringContaining('"zip code"') } },
        },
      ],
    },
    age: { type: "number" },
  });
  const value = { "first name": "Ada", "home address": { "zip code": "1" }, age: 3 };
  expect(renameValue(value, SCHEMA, names)).toEqual({ [first]: "Ada", [home]: { [zip]: "1" }, age: 3 });
});
