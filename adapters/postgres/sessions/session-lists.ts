import { tenantOf } from "#kit/names/tenant.ts";
import type { JournalHead } from "#kit/sessions/journal-head.ts";
import { toRunningRun } from "#kit/sessions/journal-head.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { IdleHeads, IdleOptions, ListOptions } from "#ports/sessions/session-tables.ts";
import { Parameters } from "../database/parameters.ts";
import type { StatementReader } from "../database/postgres-database.ts";
import { atLeastCharacters, untilSize } from "./page-sizes.ts";
import {
  type PostgresHead,
  type RunRow,
  type SessionRow,
  type StateRow,
  toHead,
  toKey,
  toRun,
} from "./session-rows.ts";

const OWN_STATE = "FROM fairlead.session_state AS own WHERE own.sid = ";
const ORDER = "update_step DESC, update_time DESC, id";

/**
 * The sessions of a user, newest update first, without their runs. The index has them in steps of ten seconds, and only
 * the sessions of one step are sorted. States are read after it is known how many of them fit.
 */
export async function listHeads(
  { database, content }: { readonly database: StatementReader; readonly content: SessionContent },
  { appName, userId, ...tenant }: Omit<SessionKey, "id">,
  { after, limit, hiddenIdPrefix, maxCharacters }: ListOptions,
): Promise<readonly PostgresHead[]> {
  const rows = await database.read<SessionRow & { readonly state: readonly StateRow[] | null }>(
    `WITH page AS (
       SELECT * FROM fairlead.sessions
       WHERE tenant_id = $1 AND user_id = $2 AND app_name = $3 AND update_step >= 0 AND NOT starts_with(id, $4)
         AND ($5::double precision IS NULL OR update_step <= floor($5::double precision / 10000)
           AND (update_time < $5::double precision OR (update_time = $5::double precision AND id > $6)))
       ORDER BY ${ORDER} LIMIT $7
     ), sized AS (
       SELECT page.*, (SELECT sum(${atLeastCharacters("value")}) ${OWN_STATE} page.sid) AS size FROM page
     )
     SELECT chosen.*, (SELECT json_agg(json_build_array(coalesce(long_key, key), value)) ${OWN_STATE} chosen.sid) AS state
     FROM (${untilSize({ table: "sized", size: "size", order: ORDER, most: "$8" })}) AS chosen ORDER BY ${ORDER}`,
    [
      ...[tenantOf(tenant), userId, appName, hiddenIdPrefix],
      ...[after?.lastUpdateTime ?? null, after?.id ?? "", limit ?? null, maxCharacters ?? null],
    ],
  );
  return rows.map((row) => toHead(row, [], row.state, content));
}

type WalkedRow = Pick<SessionRow, "sid" | "tenant_id" | "app_name" | "user_id" | "id" | "update_time">;

/** As `SessionTables.listIdle`, in the order of the sessions' numbers: an index by time would be written by each append. */
export async function listIdleSessions(
  database: StatementReader,
  { updatedBefore, after, limit }: IdleOptions,
): Promise<IdleHeads> {
  const rows = await database.read<WalkedRow>(
    `SELECT sid, tenant_id, app_name, user_id, id, update_time FROM fairlead.sessions
     WHERE sid > $1 ORDER BY sid LIMIT $2`,
    [after?.number ?? 0, limit],
  );
  const idle = rows.filter(({ update_time }) => update_time < updatedBefore);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    sessions: idle.map((row) => ({ key: toKey(row), lastUpdateTime: row.update_time })),
    last: last && { number: last.sid, id: "" },
  };
}

/** Answers what runners ask about many sessions, without reading states and requests. */
export async function readJournalHeads(
  database: StatementReader,
  sessions: readonly SessionKey[],
  content: SessionContent,
): Promise<readonly (JournalHead | undefined)[]> {
  const parameters = new Parameters();
  const columns = { ord: "integer", tenant_id: "text", user_id: "text", app_name: "text", id: "text" } as const;
  const names = sessions.map((key, ord) => {
    return { ord, tenant_id: tenantOf(key), user_id: key.userId, app_name: key.appName, id: key.id };
  });
  type Row = Pick<SessionRow, "incarnation" | "revision"> & { readonly ord: number } & (
      | RunRow
      | { readonly run_id: null }
    );
  const rows = await database.read<Row>(
    `SELECT ord, incarnation, revision, run_id, runs.tenant_id, runs.app_name, runs.user_id, session_id, answered_by,
       record, NULL AS request, NULL AS error
     FROM ${parameters.table("given", columns, names)} JOIN fairlead.sessions USING (tenant_id, user_id, app_name, id)
       LEFT JOIN fairlead.runs ON runs.sid = sessions.sid AND is_open AND holder IS NOT NULL`,
    parameters.values,
  );
  const found = new Map(rows.map((row) => [row.ord, row]));
  return sessions.map((_, ord) => {
    const row = found.get(ord);
    if (row === undefined) return undefined;
    const { incarnation, revision } = row;
    return { incarnation, revision, run: row.run_id === null ? undefined : toRunningRun(toRun(row, content)) };
  });
}
