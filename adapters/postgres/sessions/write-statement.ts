import { type ColumnRows, type ColumnTypes, Parameters } from "../database/parameters.ts";
import type { ChangeRows } from "./change-rows.ts";

/** A row that the statement returns for each change that is stored. */
export interface StoredChange {
  /** The place of the change among those that were given. */
  readonly ord: number;
  readonly sid: number;
  readonly version: number;
}

/** Events of sessions with more of them are not deleted in the statement that deletes the session. */
export const MAX_EVENTS_DELETED_WITH_SESSION = 1_000;
/** Names the counts of sessions in the table of all counts. */
export const COUNTED_KIND = "sessions";

const HEAD = {
  revision: "bigint",
  update_time: "double precision",
  closed_time: "double precision",
  epoch: "bigint",
  lease_expires: "double precision",
  history_start: "text",
  agent_revision: "text",
  awaiting: "text",
  stored_bytes: "bigint",
  counted_in: "text",
} as const;
const NEW_HEAD = {
  tenant_id: "text",
  app_name: "text",
  user_id: "text",
  id: "text",
  incarnation: "text",
  ...HEAD,
} as const;
const VERSION = { sid: "bigint", number: "bigint" } as const;
const EVENT = {
  sequence: "bigint",
  header: "text",
  timestamp: "double precision",
  has_delta: "boolean",
  outside_id: "text",
  json: "text",
} as const;
const RUN = {
  tenant_id: "text",
  run_id: "text",
  status: "text",
  is_open: "boolean",
  holder: "text",
  finished_time: "double precision",
  record: "text",
  error: "text",
} as const;
const NEW_RUN = {
  ...RUN,
  app_name: "text",
  user_id: "text",
  session_id: "text",
  idempotency_key: "text",
  created_time: "double precision",
  answered_by: "text",
  request_bytes: "bigint",
  request: "text",
} as const;
const STATE = { key: "text", long_key: "text", value: "text" } as const;
const SHARED = { tenant_id: "text", user_id: "text", app_name: "text", ...STATE } as const;
const COUNT = { tenant_id: "text", scope: "text", name: "text", items: "bigint", bytes: "bigint" } as const;

/**
 * One statement, and so one transaction, that stores the changes of any number of sessions, of each session one. A change
 * whose head has another version by then is left out with all that belongs to it, because every part is joined with the
 * heads that were written (`placed`); the others are stored. The statement returns which ones. It fails as a whole if
 * the id or the key of a new run is taken.
 */
export function writeStatement(changes: readonly ChangeRows[]): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const statement = new WriteStatement(changes);
  statement.addHeads();
  statement.addEvents();
  statement.addRuns();
  statement.addDeletedRuns();
  statement.addStates();
  statement.addCounts();
  return { text: statement.text, values: statement.values };
}

class WriteStatement {
  readonly #changes: readonly ChangeRows[];
  readonly #parameters = new Parameters();
  readonly #parts: string[] = [];

  constructor(changes: readonly ChangeRows[]) {
    this.#changes = changes;
  }

  get text(): string {
    return `WITH ${this.#parts.join(",\n")}\nSELECT ord, sid, version FROM placed`;
  }

  get values(): readonly unknown[] {
    return this.#parameters.values;
  }

