import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { assertSessionKey } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { mergeScopes } from "#kit/sessions/state-delta.ts";
import {
  assertSize,
  type EventRow,
  eventOfPickledRow,
  eventOfRow,
  FLAG_COLUMNS,
  JSON_COLUMNS,
  type PickledEventRow,
  PLAIN_COLUMNS,
  parseObject,
  timeOf,
} from "./adk-events.ts";
import {
  placeOf,
  type SessionSource,
  type SourceItem,
  type SourceLimits,
  type SourceProblem,
} from "./session-source.ts";
import type { SqlReader } from "./sql-reader.ts";

interface SessionRow {
  readonly app_name: string;
  readonly user_id: string;
  readonly id: string;
  /** Null if it is too long to be read. */
  readonly state: string | null;
  readonly bytes: number;
  readonly time: number | string;
}

export interface AdkDatabaseOptions {
  readonly reader: SqlReader;
  readonly limits: SourceLimits;
  /** The tenant of the sessions here. */
  readonly tenantId?: string | undefined;
}

const SESSIONS_OF_PAGE = 200;
const EVENTS_OF_PAGE = 100;
const MAX_STATES = 1000;

/**
 * The sessions in a database of adk-python or of ADK for JavaScript, whose tables have the same names: the newer schema
 * with events as JSON, and the first one with a column for each member and a pickle.
 */
export class AdkDatabase implements SessionSource {
  readonly #options: AdkDatabaseOptions;
  readonly #isPickled: boolean;
  /** States of apps and users, which are read once for all their sessions. */
  readonly #states = new BoundedCache<JsonObject>(MAX_STATES);
  readonly #reported = new Set<string>();

  private constructor(options: AdkDatabaseOptions, isPickled: boolean) {
    this.#options = options;
    this.#isPickled = isPickled;
  }

  /** Throws `CONFIGURATION` for a database without these tables. */
  static async open(options: AdkDatabaseOptions): Promise<AdkDatabase> {
    const { reader } = options;
    const [events, sessions] = await Promise.all([columnsOf(reader, "events"), columnsOf(reader, "sessions")]);
    const isNew = events.has("event_data");
    if (!sessions.has("state") || !sessions.has("update_time") || (!isNew && !events.has("actions")))
      throw new PlatformError("CONFIGURATION", "The source has no tables of sessions and events of ADK.");
    return new AdkDatabase(options, !isNew);
  }

  async *items(): AsyncGenerator<SourceItem> {
    let last: readonly [string, string, string] = ["", "", ""];
    for (;;) {
      const rows = await this.#sessionRows(last);
      for (const row of rows) yield* this.#session(row);
      const end = rows.at(-1);
      if (end === undefined || rows.length < SESSIONS_OF_PAGE) return;
      last = [end.app_name, end.user_id, end.id];
    }
  }

