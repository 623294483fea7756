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

it("takes a member named __proto__ as a member, and gives no object another prototype", () => {
  const hostile: Record<string, number> = JSON.parse('{"__proto__": {"limit": 1}, "order": 2}');
  for (const object of [present(hostile), withDefaults({ limit: 10 }, hostile)]) {
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(Object.entries(object)).toContainEqual(["__proto__", { limit: 1 }]);
  }
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
