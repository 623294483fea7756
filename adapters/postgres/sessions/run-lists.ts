import { tenantOf } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { pageBySize } from "#ports/sessions/event-pages.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { AbandonedOptions, NumberedRuns, RunFilter, RunsPlace } from "#ports/sessions/session-tables.ts";
import { skipUndecryptable } from "#ports/sessions/skip-undecryptable-runs.ts";
import { Parameters } from "../database/parameters.ts";
import type { StatementReader } from "../database/postgres-database.ts";
import { atLeastCharacters, untilSize } from "./page-sizes.ts";
import { type RunRow, toRun } from "./session-rows.ts";

/** Newest first. */
export async function listRuns(
  database: StatementReader,
  content: SessionContent,
  filter: RunFilter,
  { before, limit, maxCharacters }: RunsPlace,
): Promise<NumberedRuns> {
  const parameters = new Parameters();
  const conditions = conditionsOf(parameters, filter);
  if (conditions === undefined) return { page: [], hasMore: false };
  if (before !== undefined) conditions.push(`number < ${parameters.add(before.number)}::bigint`);
  const most = parameters.add(limit === undefined ? null : limit + 1);
  const size = atLeastCharacters("request");
  const rows = await database.read<RunRow>(
    `WITH page AS (
       SELECT runs.* FROM fairlead.runs WHERE ${conditions.join(" AND ")} ORDER BY number DESC LIMIT ${most}::bigint
     ) ${untilSize({ table: "page", size, order: "number DESC", most: parameters.add(maxCharacters ?? null) })}
     ORDER BY number DESC`,
    parameters.values,
  );
  const runs = rows.map((row) => ({ number: row.number, run: toRun(row, content) }));
  const sizeOf = ({ run }: (typeof runs)[number]) => JSON.stringify(run.request).length;
  return pageBySize(runs, sizeOf, { limit, most: maxCharacters });
}

/** Undefined if nothing can match. */
function conditionsOf(parameters: Parameters, filter: RunFilter): string[] | undefined {
  const { session, appName, userId, statuses } = filter;
  const conditions = [`tenant_id = ${parameters.add(tenantOf(filter))}`];
  const is = (column: string, value: string) => conditions.push(`${column} = ${parameters.add(value)}`);
  if (session !== undefined) {
    if (tenantOf(session) !== tenantOf(filter)) return undefined;
    if (userId !== undefined && userId !== session.userId) return undefined;
    if (appName !== undefined && appName !== session.appName) return undefined;
    const names = [tenantOf(session), session.userId, session.appName, session.id].map((name) => parameters.add(name));
    const columns = "(tenant_id, user_id, app_name, id)";
    conditions.push(`sid = (SELECT sid FROM fairlead.sessions WHERE ${columns} = (${names.join(", ")}))`);
  } else {
    if (appName !== undefined) is("app_name", appName);
    if (userId !== undefined) is("user_id", userId);
  }
  // As in `isListed`: no status matches a run that was answered. Each condition is one of an index.
  if (statuses === undefined) return conditions;
  if (statuses.every((status) => status === "awaiting_input")) conditions.push("status = 'awaiting_input'");
  else conditions.push(`status = ANY(${parameters.add(statuses)}::text[])`);
  conditions.push("answered_by IS NULL");
  if (statuses.every((status) => status === "pending" || status === "running")) conditions.push("is_open");
  return statuses.length === 0 ? undefined : conditions;
}

const ABANDONED_PAGE_SIZE = 200;

/** The first open run of each session that has no holder, or whose lease has expired, or that has the given holder. */
export async function listAbandonedRuns(
  database: StatementReader,
  content: SessionContent,
  { now, recordedUntil, holder, limit }: AbandonedOptions,
): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = [];
  let after = 0;
  for (;;) {
    const rows = await database.read<RunRow>(
      `SELECT runs.* FROM fairlead.runs JOIN fairlead.sessions AS s USING (sid)
       WHERE is_open AND number > $1 AND (
           holder = $2 OR (created_time <= $3 AND (holder IS NULL OR coalesce(lease_expires, 0) <= $4))
         ) AND NOT EXISTS (
           SELECT FROM fairlead.runs AS ahead
           WHERE ahead.sid = runs.sid AND ahead.is_open AND (ahead.holder IS NOT NULL, -ahead.number) >
             (runs.holder IS NOT NULL, -runs.number)
         )
       ORDER BY number LIMIT ${ABANDONED_PAGE_SIZE}`,
      [after, holder ?? null, recordedUntil, now],
    );
    found.push(...skipUndecryptable(rows, (row) => toRun(row, content), limit - found.length));
    const last = rows.at(-1);
    if (last === undefined || rows.length < ABANDONED_PAGE_SIZE || found.length >= limit) return found;
    after = last.number;
  }
}
