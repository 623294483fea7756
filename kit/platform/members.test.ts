import { expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { present, withDefaults } from "./members.ts";

const MEMBERS = fc.dictionary(fc.string(), fc.option(fc.integer(), { nil: undefined }));

it("keeps the members that have a value", () => {
  fc.assert(
    fc.property(MEMBERS, (members) => {
      const given = Object.entries(members).filter(([, member]) => member !== undefined);
      expect(Object.entries(present(members))).toEqual(given);
    }),
  );
});

it("keeps the default of each option that is given as undefined", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.integer()), MEMBERS, (defaults, given) => {
      const options: Record<string, unknown> = withDefaults(defaults, given as Record<string, number>);
      for (const [name, value] of Object.entries(defaults)) expect(options[name]).toBe(given[name] ?? value);
      expect(Object.values(options)).not.toContain(undefined);
    }),
  );
});
