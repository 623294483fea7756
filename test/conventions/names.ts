import type { SourceFile } from "#test/helpers/source-files.ts";

/** In parts, so that this file passes its own check. */
const FORMER_NAME = new RegExp(["agent", "plane"].join("[-_ ]?"), "i");

/** The places, in paths and texts, that have the name which the product had before its first publication. */
export function formerNameFaults({ path, text }: SourceFile): readonly string[] {
  const faults = FORMER_NAME.test(path) ? [`${path}: the product's former name in the path`] : [];
  const lines = text.split("\n").flatMap((line, index) => (FORMER_NAME.test(line) ? [index + 1] : []));
  return [...faults, ...lines.map((line) => `${path}:${line}: the product's former name`)];
}
