import { tenantOf } from "#kit/names/tenant.ts";
import type { EndedSession, EndedSessions } from "#ports/api-keys/ended-sessions.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { digestOf } from "./stream-names.ts";

/** A row for each session that has ended. It survives a crash of the server and is deleted after the session's cookies expire. */
export class PostgresEndedSessions implements EndedSessions {
  readonly #database: PostgresDatabase;

  /** The caller closes the database. */
  constructor({ database }: { readonly database: PostgresDatabase }) {
    this.#database = database;
  }

  async add(session: EndedSession, forMs: number): Promise<void> {
    await this.#database.read(
      `INSERT INTO fairlead.ended_sessions AS old (tenant_id, id, expires) VALUES ($1, $2, fairlead.now_ms() + $3)
       ON CONFLICT (tenant_id, id) DO UPDATE SET expires = greatest(old.expires, excluded.expires)`,
      [tenantOf(session), digestOf(session.id), Math.max(1, Math.ceil(forMs))],
    );
  }

  async has(session: EndedSession): Promise<boolean> {
    const rows = await this.#database.read(
      "SELECT FROM fairlead.ended_sessions WHERE tenant_id = $1 AND id = $2 AND expires > fairlead.now_ms()",
      [tenantOf(session), digestOf(session.id)],
    );
    return rows.length > 0;
  }
}
