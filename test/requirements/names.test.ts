import { describe, expect, it } from "vitest";
import { readSourceFiles, type SourceFile } from "#test/helpers/source-files.ts";
import { findMissingNames, namesInCode } from "./names.ts";
import { SECTIONS } from "./sections.ts";

const CODE: readonly SourceFile[] = [
  { path: "kit/session.ts", text: 'export interface Session { lastUpdateTime: number }\nexport const APP_PREFIX = "app:";' },
  { path: "kit/session.test.ts", text: "const onlyInATest = 1;" },
];
const ROW = { id: "session:x", line: 1, status: "verified", text: "x" } as const;

describe("names of the specification", () => {
  it("stand in production code, spelled as there, unless the row gives another spelling", () => {
    expect(findMissingNames(SECTIONS, namesInCode(readSourceFiles()))).toEqual([]);
  });
});

describe("findMissingNames", () => {
  const missing = (row: object): readonly string[] => findMissingNames({ session: [{ ...ROW, ...row }] }, namesInCode(CODE));

  it("accepts identifiers, members and strings", () => {
    expect(missing({ names: ["Session", "lastUpdateTime", "APP_PREFIX", "app:"] })).toEqual([]);
  });

  it("reports another spelling", () => {
    expect(missing({ names: ["lastUpdatedTime"] })).toEqual(['"session:x" names "lastUpdatedTime", which no production code does.']);
  });

  it("does not take a name in a test for the product's", () => {
    expect(missing({ names: ["onlyInATest"] })).toHaveLength(1);
  });

  it("looks for the other spelling where the row gives one", () => {
    expect(missing({ names: ["AppPrefix"], spelled: { AppPrefix: "APP_PREFIX" } })).toEqual([]);
    expect(missing({ names: ["AppPrefix"], spelled: { AppPrefix: "APP" } })).toHaveLength(1);
  });

  it("asks nothing of a row that is pending", () => {
    expect(missing({ status: "pending", names: ["McpToolset"] })).toEqual([]);
  });
});
