import type { DatabaseSync, StatementSync } from "node:sqlite";
import { tenantOf } from "#kit/names/tenant.ts";
import type {
  OldRunTables,
  RunName,
  RunOutline,
  WalkedRuns,
  WalkRunsOptions,
} from "#ports/sessions/old-runs/old-run-tables.ts";
import { allRows, firstRow } from "../database/sqlite-database.ts";
import { type RunRow, type SessionRow, type SqliteHead, toKey } from "./session-rows.ts";

type OutlineRow = Pick<SessionRow, "sid" | "tenant_id" | "app_name" | "user_id" | "id"> &
  Pick<RunRow, "number" | "run_id" | "status" | "finished_time" | "answered_by" | "idempotency_key"> & {
    readonly request_bytes: number;
  };

const OUTLINES = `
  SELECT runs.sid, number, run_id, status, finished_time, answered_by, idempotency_key, request_bytes,
    sessions.tenant_id, app_name, user_id, id
  FROM runs JOIN sessions ON sessions.sid = runs.sid`;

/** Runs by their age, session by session in the order of an index that each new run is written to anyway. */
export class OldRunRows implements OldRunTables<SqliteHead> {
  readonly #walk: StatementSync;
  readonly #find: StatementSync;
  readonly #delete: StatementSync;

  constructor(database: DatabaseSync) {
    this.#walk = database.prepare(`${OUTLINES} WHERE (runs.sid, number) > (?, ?) ORDER BY runs.sid, number LIMIT ?`);
    this.#find = database.prepare(`${OUTLINES} WHERE runs.tenant_id = ? AND run_id = ?`);
    this.#delete = database.prepare("DELETE FROM runs WHERE tenant_id = ? AND run_id = ? AND sid = ?");
  }

  walk({ endedBefore, after, limit }: WalkRunsOptions): WalkedRuns {
    const [sid = 0, number = 0] = (after ?? []).map(Number);
    const rows = allRows<OutlineRow>(this.#walk, sid, number, limit);
    const ended = rows.filter(({ finished_time }) => finished_time !== null && finished_time < endedBefore);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return { runs: ended.map(toOutline), last: last && [String(last.sid), String(last.number)] };
  }

  find(names: readonly RunName[]): readonly RunOutline[] {
    return names.flatMap((name) => {
      const row = firstRow<OutlineRow>(this.#find, tenantOf(name), name.runId);
      return row === undefined ? [] : [toOutline(row)];
    });
  }

  delete({ sid, key }: SqliteHead, { runId }: RunOutline): void {
    this.#delete.run(tenantOf(key), runId, sid);
  }
}

function toOutline(row: OutlineRow): RunOutline {
  return {
    runId: row.run_id,
    session: toKey(row),
    status: row.status,
    finishedTime: row.finished_time ?? undefined,
    answeredBy: row.answered_by ?? undefined,
    idempotencyKey: row.idempotency_key ?? undefined,
    requestBytes: row.request_bytes,
  };
}
