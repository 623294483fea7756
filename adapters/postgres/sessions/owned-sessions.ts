import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import { type DataOwner, isSameOwner } from "#ports/tenants/data-owner.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataDeletion, DataDeletions } from "#ports/tenants/tenant-data.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { type StateRow, toState } from "./session-rows.ts";
import { COUNTED_KIND } from "./write-statement.ts";

export interface DeletionRow {
  readonly tenant_id: string;
  readonly user_id: string;
  readonly started: number;
}

interface NameRow {
  readonly app_name: string;
  readonly user_id: string;
  readonly id: string;
}

const PAGE_SIZE = 500;
/** States are read with their values. */
const STATES_OF_PAGE = 20;
const IS_OWNED = "tenant_id = $1 AND ($2::text IS NULL OR user_id = $2)";

/** The rows of an owner of data, and the deletions that have not ended. */
export class OwnedSessions implements DataDeletions {
  readonly #database: PostgresDatabase;
  readonly #content: SessionContent;
  readonly #clock: Clock;

  constructor(database: PostgresDatabase, content: SessionContent, clock: Clock) {
    this.#database = database;
    this.#content = content;
    this.#clock = clock;
  }

  async *sessions(
    { tenantId, userId }: DataOwner,
    [user, app, id]: readonly string[] = [],
  ): AsyncGenerator<SessionKey, void, undefined> {
    let after = [user ?? "", app ?? "", id ?? ""];
    for (;;) {
      const rows = await this.#database.read<NameRow>(
        `SELECT app_name, user_id, id FROM fairlead.sessions
         WHERE ${IS_OWNED} AND (user_id, app_name, id) > ($3, $4, $5) ORDER BY user_id, app_name, id LIMIT ${PAGE_SIZE}`,
        [tenantId, userId ?? null, ...after],
      );
      for (const row of rows) {
        yield { ...inTenant(tenantId), appName: row.app_name, userId: row.user_id, id: row.id };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_SIZE) return;
      after = [last.user_id, last.app_name, last.id];
    }
  }

  /** Sessions first, then the states of users, then the states of apps. */
  async *items(owner: DataOwner, after: readonly string[] = ["1"]): AsyncGenerator<PlacedItem, void, undefined> {
    const [phase = "", ...place] = after;
    if (phase === "1") {
      for await (const { appName, userId, id } of this.sessions(owner, place))
        yield { item: { kind: "session", appName, userId, id }, place: ["1", userId, appName, id] };
    }
    if (phase <= "2") yield* this.#states("user", owner, phase === "2" ? place : []);
    if (owner.userId === undefined) yield* this.#states("app", owner, phase === "3" ? place : []);
  }

  /** Deletes the states, and the counts that have the user's name. */
  async deleteStates({ tenantId, userId }: DataOwner): Promise<void> {
    const owner = [tenantId, userId ?? null];
    await this.#database.write(
      `WITH counts AS (
         DELETE FROM fairlead.stored_counts
         WHERE kind = '${COUNTED_KIND}' AND tenant_id = $1 AND items <= 0
           AND ($2::text IS NULL OR (scope = 'user' AND name = $2))
       ) DELETE FROM fairlead.shared_state WHERE ${IS_OWNED}`,
      owner,
    );
  }

  async beginDeletion(owner: DataOwner): Promise<DataDeletion> {
    const startedAtMs = this.#clock.now();
    await this.#database.write(
      `INSERT INTO fairlead.data_deletions (tenant_id, user_id, started) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [owner.tenantId, owner.userId ?? "", startedAtMs],
    );
    const known = (await this.listDeletions()).find((deletion) => isSameOwner(deletion, owner));
    return known ?? { ...owner, startedAtMs };
  }

  async endDeletion({ tenantId, userId = "" }: DataOwner): Promise<void> {
    await this.#database.write("DELETE FROM fairlead.data_deletions WHERE tenant_id = $1 AND user_id = $2", [
      tenantId,
      userId,
    ]);
  }

  async listDeletions(): Promise<readonly DataDeletion[]> {
    return (await this.#database.read<DeletionRow>("SELECT * FROM fairlead.data_deletions")).map(toDeletion);
  }

  async *#states(
    scope: "app" | "user",
    { tenantId, userId }: DataOwner,
    [user, app]: readonly string[],
  ): AsyncGenerator<PlacedItem, void, undefined> {
    let after = [user ?? "", app ?? ""];
    for (;;) {
      const rows = await this.#database.read<Omit<NameRow, "id"> & { readonly state: readonly StateRow[] }>(
        `SELECT user_id, app_name, json_agg(json_build_array(coalesce(long_key, key), value)) AS state
         FROM fairlead.shared_state
         WHERE ${IS_OWNED} AND (user_id = '') = $3 AND (user_id, app_name) > ($4, $5)
         GROUP BY user_id, app_name ORDER BY user_id, app_name LIMIT ${STATES_OF_PAGE}`,
        [tenantId, userId ?? null, scope === "app", ...after],
      );
      for (const { app_name: appName, user_id, state: members } of rows) {
        const owner = { ...inTenant(tenantId), appName, userId: user_id };
        const state = toState(members, (key, text) => this.#content.openShared(scope, owner, key, text)).copy();
        if (scope === "app") yield { item: { kind: "app-state", appName, state }, place: ["3", user_id, appName] };
        else yield { item: { kind: "user-state", appName, userId: user_id, state }, place: ["2", user_id, appName] };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < STATES_OF_PAGE) return;
      after = [last.user_id, last.app_name];
    }
  }
}

export function toDeletion({ tenant_id, user_id, started }: DeletionRow): DataDeletion {
  return { tenantId: tenant_id, userId: user_id === "" ? undefined : user_id, startedAtMs: started };
}
