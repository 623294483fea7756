import { noPaint, type Paint, visible } from "../output/terminal.ts";
import type { CheckedApp, CheckProblem, CheckResult } from "./check-problem.ts";
import type { Repaired } from "./repairs.ts";

/** The apps as a table, each with its problems below it, and then the problems of the folder. No hidden characters. */
export function appsTable({ apps, problems }: CheckResult, paint: Paint = noPaint): string {
  const nameWidth = Math.max(0, ...apps.map(({ name }) => visible(name).length));
  const fileWidth = Math.max(0, ...apps.map(({ file }) => visible(file).length));
  const lines = apps.flatMap((app) => {
    const name = paint("bold", visible(app.name).padEnd(nameWidth));
    const file = paint("dim", visible(app.file).padEnd(fileWidth));
    return [`  ${name}  ${file}  ${stateOf(app, paint)}`, ...app.problems.map((one) => `    ${describe(one, paint)}`)];
  });
  return [...lines, ...problems.map((problem) => `  ${describe(problem, paint)}`)].join("\n");
}

/** One line for each change that a repair has made. */
export function repairsList(repaired: readonly Repaired[], paint: Paint = noPaint): string {
  return repaired
    .map(({ file, line, from, to }) => {
      return `  ${paint("green", "fixed:")} ${paint("dim", visible(`${file}:${line}`))} ${visible(`${from} is now ${to}`)}`;
    })
    .join("\n");
}

function stateOf({ problems }: CheckedApp, paint: Paint): string {
  if (problems.length === 0) return paint("green", "ok");
  if (problems.some(({ level }) => level === "error")) return paint("red", "broken");
  return paint("yellow", "ok, with warnings");
}

function describe({ level, file, line, column, message }: CheckProblem, paint: Paint): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const head = paint(level === "error" ? "red" : "yellow", `${level}:`);
  return `${head} ${place === "" ? "" : `${paint("dim", visible(place))} `}${visible(message)}`;
}
