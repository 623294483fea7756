import type { SourceFile } from "#test/helpers/source-files.ts";
import { nameOf, parse, stringValue, walk } from "#test/helpers/syntax.ts";
import type { Sections } from "./coverage.ts";

/** Parts whose names users and clients meet. */
const PRODUCTION = /^(kit|ports|services|adapters)\//;

/** Every identifier, member and string of the production code. Comments do not count. */
export function namesInCode(files: readonly SourceFile[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const file of files) {
    if (!PRODUCTION.test(file.path) || !file.path.endsWith(".ts") || file.path.endsWith(".test.ts")) continue;
    walk(parse(file), (node) => {
      const name = nameOf(node) ?? stringValue(node);
      if (name !== undefined) names.add(name);
      return undefined;
    });
  }
  return names;
}

/** Names of rows that are not pending and that no production code has, one sentence each. */
export function findMissingNames(sections: Sections, inCode: ReadonlySet<string>): readonly string[] {
  return Object.values(sections)
    .flat()
    .filter(({ status }) => status !== "pending")
    .flatMap(({ id, names = [], spelled = {} }) =>
      names
        .map((name) => spelled[name] ?? name)
        .filter((name) => !inCode.has(name))
        .map((name) => `"${id}" names "${name}", which no production code does.`),
    );
}
