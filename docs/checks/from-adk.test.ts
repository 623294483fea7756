import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as kit from "#kit/adk/index.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

interface Row {
  readonly name: string;
  readonly status: string;
  readonly here: string;
}

const read = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), "utf8");

/** The names that the real package exports. */
const adk: { readonly version: string; readonly values: readonly string[]; readonly types: readonly string[] } =
  JSON.parse(read("test/fixtures/adk-exports.json"));
const page = read("docs/from-adk.md");
const table = read("docs/reference/adk-exports.md");
const rows: readonly Row[] = [
  ...table.matchAll(/^\| `(\w+)` \| (present|other name|not yet) \| (?:`(\w+)`)? ?\| .*\|$/gm),
].map(([, name = "", status = "", here = ""]) => ({ name, status, here }));

/** What the file exports, types included. */
function ownNames(path = "kit/adk/index.ts"): ReadonlySet<string> {
  const index = read(path);
  const names = new Set<string>();
  for (const [, list = ""] of index.replaceAll(/\/\/.*$/gm, "").matchAll(/^export (?:type )?\{([^}]*)\} from/gm))
    for (const one of list.split(",")) names.add(one.trim().split(/\s+/).at(-1) ?? "");
  for (const [, name = ""] of index.matchAll(/^export (?:interface|type|const|function|class) (\w+)/gm))
    names.add(name);
  for (const [, inner = ""] of index.matchAll(/^export (?:type )?\* from "((?:#kit|\.\.?)\/.+)"/gm))
    for (const name of ownNames(inner.startsWith("#") ? inner.slice(1) : join(dirname(path), inner))) names.add(name);
  names.delete("");
  return names;
}

describe("the table of ADK's exports", () => {
  const own = ownNames();
  const named = (status: string) => rows.filter((row) => row.status === status);

  it("reads all exports of the kit", () => {
    expect(Object.keys(kit).filter((name) => !own.has(name))).toEqual([]);
  });

  it("has one row for each export of the package, and no other", () => {
    expect(adk.version).toBe("2.0.0");
    const expected = [...adk.values, ...adk.types].sort();
    expect(rows.map(({ name }) => name).sort()).toEqual(expected);
    expect(page).toContain(`lists all ${expected.length} exports`);
    expect(page).toContain(`exports ${named("present").length} of ADK's names`);
  });

  it('has "present" for names that exist, and values of the package are values here', () => {
    const present = named("present");
    expect(present.filter(({ name, here }) => here !== name || !own.has(name))).toEqual([]);
    const values = present.filter(({ name }) => adk.values.includes(name) && !(name in kit)).map(({ name }) => name);
    // These are interfaces here, as their notes say.
    expect(values).toEqual(["BaseExampleProvider", "BaseLlm", "ToolConfirmation"]);
  });

  it("has an existing export in each row of another name", () => {
    expect(named("other name").filter(({ name, here }) => here === name || !own.has(here))).toEqual([]);
  });

  it('has "not yet" only for names that do not exist', () => {
    expect(named("not yet").filter(({ name, here }) => here !== "" || own.has(name))).toEqual([]);
  });
});
