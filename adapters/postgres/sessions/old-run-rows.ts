import { tenantOf } from "#kit/names/tenant.ts";
import type { RunStatus } from "#kit/sessions/run-record.ts";
import type { RunName, RunOutline, WalkedRuns, WalkRunsOptions } from "#ports/sessions/old-runs/old-run-tables.ts";
import { Parameters } from "../database/parameters.ts";
import type { StatementReader } from "../database/postgres-database.ts";
import { type RunRow, toKey } from "./session-rows.ts";

interface OutlineRow extends Omit<RunRow, "record" | "request" | "error"> {
  readonly sid: number;
  readonly status: RunStatus;
  readonly finished_time: number | null;
  readonly idempotency_key: string | null;
  readonly request_bytes: number;
}

const COLUMNS = `old.sid, old.number, old.tenant_id, old.app_name, old.user_id, old.session_id, old.run_id, old.status,
  old.finished_time, old.answered_by, old.idempotency_key, old.request_bytes`;

/** As `OldRunTables.walk`, session by session in the order of an index that each new run is written to anyway. */
export async function walkRuns(
  database: StatementReader,
  { endedBefore, after, limit }: WalkRunsOptions,
): Promise<WalkedRuns> {
  const [sid = 0, number = 0] = (after ?? []).map(Number);
  const rows = await database.read<OutlineRow>(
    `SELECT ${COLUMNS} FROM fairlead.runs AS old WHERE (sid, number) > ($1::bigint, $2::bigint)
     ORDER BY sid, number LIMIT $3`,
    [sid, number, limit],
  );
  const ended = rows.filter(({ finished_time }) => finished_time !== null && finished_time < endedBefore);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { runs: ended.map(toOutline), last: last && [String(last.sid), String(last.number)] };
}

/** As `OldRunTables.find`. */
export async function findOutlines(
  database: StatementReader,
  names: readonly RunName[],
): Promise<readonly RunOutline[]> {
  const parameters = new Parameters();
  const given = names.map((name) => ({ tenant_id: tenantOf(name), run_id: name.runId }));
  const table = parameters.table("given", { tenant_id: "text", run_id: "text" }, given);
  const rows = await database.read<OutlineRow>(
    `SELECT ${COLUMNS} FROM ${table} JOIN fairlead.runs AS old
       ON old.tenant_id = given.tenant_id AND old.run_id = given.run_id`,
    parameters.values,
  );
  return rows.map(toOutline);
}

function toOutline(row: OutlineRow): RunOutline {
  return {
    runId: row.run_id,
    session: toKey({ ...row, id: row.session_id }),
    status: row.status,
    finishedTime: row.finished_time ?? undefined,
    answeredBy: row.answered_by ?? undefined,
    idempotencyKey: row.idempotency_key ?? undefined,
    requestBytes: row.request_bytes,
  };
}