  async *#session(row: SessionRow): AsyncGenerator<SourceItem> {
    const { tenantId, limits } = this.#options;
    const key: SessionKey = { ...inTenant(tenantId), appName: row.app_name, userId: row.user_id, id: row.id };
    try {
      assertSessionKey(key);
      assertSize(row.bytes, limits);
      const state = parseObject(row.state ?? "{}", limits);
      const lastUpdateTime = timeOf(row.time);
      const problems: SourceProblem[] = [];
      const shared = await this.#sharedState(row, problems);
      const events = await this.#events(key, problems);
      yield* problems;
      const merged = mergeScopes(shared.app, shared.user, state);
      yield { kind: "session", key, state: merged, events, lastUpdateTime };
    } catch (error) {
      yield problemOf(`sessions ${placeOf(key)}`, error);
    }
  }

  async #sharedState({ app_name, user_id }: SessionRow, problems: SourceProblem[]) {
    const app = await this.#stateOf({ table: "app_states", names: { app_name } }, problems);
    const user = await this.#stateOf({ table: "user_states", names: { app_name, user_id } }, problems);
    return { app, user };
  }

  async #stateOf(
    { table, names }: { readonly table: string; readonly names: Readonly<Record<string, string>> },
    problems: SourceProblem[],
  ): Promise<JsonObject> {
    const { reader, limits } = this.#options;
    const place = `${table} ${JSON.stringify(Object.values(names))}`;
    const known = this.#states.get(place);
    if (known !== undefined) return known;
    let state: JsonObject = {};
    try {
      const where = Object.keys(names).map((name) => `${name} = ?`);
      const [row] = await reader.all<Pick<SessionRow, "state" | "bytes">>(
        `SELECT ${this.#bounded("state")} FROM ${table} WHERE ${where.join(" AND ")}`,
        ...[limits.maxRowBytes, ...Object.values(names)],
      );
      assertSize(row?.bytes ?? 0, limits);
      state = parseObject(row?.state ?? "{}", limits);
    } catch (error) {
      // Once, and not for each of their sessions.
      if (!this.#reported.has(place)) problems.push(problemOf(place, error));
      this.#reported.add(place);
    }
    this.#states.set(place, state);
    return state;
  }

  /** The events in their order. Rows that cannot be read are left out and reported. Throws for too many. */
  async #events(key: SessionKey, problems: SourceProblem[]): Promise<readonly Event[]> {
    const { limits } = this.#options;
    const events: Event[] = [];
    const ids = new Set<string>();
    let bytes = 0;
    for (let offset = 0; ; offset += EVENTS_OF_PAGE) {
      const rows = await this.#eventRows(key, offset);
      for (const row of rows) {
        bytes += row.bytes;
        if (offset > limits.maxEvents || events.length > limits.maxEvents) throw tooMany(limits);
        if (bytes > limits.maxSessionBytes) throw tooLarge(limits);
        try {
          const event = this.#isPickled
            ? eventOfPickledRow(row as PickledEventRow, limits)
            : eventOfRow(row as EventRow, limits);
          if (event.partial === true || ids.has(event.id)) continue;
          ids.add(event.id);
          events.push(event);
        } catch (error) {
          problems.push(problemOf(`events ${placeOf(key)} ${JSON.stringify(row.id)}`, error));
        }
      }
      if (rows.length < EVENTS_OF_PAGE) break;
    }
    if (events.length > limits.maxEvents) throw tooMany(limits);
    return events;
  }

  #sessionRows(after: readonly [string, string, string]): Promise<readonly SessionRow[]> {
    const { reader, limits } = this.#options;
    return reader.all<SessionRow>(
      `SELECT app_name, user_id, id, ${this.#bounded("state")}, ${this.#time("update_time")} AS time FROM sessions
       WHERE (app_name, user_id, id) > (?, ?, ?) ORDER BY app_name, user_id, id LIMIT ${SESSIONS_OF_PAGE}`,
      ...[limits.maxRowBytes, ...after],
    );
  }

  #eventRows({ appName, userId, id }: SessionKey, offset: number): Promise<readonly (EventRow | PickledEventRow)[]> {
    const { reader, limits } = this.#options;
    const own = "app_name = ? AND user_id = ? AND session_id = ?";
    // ADK orders events of one time by their ids; a table in SQLite knows which came first.
    const order = `timestamp, ${reader.dialect === "sqlite" ? "rowid" : "id"}`;
    const columns = this.#isPickled ? this.#pickledColumns() : this.#bounded("event_data");
    const sizes = this.#isPickled ? [] : [limits.maxRowBytes];
    return reader.all(
      `SELECT id, invocation_id, ${this.#time("timestamp")} AS time, ${columns}
       FROM events WHERE ${own} ORDER BY ${order} LIMIT ${EVENTS_OF_PAGE} OFFSET ${offset}`,
      ...[...sizes, appName, userId, id],
    );
  }

  /** All columns of an event, unless they are too long together. */
  #pickledColumns(): string {
    const { dialect } = this.#options.reader;
    const asText = (column: string) => (dialect === "postgres" ? `${column}::text` : column);
    const texts = [...JSON_COLUMNS, "long_running_tool_ids_json"];
    const length = (column: string) =>
      dialect === "postgres" ? `coalesce(octet_length(${column}), 0)` : `coalesce(length(CAST(${column} AS BLOB)), 0)`;
    const bytes = [...texts.map(asText), "actions", "error_message"].map(length).join(" + ");
    const isShort = `${bytes} <= ${this.#options.limits.maxRowBytes}`;
    const bounded = [...texts.map((name) => [name, asText(name)]), ["actions", "actions"]].map(
      ([name, value]) => `CASE WHEN ${isShort} THEN ${value} END AS ${name}`,
    );
    return [...PLAIN_COLUMNS, ...FLAG_COLUMNS, ...bounded, `${bytes} AS bytes`].join(", ");
  }

  /** A column of JSON as text, unless it is too long, and its size. The first parameter is the limit. */
  #bounded(column: string): string {
    if (this.#options.reader.dialect === "postgres")
      return `CASE WHEN octet_length(${column}::text) <= ? THEN ${column}::text END AS ${column},
        coalesce(octet_length(${column}::text), 0) AS bytes`;
    const size = `length(CAST(${column} AS BLOB))`;
    return `CASE WHEN ${size} <= ? THEN ${column} END AS ${column}, coalesce(${size}, 0) AS bytes`;
  }

  /** Seconds as a number in Postgres; in SQLite what the column has. */
  #time(column: string): string {
    if (this.#options.reader.dialect === "sqlite") return column;
    return `extract(epoch FROM ${column})::double precision`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.reader[Symbol.asyncDispose]();
  }
}

async function columnsOf(reader: SqlReader, table: string): Promise<ReadonlySet<string>> {
  const sql =
    reader.dialect === "sqlite"
      ? "SELECT name FROM pragma_table_info(?)"
      : "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?";
  return new Set((await reader.all<{ readonly name: string }>(sql, table)).map(({ name }) => name));
}

function problemOf(place: string, error: unknown): SourceProblem {
  // Others are failures of the database, and not of the row.
  if (!(error instanceof PlatformError) || error.reason === "STORE_UNAVAILABLE") throw error;
  return { kind: "problem", place, reason: error.message };
}

function tooMany({ maxEvents }: SourceLimits): PlatformError {
  return new PlatformError("TOO_MANY_EVENTS", `It has more than the ${maxEvents} events of MAX_IMPORTED_EVENTS.`);
}

function tooLarge({ maxSessionBytes }: SourceLimits): PlatformError {
  return new PlatformError(
    "BODY_TOO_LARGE",
    `Its events have more than the ${maxSessionBytes} bytes of MAX_FILE_BODY_BYTES.`,
  );
}
