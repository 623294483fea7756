import { describe, expect, it } from "vitest";
import { readSourceFiles } from "#test/helpers/source-files.ts";
import { scanCitations } from "./citations.ts";
import { findFaults, type Sections } from "./coverage.ts";
import type { Requirement } from "./requirement.ts";
import { SECTIONS } from "./sections.ts";

const ROW: Requirement = { id: "session:create", line: 1, status: "pending", text: "A session can be created." };

// Assembled, so that the scan of this repository does not take these examples for citations of its own.
const CITE = "verifies";
const HEAD = `import { ${CITE} } from "#test/helpers/${CITE}.ts";\n`;

function faults(body: string, rows: Sections = { session: [ROW] }, path = "kit/a.test.ts"): readonly string[] {
  return findFaults(rows, scanCitations([{ path, text: HEAD + body }]));
}

const verified: Sections = { session: [{ ...ROW, status: "verified" }] };
const notCited = '"session:create" claims to be verified, but no test that runs cites it. Restore the citation, or: npm run requirements -- --update';

describe("rows of the specification", () => {
  it("agree with the tests that cite them", () => {
    expect(findFaults(SECTIONS, scanCitations(readSourceFiles()))).toEqual([]);
  });
});

describe("findFaults", () => {
  it("accepts a cited row that says verified", () => {
    expect(faults(`it("x", () => { ${CITE}("session:create"); });`, verified)).toEqual([]);
  });

  it("counts a citation below describe and each", () => {
    expect(faults(`describe("d", () => { it.each([1])("x", () => { ${CITE}("session:create"); }); });`, verified)).toEqual([]);
  });

  it("finds a citation of an unknown row", () => {
    expect(faults(`it("x", () => { ${CITE}("session:fly"); });`)).toEqual(['kit/a.test.ts:2 cites "session:fly", which is no row.']);
  });

  it("finds a row that claims what no test cites", () => {
    expect(faults("", verified)).toEqual([notCited]);
  });

  it("finds a cited row that still says pending", () => {
    expect(faults(`it("x", () => { ${CITE}("session:create"); });`)).toEqual(['"session:create" says pending, but should say verified. Correct it with: npm run requirements -- --update']);
  });

  it.each(["it.skip", "it.todo", "it.fails", "describe.skip", "it.skip.each([1])"])("does not count a citation inside %s", (call) => {
    expect(faults(`${call}("x", () => { ${CITE}("session:create"); });`, verified)).toEqual([notCited]);
  });

  it("does not count a citation in a comment", () => {
    expect(faults(`// ${CITE}("session:create")`, verified)).toEqual([notCited]);
  });

  it("refuses an id that is not a literal", () => {
    expect(faults(`it("x", () => { ${CITE}(id); });`)).toEqual(["kit/a.test.ts:2 cites something that is not a string literal."]);
  });

  it("refuses a suite that no test imports, and counts one that a test imports", () => {
    const suite = { path: "test/contract/stores.ts", text: `${HEAD}it("x", () => { ${CITE}("session:create"); });` };
    const test = { path: "test/contract/memory.test.ts", text: 'import { stores } from "./stores.ts";' };
    expect(findFaults(verified, scanCitations([suite]))).toEqual(["test/contract/stores.ts cites rows, but no test imports it.", notCited]);
    expect(findFaults(verified, scanCitations([suite, test]))).toEqual([]);
  });

  it("finds doubled ids, ids of another section and malformed ids", () => {
    const rows = [ROW, ROW, { ...ROW, id: "event:id" }, { ...ROW, id: "session:Id" }];
    expect(findFaults({ session: rows }, scanCitations([]))).toEqual(['Two rows have the id "session:create".', '"event:id" stands in section "session".', '"session:Id" is not words in kebab-case joined by colons.']);
  });
});
