import { textTable } from "../output/text-table.ts";
import type { WireRun } from "./runs-client.ts";

const HEAD = ["RUN", "STATUS", "APP", "USER", "SESSION", "ATTEMPTS", "HOLDER", "EPOCH", "AGE"] as const;

/** Formats runs as aligned columns. */
export function runsTable(runs: readonly WireRun[], now: number): string {
  if (runs.length === 0) return "No runs.";
  return textTable([HEAD, ...runs.map((run) => cellsOf(run, now))]);
}

function cellsOf(run: WireRun, now: number): readonly string[] {
  const { runId, status, appName, userId, sessionId, attempts, holder = "-", epoch, createdTime } = run;
  // The record of an answered run keeps its status.
  const shown = run.answeredBy === undefined ? status : "answered";
  return [
    runId,
    shown,
    appName,
    userId,
    sessionId,
    String(attempts),
    holder,
    String(epoch),
    ageText(now - createdTime),
  ];
}

/** A time span in its largest whole unit. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
