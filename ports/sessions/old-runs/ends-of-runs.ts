import { inTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import { isTerminal } from "#kit/sessions/run-record.ts";
import type { OldRunTables, OutlinesRead, RunName, RunOutline } from "./old-run-tables.ts";

/** The answers to a run whose answers are looked up, one after the other. A longer chain is shortened at its end first. */
const MAX_ANSWERS = 100;

/**
 * When the work of each run ended: its own end, or the last answer's if it was answered. Undefined for a run that waits
 * for input, and as long as one of its answers waits or has not ended. A deleted answer counts as the chain's end.
 */
export function* endsOfRuns<Head>(
  tables: OldRunTables<Head>,
  runs: readonly RunOutline[],
): Generator<readonly OutlinesRead[], (run: RunOutline) => number | undefined, void> {
  const known = new Map<string, RunOutline | undefined>(runs.map((run) => [nameOf(run.session, run.runId), run]));
  let asked = runs;
  for (let depth = 0; depth < MAX_ANSWERS && asked.length > 0; depth += 1) {
    const names = unknownAnswers(known, asked);
    if (names.length === 0) break;
    yield [{ kind: "run-outlines", names }];
    for (const { runId, ...tenant } of names) known.set(nameOf(tenant, runId), undefined);
    asked = tables.find(names);
    for (const run of asked) known.set(nameOf(run.session, run.runId), run);
  }
  return (run) => endOf(known, run);
}

function unknownAnswers(
  known: ReadonlyMap<string, RunOutline | undefined>,
  runs: readonly RunOutline[],
): readonly RunName[] {
  const names = new Map<string, RunName>();
  for (const { session, answeredBy } of runs) {
    if (answeredBy === undefined) continue;
    const name = nameOf(session, answeredBy);
    if (!known.has(name)) names.set(name, { ...inTenant(session.tenantId), runId: answeredBy });
  }
  return [...names.values()];
}

function endOf(known: ReadonlyMap<string, RunOutline | undefined>, first: RunOutline): number | undefined {
  let end = 0;
  let run = first;
  // Each run is answered by a later one, so no chain is longer.
  for (let count = 0; count <= known.size; count += 1) {
    const { session, status, finishedTime, answeredBy } = run;
    if (finishedTime === undefined || !isTerminal(status)) return undefined;
    end = Math.max(end, finishedTime);
    if (answeredBy === undefined) return status === "awaiting_input" ? undefined : end;
    const name = nameOf(session, answeredBy);
    if (!known.has(name)) return undefined;
    const next = known.get(name);
    if (next === undefined) return end;
    run = next;
  }
  return undefined;
}

function nameOf(tenant: TenantScoped, runId: string): string {
  return `${tenantOf(tenant)}\n${runId}`;
}
