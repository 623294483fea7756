import type { CheckedApp, CheckProblem, CheckResult } from "./check-agents.ts";

/** The apps as a table, each with its problems below it, and then the problems of the folder. */
export function appsTable({ apps, problems }: CheckResult): string {
  const nameWidth = Math.max(0, ...apps.map(({ name }) => name.length));
  const fileWidth = Math.max(0, ...apps.map(({ file }) => file.length));
  const lines = apps.flatMap((app) => {
    const head = `  ${app.name.padEnd(nameWidth)}  ${app.file.padEnd(fileWidth)}  ${stateOf(app)}`;
    return [head, ...app.problems.map((problem) => `    ${describe(problem)}`)];
  });
  return [...lines, ...problems.map((problem) => `  ${describe(problem)}`)].join("\n");
}

function stateOf({ problems }: CheckedApp): string {
  if (problems.length === 0) return "ok";
  return problems.some(({ level }) => level === "error") ? "broken" : "ok, with warnings";
}

function describe({ level, file, line, column, message }: CheckProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${level}: ${place === "" ? "" : `${place} `}${message}`;
}
