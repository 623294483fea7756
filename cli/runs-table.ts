import type { WireRun } from "./runs-client.ts";

const HEAD = ["RUN", "STATUS", "APP", "USER", "SESSION", "ATTEMPTS", "HOLDER", "EPOCH", "AGE"] as const;

/** Formats runs as aligned columns. */
export function runsTable(runs: readonly WireRun[], now: number): string {
  if (runs.length === 0) return "No runs.";
  const rows = [HEAD, ...runs.map((run) => cellsOf(run, now))];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => formatRow(row, widths)).join("\n");
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd();
}

function cellsOf(run: WireRun, now: number): readonly string[] {
  const { runId, status, appName, userId, sessionId, attempts, holder = "-", epoch, createdTime } = run;
  // The record of an answered run keeps its status.
  const shown = run.answeredBy === undefined ? status : "answered";
  const texts = [runId, shown, appName, userId, sessionId, String(attempts), holder, String(epoch)];
  return [...texts.map(printable), age(now - createdTime)];
}

/** Names may contain any Unicode; control characters of the terminal are left out. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, "");
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
