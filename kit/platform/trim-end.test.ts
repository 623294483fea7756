import { expect, it } from "vitest";
import { trimEndOf } from "./trim-end.ts";

it.each([
  ["", ""],
  ["a", "a"],
  ["/a/", "/a"],
  ["a///", "a"],
  ["///", ""],
])("takes the slashes off the end of %j", (text, expected) => expect(trimEndOf(text, "/")).toBe(expected));

it("takes off any of several characters", () => {
  expect(trimEndOf("really?!.", ".!?")).toBe("really");
});
