import { tenantKey } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { jsonBytes } from "#ports/storage-limits/stored-counts.ts";
import type { OldRunTables, RunName, RunOutline, WalkedRuns, WalkRunsOptions } from "./old-run-tables.ts";

interface NumberedRun {
  readonly number: number;
  readonly run: RunRecord;
}

interface HeadOfRuns {
  readonly finishedRuns: string[];
}

/** Runs by their age, in the map of all runs. They are walked in the order of their numbers. */
export class InMemoryOldRuns implements OldRunTables<HeadOfRuns> {
  readonly #runs: Map<string, NumberedRun>;

  /** The map is by the names that `tenantKey` makes. */
  constructor(runs: Map<string, NumberedRun>) {
    this.#runs = runs;
  }

  walk({ endedBefore, after, limit }: WalkRunsOptions): WalkedRuns {
    const place = Number(after?.[0] ?? 0);
    const rest = this.#runs
      .values()
      .filter(({ number }) => number > place)
      .take(limit + 1)
      .toArray();
    const page = rest.slice(0, limit);
    const last = rest.length > limit ? page.at(-1) : undefined;
    const runs = page.map(outlineOf).filter(({ finishedTime = endedBefore }) => finishedTime < endedBefore);
    return { runs, last: last && [String(last.number)] };
  }

  find(names: readonly RunName[]): readonly RunOutline[] {
    return names.flatMap(({ runId, tenantId }) => {
      const found = this.#runs.get(tenantKey(runId, tenantId));
      return found === undefined ? [] : [outlineOf(found)];
    });
  }

  delete({ finishedRuns }: HeadOfRuns, { session, runId }: RunOutline): void {
    this.#runs.delete(tenantKey(runId, session.tenantId));
    const index = finishedRuns.indexOf(runId);
    if (index >= 0) finishedRuns.splice(index, 1);
  }
}

function outlineOf({ run }: NumberedRun): RunOutline {
  const { runId, session, status, finishedTime, answeredBy, idempotencyKey, request } = run;
  const names = { runId, session: sessionKey(session), status, finishedTime, answeredBy, idempotencyKey };
  return { ...names, requestBytes: jsonBytes(request) };
}
