import { expect, it } from "vitest";
import { trimEndOf } from "./trim-end.ts";

it.each([
  ["", ""],
  ["a", "a"],
  ["/a/", "/a"],
  ["a///", "a"],
  ["///", ""],
])("removes the slashes from the end of %j", (text, expected) => expect(trimEndOf(text, "/")).toBe(expected));

it("removes any of several characters", () => {
  expect(trimEndOf("really?!.", ".!?")).toBe("really");
});
