import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { operationsTable } from "./capacity-page.ts";

it("prints the counted operations and their cost in docs/capacity.md", () => {
  const page = readFileSync(join(REPOSITORY_ROOT, "docs/capacity.md"), "utf8");
  const table = /^\| request \| documents read .*\n(?:\|.*\n)+/m.exec(page)?.[0];
  expect(table).toBe(`${operationsTable()}\n`);
});