  addHeads(): void {
    const headsOf = (kind: ChangeRows["kind"]) => this.#rows((change) => (change.kind === kind ? [change.head] : []));
    const placed: string[] = [];
    const isSame = "s.sid = given.sid AND s.version = given.number";
    this.#add({ ...VERSION, ...HEAD }, headsOf("update"), (given) => {
      placed.push("SELECT ord, sid, version FROM changed");
      const values = namesOf(HEAD).map((column) => `${column} = given.${column}`);
      return [
        `changed AS (UPDATE fairlead.sessions AS s SET version = s.version + 1, ${values.join(", ")} FROM ${given}
          WHERE ${isSame} RETURNING given.ord, s.sid, s.version)`,
      ];
    });
    this.#add(NEW_HEAD, headsOf("create"), (given) => {
      placed.push("SELECT ord, sid, created.version FROM created JOIN new_sessions USING (sid)");
      const names = namesOf(NEW_HEAD).join(", ");
      return [
        `new_sessions AS (SELECT nextval('fairlead.session_ids') AS sid, given.* FROM ${given})`,
        `created AS (INSERT INTO fairlead.sessions (sid, version, ${names}) SELECT sid, 1, ${names} FROM new_sessions
          ON CONFLICT DO NOTHING RETURNING sid, version)`,
      ];
    });
    this.#add(VERSION, headsOf("delete"), (given) => {
      placed.push("SELECT ord, sid, version FROM deleted");
      const few = `revision <= ${MAX_EVENTS_DELETED_WITH_SESSION}`;
      const isOf = (condition: string) => `sid IN (SELECT sid FROM deleted WHERE ${condition})`;
      return [
        `deleted AS (DELETE FROM fairlead.sessions AS s USING ${given} WHERE ${isSame}
          RETURNING given.ord, s.sid, s.version, s.revision)`,
        `deleted_runs AS (DELETE FROM fairlead.runs WHERE ${isOf("true")})`,
        `deleted_states AS (DELETE FROM fairlead.session_state WHERE ${isOf("true")})`,
        `deleted_events AS (DELETE FROM fairlead.events WHERE ${isOf(few)})`,
        `removed AS (INSERT INTO fairlead.removed_sessions SELECT sid FROM deleted WHERE NOT ${few})`,
      ];
    });
    this.#parts.push(`placed AS (${placed.join(" UNION ALL ")})`);
  }

  addEvents(): void {
    const names = namesOf(EVENT).join(", ");
    this.#add(
      EVENT,
      this.#rows(({ events }) => events),
      (given) => [
        `added_events AS (INSERT INTO fairlead.events (sid, ${names})
          SELECT placed.sid, ${names} FROM ${given} JOIN placed USING (ord))`,
      ],
    );
  }

  addRuns(): void {
    const names = namesOf(NEW_RUN).join(", ");
    this.#add(
      NEW_RUN,
      this.#rows(({ addedRuns }) => addedRuns),
      (given) => [
        `added_runs AS (INSERT INTO fairlead.runs (sid, ${names})
          SELECT placed.sid, ${names} FROM ${given} JOIN placed USING (ord) ORDER BY ord)`,
      ],
    );
    const isSame = "old.tenant_id = given.tenant_id AND old.run_id = given.run_id";
    this.#add(
      RUN,
      this.#rows(({ changedRuns }) => changedRuns),
      (given) => [
        `changed_runs AS (UPDATE fairlead.runs AS old SET status = given.status, is_open = given.is_open,
            holder = given.holder, finished_time = given.finished_time, record = given.record, error = given.error
          FROM ${given} JOIN placed USING (ord) WHERE ${isSame})`,
      ],
    );
    this.#add(
      { tenant_id: "text", run_id: "text", answered_by: "text" },
      this.#rows(({ answeredRuns }) => answeredRuns),
      (given) => [
        `answered_runs AS (UPDATE fairlead.runs AS old SET answered_by = given.answered_by
          FROM ${given} JOIN placed USING (ord) WHERE ${isSame})`,
      ],
    );
  }

  /** Only runs that have ended, of sessions that stay. */
  addDeletedRuns(): void {
    this.#add(
      { tenant_id: "text", run_id: "text" },
      this.#rows(({ deletedRuns }) => deletedRuns),
      (given) => [
        `old_runs AS (DELETE FROM fairlead.runs AS old USING ${given} JOIN placed USING (ord)
          WHERE old.tenant_id = given.tenant_id AND old.run_id = given.run_id AND old.sid = placed.sid)`,
      ],
    );
  }

  /** Several sessions of a batch may change one shared value: the last one counts. All processes write in one order. */
  addStates(): void {
    const isSet = "value IS NOT NULL";
    const onConflict = "DO UPDATE SET value = excluded.value, long_key = excluded.long_key";
    this.#add(
      STATE,
      this.#rows(({ state }) => state),
      (given) => [
        `own_state AS (SELECT sid, key, long_key, value FROM ${given} JOIN placed USING (ord))`,
        `set_state AS (INSERT INTO fairlead.session_state (sid, key, long_key, value)
          SELECT sid, key, long_key, value FROM own_state WHERE ${isSet} ON CONFLICT (sid, key) ${onConflict})`,
        `unset_state AS (DELETE FROM fairlead.session_state AS old USING own_state AS given
          WHERE old.sid = given.sid AND old.key = given.key AND given.value IS NULL)`,
      ],
    );
    const place = ["tenant_id", "user_id", "app_name", "key"];
    const places = place.join(", ");
    const isSame = place.map((column) => `old.${column} = given.${column}`).join(" AND ");
    this.#add(
      SHARED,
      this.#rows(({ shared }) => shared),
      (given) => [
        `shared_state AS (SELECT DISTINCT ON (${places}) ${places}, long_key, value
          FROM ${given} JOIN placed USING (ord) ORDER BY ${places}, ord DESC)`,
        `set_shared AS (INSERT INTO fairlead.shared_state (${places}, long_key, value)
          SELECT ${places}, long_key, value FROM shared_state WHERE ${isSet} ORDER BY ${places}
          ON CONFLICT (${places}) ${onConflict})`,
        `unset_shared AS (DELETE FROM fairlead.shared_state AS old USING shared_state AS given
          WHERE ${isSame} AND given.value IS NULL)`,
      ],
    );
  }

  /** Counts with an expectation are written before, in the same transaction. */
  addCounts(): void {
    const place = "tenant_id, scope, name";
    this.#add(
      COUNT,
      this.#rows(({ counts }) => counts.filter(({ expect }) => expect === undefined)),
      (given) => [
        `added_counts AS (INSERT INTO fairlead.stored_counts AS old (tenant_id, kind, scope, name, items, bytes, version)
          SELECT tenant_id, '${COUNTED_KIND}', scope, name, sum(items), sum(bytes), nextval('fairlead.versions')
          FROM ${given} JOIN placed USING (ord) GROUP BY ${place} ORDER BY ${place}
          ON CONFLICT (tenant_id, kind, scope, name) DO UPDATE
            SET items = old.items + excluded.items, bytes = old.bytes + excluded.bytes, version = excluded.version)`,
      ],
    );
  }

  #rows<Row extends object>(of: (change: ChangeRows) => readonly Row[]): readonly (Row & { readonly ord: number })[] {
    return this.#changes.flatMap((change, ord) => of(change).map((row) => ({ ...row, ord })));
  }

  /** Nothing is added without rows, so that a statement has only the parts that it needs. */
  #add<Column extends string>(
    columns: ColumnTypes<Column>,
    rows: ColumnRows<NoInfer<Column> | "ord">,
    partsOf: (given: string) => readonly string[],
  ): void {
    if (rows.length === 0) return;
    const all = { ord: "integer", ...columns } as ColumnTypes<Column | "ord">;
    this.#parts.push(...partsOf(this.#parameters.table("given", all, rows)));
  }
}

function namesOf(columns: object): readonly string[] {
  return Object.keys(columns);
}
