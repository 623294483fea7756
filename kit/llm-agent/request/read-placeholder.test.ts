import { expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { findPlaceholders } from "./read-placeholder.ts";

// The definition, which is quadratic for long runs of braces.
const PLACEHOLDER = /[\\$]?\{+[^{}]*\}+/g;

it("finds what stands in braces, with all of them and the character that escapes it", () => {
  const text = fc.string({ unit: fc.constantFrom("{", "}", "\\", "$", "a"), maxLength: 30 });
  fc.assert(
    fc.property(text, (template) => {
      const found = [...findPlaceholders(template)].map(([start, end]) => template.slice(start, end));
      expect(found).toEqual(template.match(PLACEHOLDER) ?? []);
    }),
    { numRuns: 2000 },
  );
});
