import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { at, CHART, isMap, type Values } from "#test/chart/render.ts";
import { generatedFiles } from "./generated-files.ts";
import { readmePage } from "./readme-page.ts";
import { valuesSchema } from "./values-schema.ts";

/** Keys of maps that the schema describes, as paths; maps whose keys users choose end a path. */
function keysOf(values: Values, schema: unknown, path = ""): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const known = at(schema, "properties");
    const below = isMap(known) ? known[key] : undefined;
    const name = path === "" ? key : `${path}.${key}`;
    return isMap(value) && isMap(at(below, "properties")) && at(below, "additionalProperties") === false
      ? [name, ...keysOf(value, below, name)]
      : [name];
  });
}

function describedKeys(schema: unknown, path = ""): readonly string[] {
  const properties = at(schema, "properties");
  if (!isMap(properties) || at(schema, "additionalProperties") !== false) return [];
  return Object.entries(properties).flatMap(([key, below]) => {
    const name = path === "" ? key : `${path}.${key}`;
    return [name, ...describedKeys(below, name)];
  });
}

describe("the chart's generated files", () => {
  it.each([...generatedFiles()])("%s is up to date; otherwise run: node charts/generate.ts", (name, text) => {
    expect(readFileSync(join(CHART, name), "utf8") === text).toBe(true);
  });

  it("describe every value, and no value that is not there", () => {
    const values: unknown = parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
    if (!isMap(values)) throw new Error("values.yaml holds no map.");
    const schema = valuesSchema();
    const described = describedKeys(schema);
    const given = keysOf(values, schema);
    expect(given.filter((key) => !described.includes(key))).toEqual([]);
    // Services have the keys of `defaults`; settings are the services' own, quantities those of Kubernetes, and quotas
    // those of their file.
    const optional =
      /^(global|(gateway|runner|session|artifact|memory|eval)\..*|.*\.settings\..*|.*\.resources\..*|.*\.probes\.\w+\..*|.*\.(issuerRef|existingSecrets|podSecurityContext)\..*|(quotas|retention)\.rules\..*)$/;
    expect(described.filter((key) => !given.includes(key) && !optional.test(key))).toEqual([]);
  });

  it("refuse a value without a description", () => {
    expect(() => readmePage("# A", "# -- Known.\na: 1\nb: 2\n")).toThrow('b has no "# --" above it.');
  });
});
