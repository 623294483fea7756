import type { DatabaseSync } from "node:sqlite";
import { inTenant } from "#kit/names/tenant.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataDeletion } from "#ports/tenants/tenant-data.ts";
import { allRows, eachRow } from "../database/sqlite-database.ts";
import type { SessionRow } from "./session-rows.ts";

interface StateRow {
  readonly app_name: string;
  readonly user_id: string;
  readonly key: string;
  readonly value: string;
}

interface DeletionRow {
  readonly tenant_id: string;
  readonly user_id: string;
  readonly started: number;
}

/** The rows of a tenant or of one of its users, and the deletions that have not ended. */
export class OwnedSessionRows {
  readonly #content: SessionContent;
  readonly #statements;
  #deletions: readonly DataDeletion[] | undefined;

  constructor(database: DatabaseSync, content: SessionContent) {
    this.#content = content;
    const prepare = (sql: string) => database.prepare(sql);
    const isOwned = "tenant_id = ? AND user_id = ifnull(?, user_id)";
    this.#statements = {
      sessions: prepare(
        `SELECT app_name, user_id, id FROM sessions
         WHERE ${isOwned} AND (app_name, user_id, id) > (?, ?, ?) ORDER BY app_name, user_id, id`,
      ),
      some: prepare(`SELECT * FROM sessions WHERE ${isOwned} LIMIT ?`),
      userStates: prepare(
        `SELECT app_name, user_id, key, value FROM user_state
         WHERE ${isOwned} AND (app_name, user_id) > (?, ?) ORDER BY app_name, user_id`,
      ),
      appStates: prepare(
        `SELECT app_name, '' AS user_id, key, value FROM app_state
         WHERE tenant_id = ? AND app_name > ? ORDER BY app_name`,
      ),
      deleteUserStates: prepare(`DELETE FROM user_state WHERE ${isOwned}`),
      deleteAppStates: prepare("DELETE FROM app_state WHERE tenant_id = ?"),
      deletions: prepare("SELECT * FROM data_deletions"),
      saveDeletion: prepare("INSERT OR REPLACE INTO data_deletions (tenant_id, user_id, started) VALUES (?, ?, ?)"),
      dropDeletion: prepare("DELETE FROM data_deletions WHERE tenant_id = ? AND user_id = ?"),
    };
  }

  /** Forgets what is cached, after a rollback. */
  forget(): void {
    this.#deletions = undefined;
  }

  *items({ tenantId, userId }: DataOwner, after: readonly string[] = ["1"]): Generator<PlacedItem, void, undefined> {
    const { sessions, userStates, appStates } = this.#statements;
    const [phase = "", appName = "", user = "", id = ""] = after;
    const owner = [tenantId, userId ?? null] as const;
    if (phase === "1") {
      type Row = Pick<SessionRow, "app_name" | "user_id" | "id">;
      for (const row of eachRow<Row>(sessions, ...owner, appName, user, id)) {
        const place = ["1", row.app_name, row.user_id, row.id];
        yield { item: { kind: "session", appName: row.app_name, userId: row.user_id, id: row.id }, place };
      }
    }
    if (phase <= "2") {
      const from = phase === "2" ? [appName, user] : ["", ""];
      yield* this.#states("user-state", tenantId, eachRow<StateRow>(userStates, ...owner, ...from));
    }
    if (userId !== undefined) return;
    const from = phase === "3" ? appName : "";
    yield* this.#states("app-state", tenantId, eachRow<StateRow>(appStates, tenantId, from));
  }

  /** Sessions of the owner, in any order. */
  some({ tenantId, userId }: DataOwner, limit: number): readonly SessionRow[] {
    return allRows<SessionRow>(this.#statements.some, tenantId, userId ?? null, limit);
  }

  deleteStates({ tenantId, userId }: DataOwner): void {
    this.#statements.deleteUserStates.run(tenantId, userId ?? null);
    if (userId === undefined) this.#statements.deleteAppStates.run(tenantId);
  }

  deletions(): readonly DataDeletion[] {
    this.#deletions ??= allRows<DeletionRow>(this.#statements.deletions).map((row) => ({
      tenantId: row.tenant_id,
      ...(row.user_id !== "" && { userId: row.user_id }),
      startedAtMs: row.started,
    }));
    return this.#deletions;
  }

  saveDeletion({ tenantId, userId = "", startedAtMs }: DataDeletion): void {
    this.#statements.saveDeletion.run(tenantId, userId, startedAtMs);
    this.forget();
  }

  dropDeletion({ tenantId, userId = "" }: DataOwner): void {
    this.#statements.dropDeletion.run(tenantId, userId);
    this.forget();
  }

  /** One item for the rows of an owner, which follow each other. */
  *#states(
    kind: "user-state" | "app-state",
    tenantId: string,
    rows: Iterable<StateRow>,
  ): Generator<PlacedItem, void, undefined> {
    const phase = kind === "user-state" ? "2" : "3";
    let open: { readonly app: string; readonly user: string; readonly state: Record<string, JsonValue> } | undefined;
    const done = ({ app, user, state }: NonNullable<typeof open>): PlacedItem => {
      const owner: JsonObject = kind === "user-state" ? { appName: app, userId: user } : { appName: app };
      return { item: { kind, ...owner, state }, place: [phase, app, user] };
    };
    for (const { app_name: app, user_id: user, key, value } of rows) {
      if (open !== undefined && (open.app !== app || open.user !== user)) {
        yield done(open);
        open = undefined;
      }
      open ??= { app, user, state: {} };
      const owner = { ...inTenant(tenantId), appName: app, userId: user };
      const text = this.#content.openShared(kind === "user-state" ? "user" : "app", owner, key, value);
      // Written by JSON.stringify from a JSON value.
      setOwn(open.state, key, JSON.parse(text) as JsonValue);
    }
    if (open !== undefined) yield done(open);
  }
}
