import type { StatementSync } from "node:sqlite";
import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { IdleHeads, IdleOptions, ListOptions } from "#ports/sessions/session-tables.ts";
import type { StateScope } from "#ports/sessions/state-scope.ts";
import { allRows, allRowsOf } from "../database/sqlite-database.ts";
import { type HeadRow, type SessionRow, type SqliteHead, toHead, toKey } from "./session-rows.ts";

/** Sessions that are read together, and the longest state in bytes that is read with them: a megabyte in all. */
const ROWS = 256;
const MAX_STATE_BYTES = 4096;

/** A session of a list; `state` is null too if it is too long to be read with the others. */
type ListedRow = HeadRow & { readonly state: string | null; readonly state_bytes: number | null };

export function isLeftOut({ state, state_bytes }: ListedRow): boolean {
  return state === null && state_bytes !== null;
}

/**
 * The sessions of a user, as `SessionTables.list`. Rows are read many at a time, because a step of a statement costs twice
 * as much as a row of a list, and no more than a megabyte of them.
 */
export function listHeads(
  statement: StatementSync,
  owner: Omit<SessionKey, "id">,
  options: ListOptions,
  stateOf: (head: SqliteHead, row: ListedRow) => StateScope,
): readonly SqliteHead[] {
  const { limit = Number.POSITIVE_INFINITY, maxCharacters = Number.POSITIVE_INFINITY } = options;
  const heads: SqliteHead[] = [];
  let { after } = options;
  let characters = 0;
  for (;;) {
    const rows = read(statement, owner, { ...options, after, limit: Math.min(limit - heads.length, ROWS) });
    for (const row of rows) {
      const head = toHead(row, { ...owner, id: row.id });
      head.state = stateOf(head, row);
      heads.push(head);
      // With one more, which shows that there are more.
      if (characters >= maxCharacters) return heads;
      characters += head.state.json.length;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS || heads.length >= limit) return heads;
    after = { lastUpdateTime: last.update_time, id: last.id };
  }
}

function read(
  statement: StatementSync,
  owner: Omit<SessionKey, "id">,
  { hiddenIdPrefix, after, limit = ROWS }: ListOptions,
): readonly ListedRow[] {
  return allRowsOf<ListedRow>(
    statement,
    owner.appName,
    owner.userId,
    hiddenIdPrefix,
    after?.lastUpdateTime ?? null,
    after?.id ?? null,
    limit,
    tenantOf(owner),
    MAX_STATE_BYTES,
  );
}

type WalkedRow = Pick<SessionRow, "sid" | "tenant_id" | "app_name" | "user_id" | "id" | "update_time">;

/** As `SessionTables.listIdle`. There is no index by time, which each append would write. */
export function listIdleHeads(walk: StatementSync, { updatedBefore, after, limit }: IdleOptions): IdleHeads {
  const rows = allRows<WalkedRow>(walk, after?.number ?? 0, limit);
  const idle = rows.filter(({ update_time }) => update_time < updatedBefore);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    sessions: idle.map((row) => ({ key: toKey(row), lastUpdateTime: row.update_time })),
    last: last && { number: last.sid, id: "" },
  };
}
