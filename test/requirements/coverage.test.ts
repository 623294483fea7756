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
  // All sources are parsed.
  it("agree with the tests that cite them", { timeout: 240_000 }, () => {
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
    expect(faults(`it("x", () => { ${CITE}("session:fly"); });`)).toEqual(['kit/a.test.ts:2 cites "session:fly", which is not a row.']);
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

  const gated: Sections = { session: [{ ...ROW, status: "gated" }] };

  it.each([
    ["skipIf", `describe.skipIf(missing)("d", () => { it("x", () => { CITE }); });`],
    ["runIf", `it.runIf(found).each([1])("x", () => { CITE });`],
    ["describeOnRig", `describeOnRig(options, { define: () => { it("x", () => { CITE }); } });`],
    ["the option skip", `it("x", { skip: missing }, () => { CITE });`],
    ["an early return before it", `it("x", () => { if (missing) return; CITE });`],
    ["an early return behind it", `it("x", async () => { CITE if (missing) { return; } expect(1).toBe(1); });`],
    ["a test that skips itself", `it("x", (context) => { if (missing) context.skip(); CITE });`],
    ["a branch", `if (found) it("x", () => { CITE });`],
    ["a branch inside the test", `it("x", () => { if (found) { CITE } });`],
    ["another name for describe.skip", `const suite = missing ? describe.skip : describe; suite("d", () => { it("x", () => { CITE }); });`],
  ])("counts a citation below %s as gated", (_, body) => {
    expect(faults(body.replace("CITE", `${CITE}("session:create");`), gated)).toEqual([]);
  });

  it("counts a row as verified that a gated and an open test cite", () => {
    const both = `it("x", () => { ${CITE}("session:create"); }); it.skipIf(missing)("y", () => { ${CITE}("session:create"); });`;
    expect(faults(both, verified)).toEqual([]);
  });

  it("counts a suite as gated whose every use is, directly or through another suite", () => {
    const suite = { path: "test/contract/stores.ts", text: `${HEAD}export const stores = () => { it("x", () => { ${CITE}("session:create"); }); };` };
    const through = { path: "test/contract/all.ts", text: 'import { stores } from "./stores.ts"; export const all = () => stores();' };
    const closed = { path: "test/contract/redis.test.ts", text: 'import { all } from "./all.ts"; describe.skipIf(missing)("r", () => all());' };
    const open = { path: "test/contract/memory.test.ts", text: 'import { stores } from "./stores.ts"; describe("m", () => stores());' };
    expect(findFaults(gated, scanCitations([suite, through, closed]))).toEqual([]);
    expect(findFaults(verified, scanCitations([suite, through, closed, open]))).toEqual([]);
  });

  it("refuses a decision that no test proves, unless it is marked unbuilt", () => {
    const decided = { ...ROW, decided: "By its id." };
    expect(faults("", { session: [decided] })).toEqual(['"session:create" is decided, but no test proves it. Cite it in one, or mark it unbuilt.']);
    expect(faults("", { session: [{ ...decided, unbuilt: true }] })).toEqual([]);
    const built: Sections = { session: [{ ...decided, status: "verified", unbuilt: true }] };
    expect(faults(`it("x", () => { ${CITE}("session:create"); });`, built)).toEqual(['"session:create" is marked unbuilt, but a test cites it. Remove the mark.']);
  });

  it("does not count a citation in a comment", () => {
    expect(faults(`// ${CITE}("session:create")`, verified)).toEqual([notCited]);
  });

  it("refuses an id that is not a literal", () => {
    expect(faults(`it("x", () => { ${CITE}(id); });`)).toEqual(["kit/a.test.ts:2 cites something that is not a string literal."]);
  });

  it("refuses a suite that no test imports, and counts one that a test imports", () => {
    const suite = { path: "test/contract/stores.ts", text: `${HEAD}it("x", () => { ${CITE}("session:create"); });` };
    const test = { path: "test/contract/memory.test.ts", text: 'import { stores } from "./stores.ts"; stores();' };
    expect(findFaults(verified, scanCitations([suite]))).toEqual(["test/contract/stores.ts cites rows, but no test imports it.", notCited]);
    expect(findFaults(verified, scanCitations([suite, test]))).toEqual([]);
  });

  it("finds doubled ids, ids of another section and malformed ids", () => {
    const rows = [ROW, ROW, { ...ROW, id: "event:id" }, { ...ROW, id: "session:Id" }];
    expect(findFaults({ session: rows }, scanCitations([]))).toEqual(['Two rows have the id "session:create".', '"event:id" stands in section "session".', '"session:Id" is not words in kebab-case joined by colons.']);
  });
});
