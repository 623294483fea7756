import type { CaseReport, EvalReport } from "./eval-report.ts";

/** The report in the XML that continuous integration reads: a suite for each set, a test for each case. */
export function junitXml({ app, cases }: EvalReport): string {
  const suites = [...Map.groupBy(cases, ({ evalSetId }) => evalSetId)].map(([evalSetId, own]) => {
    const failures = own.filter(isFailed).length;
    const head = `  <testsuite name="${escape(`${app}.${evalSetId}`)}" tests="${own.length}" failures="${failures}">`;
    return [head, ...own.map((each) => testCase(app, each)), "  </testsuite>"].join("\n");
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("\n")}\n</testsuites>\n`;
}

function testCase(app: string, each: CaseReport): string {
  const head = `    <testcase classname="${escape(`${app}.${each.evalSetId}`)}" name="${escape(each.evalId)}"`;
  if (!isFailed(each)) return `${head}/>`;
  const message = escape(`passed ${each.passed} of ${each.runs}`);
  return `${head}>\n      <failure message="${message}">${escape(reasonsOf(each))}</failure>\n    </testcase>`;
}

function isFailed({ passed, runs }: CaseReport): boolean {
  return passed < runs;
}

function reasonsOf({ metrics }: CaseReport): string {
  const lines = metrics
    .filter(({ statuses }) => statuses["INFORMATIONAL"] === undefined)
    .map(({ metricName, score, statuses, remarks }) => {
      const counts = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
      return [`${metricName}: ${score ?? "no score"} (${counts.join(", ")})`, ...remarks].join("\n  ");
    });
  return lines.join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Control characters and lone surrogates are not allowed in XML, not even escaped. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
