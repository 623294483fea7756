import { expect, it } from "vitest";
import { copyArguments } from "./call-tool.ts";

it("copies the arguments of a call at every depth", () => {
  const args = { list: [{ a: 1 }], deep: { b: { c: null } }, text: "x" };
  const copy = copyArguments({ args });
  expect(copy).toEqual(args);
  expect(copy["list"]).not.toBe(args.list);
  expect((copy["list"] as readonly unknown[])[0]).not.toBe(args.list[0]);
  expect(copy["deep"]).not.toBe(args.deep);
  expect(copyArguments({})).toEqual({});
});
