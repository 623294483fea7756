import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeExports, EXPORT_LIST, exportsOf } from "./exported-names.ts";

const ROOT = join(import.meta.dirname, "../..");

it("the public names are those of the reviewed list; `npm run exports -- --update` accepts a change", () => {
  expect(describeExports(ROOT)).toBe(readFileSync(join(ROOT, EXPORT_LIST), "utf8"));
});

it("lists values, then types, of all kinds of exports", () => {
  const text = `
    export { type A, b as c } from "./x.ts";
    export type { D } from "./x.ts";
    export const e = 1, f = 2;
    export function g() {}
    export class H {}
    export interface I {}
    export type J = string;
    export * as k from "./x.ts";
  `;
  const names = ["H", "c", "e", "f", "g", "k", "type A", "type D", "type I", "type J"];
  expect(exportsOf("entry.ts", text)).toEqual(names);
});

it("follows export * to a file beside, and refuses it from a package", () => {
  const path = join(import.meta.dirname, "entry.ts");
  const beside = exportsOf(path, 'export * from "./swap-files.ts";');
  expect(beside).toEqual(["isSwapped", "restoreFiles", "swapFiles"]);
  expect(() => exportsOf("entry.ts", 'export * from "zod";')).toThrow(
    'entry.ts: name the exports instead of export * from "zod".',
  );
});
