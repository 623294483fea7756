import { expect, it } from "vitest";
import { formatReport } from "./format-report.ts";

const at = (fileName: string, line: number, status: "Killed" | "Timeout" | "Survived" | "NoCoverage" | "Ignored") => ({
  fileName: `/work/${fileName}`,
  status,
  mutatorName: "ConditionalExpression",
  replacement: "if (true) {\n}",
  location: { start: { line, column: 3 }, end: { line, column: 9 } },
});

it("counts faults by file and names those that no test noticed", () => {
  const results = [
    at("kit/b.ts", 1, "Killed"),
    at("kit/a.ts", 2, "Timeout"),
    at("kit/a.ts", 3, "Survived"),
    at("kit/a.ts", 4, "NoCoverage"),
    at("kit/a.ts", 5, "Ignored"),
  ];
  expect(formatReport(results, "/work")).toEqual({
    score: 50,
    text: `33.3 % of 3  kit/a.ts
100 % of 1  kit/b.ts

kit/a.ts:3:3  ConditionalExpression: if (true) { }
kit/a.ts:4:3  no test reaches it: if (true) { }

50 % of 4 faults were noticed.
`,
  });
});
