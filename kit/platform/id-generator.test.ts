import { describe, expect, it } from "vitest";
import { UuidV7Generator } from "./id-generator.ts";

const FORM = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
/** More ids than one fill of the pool of random bytes is enough for. */
const MANY = 1000;

describe("UuidV7Generator", () => {
  it("makes ids of version 7, each with bits of its own", () => {
    const generator = new UuidV7Generator(() => 0);
    const ids = Array.from({ length: MANY }, () => generator.next());
    expect(ids.filter((id) => !FORM.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(MANY);
    // Each random digit has each value: none is constant, and none comes from another's place.
    const digits = ids.map((id) => id.replaceAll("-", ""));
    const places = Array.from({ length: 32 }, (_, place) => new Set(digits.map((text) => text.charAt(place))).size);
    expect(places).toEqual([...Array(12).fill(1), 1, 16, 16, 16, 4, ...Array(15).fill(16)]);
  });

  it("begins with the milliseconds, so that ids are in the order of their times", () => {
    let time = 0;
    const generator = new UuidV7Generator(() => time);
    expect(generator.next()).toMatch(/^00000000-0000-7/);
    for (time of [1, 0xffff, 0x1_0000, 0x0123_4567_89ab]) {
      const digits = generator.next().replaceAll("-", "").slice(0, 12);
      expect(Number.parseInt(digits, 16)).toBe(time);
    }
  });
});
