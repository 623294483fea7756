import { expect, it } from "vitest";
import { APP_NAMES, namesIn } from "./request-names.ts";

it("finds the texts of a source in both spellings, those of lists included, in the order of the names", () => {
  expect(namesIn({ app_name: ["b", "", 1, "c"], appName: "a", other: "d" }, ...APP_NAMES)).toEqual(["a", "b", "c"]);
});

it("finds nothing in what is empty, inherited or no object", () => {
  const inherited: unknown = Object.create({ appName: "a" });
  for (const source of [undefined, null, "appName", 7, [], {}, { appName: "" }, { appName: { a: "a" } }, inherited])
    expect(namesIn(source, ...APP_NAMES)).toEqual([]);
  expect(namesIn({ a: "b" }, "constructor", "__proto__", "toString")).toEqual([]);
  expect(namesIn(Object.assign(Object.create(null), { appName: "a" }), ...APP_NAMES)).toEqual(["a"]);
});
