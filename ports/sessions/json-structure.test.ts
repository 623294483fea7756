import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { checkJsonStructure } from "./json-structure.ts";

const WIDE = { maxElements: 1_000_000, maxDepth: 1_000_000 };

function verdict(text: string, limits: Partial<typeof WIDE>): string {
  try {
    checkJsonStructure(Buffer.from(text), "The body", { ...WIDE, ...limits });
    return "fits";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The smallest limit that accepts the text. */
function counted(text: string, limit: "maxElements" | "maxDepth"): number {
  let value = 0;
  while (verdict(text, { [limit]: value }) !== "fits") value += 1;
  return value;
}

/** Members and elements of the parsed value. */
function elementsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const children = Object.values(value);
  return children.reduce<number>((sum, child) => sum + elementsOf(child), children.length);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("checkJsonStructure", () => {
  it("counts members and elements as the parsed value has them", () => {
    const text = '{ "a": [1, [ ], { }, "x,[{\\"]}"], "b\\\\": {"c": null} }';
    expect(elementsOf(JSON.parse(text))).toBe(7);
    expect([counted(text, "maxElements"), counted(text, "maxDepth")]).toEqual([7, 3]);
  });

  it("names what is exceeded", () => {
    expect(verdict("[1,2,3]", { maxElements: 2 })).toBe("The body has more than 2 members and elements.");
    expect(verdict('{"a":[[1]]}', { maxDepth: 2 })).toBe("The body is nested deeper than 2 levels.");
  });

  it.each([
    ["a long text", "x".repeat(5000)],
    ["a long text of quotes", '"'.repeat(500)],
    ["a long text of backslashes", "\\".repeat(501)],
    ["a text that ends in an escape behind its first bytes", `${"x".repeat(63)}\\`],
    ["a quote behind the first bytes", `${"x".repeat(100)}"${"y,".repeat(100)}`],
  ])("does not look for structure in %s", (_name, text) => {
    const json = JSON.stringify({ [text]: [text, text] });
    expect([counted(json, "maxElements"), counted(json, "maxDepth")]).toEqual([3, 2]);
  });

  it("agrees with the parser on any value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(verdict(text, { maxElements: elementsOf(value), maxDepth: depthOf(value) })).toBe("fits");
        const one = { maxElements: Math.max(0, elementsOf(value) - 1) };
        if (elementsOf(value) > 0) expect(verdict(text, one)).not.toBe("fits");
      }),
    );
  });

  it("ends on text that is not JSON", () => {
    for (const text of ['"', '"\\', "[", "]]]", "{".repeat(300), "\u0000".repeat(300), '["'])
      expect(verdict(text, { maxDepth: 100, maxElements: 10 })).toMatch(/fits|nested|members/);
  });
});
