import { styleText } from "node:util";
import { visible } from "../output/terminal.ts";
import { textTable } from "../output/text-table.ts";
import type { Drop } from "./baseline.ts";
import type { CaseReport, EvalReport, MetricReport } from "./eval-report.ts";
import type { PassRate } from "./pass-rate.ts";

/** The report as people read it: a table of cases, with the remarks on those that did not pass. */
export function reportText(report: EvalReport, drops: readonly Drop[] | undefined): string {
  const { cases, total } = report;
  const header = ["", "CASE", "PASSED", ...(report.repeat > 1 ? ["95 %"] : []), "SCORES"];
  const table = textTable([header, ...cases.map((each) => row(each, report))]).split("\n");
  const [head = "", ...rows] = table;
  const coloured = rows.map((line, index) => (isPassed(cases[index]) ? colour("green", line) : colour("red", line)));
  const remarks = cases.flatMap(remarkLines);
  return [
    colour("bold", head),
    ...coloured,
    ...(remarks.length > 0 ? ["", ...remarks.map(visible)] : []),
    "",
    `${rateText(total)} runs passed${report.repeat > 1 ? `, ${intervalText(total)}` : ""}.`,
    ...(drops === undefined ? [] : [dropText(drops)]),
  ].join("\n");
}

function row(each: CaseReport, { repeat }: EvalReport): readonly string[] {
  const scored = each.metrics.filter(({ statuses }) => statuses["INFORMATIONAL"] === undefined);
  return [
    isPassed(each) ? "✓" : "✗",
    `${each.evalSetId}/${each.evalId}`,
    rateText(each),
    ...(repeat > 1 ? [intervalText(each)] : []),
    scored.map(scoreText).join("  "),
  ];
}

function isPassed(each: CaseReport | undefined): boolean {
  return each !== undefined && each.passed === each.runs;
}

function rateText({ passed, runs }: PassRate): string {
  return `${passed} of ${runs}`;
}

function intervalText({ interval: [low, high] }: PassRate): string {
  return `${Math.round(low * 100)}–${Math.round(high * 100)} %`;
}

function scoreText({ metricName, score }: MetricReport): string {
  return `${metricName} ${score === undefined ? "–" : Number(score.toFixed(3))}`;
}

function remarkLines({ evalSetId, evalId, metrics }: CaseReport): readonly string[] {
  const decides = metrics.some(({ statuses }) => statuses["INFORMATIONAL"] === undefined);
  if (!decides) return [`${evalSetId}/${evalId}: The config names no metric by which the case could pass.`];
  return metrics.flatMap(({ metricName, remarks }) =>
    remarks.map((remark) => `${evalSetId}/${evalId}: ${metricName}: ${remark.replace(/\s+/g, " ")}`),
  );
}

function dropText(drops: readonly Drop[]): string {
  if (drops.length === 0) return colour("green", "No significant drop since the baseline.");
  const lines = drops.map(({ name, before, now, probability }) => {
    const chance = `by chance in ${(probability * 100).toFixed(1)} % of all evaluations`;
    return `Significant drop, ${name}: ${before.passed} of ${before.runs} before, ${now.passed} of ${now.runs} now (${chance}).`;
  });
  return colour("red", visible(lines.join("\n")));
}

/** Plain text if standard output is not a terminal, or NO_COLOR is set. */
function colour(style: "bold" | "green" | "red", text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
