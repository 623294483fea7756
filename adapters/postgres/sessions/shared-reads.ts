import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { AnswerOf, SessionAnswers } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionRead } from "#ports/sessions/session-reads.ts";
import { type ColumnRows, type ColumnTypes, Parameters } from "../database/parameters.ts";
import type { StatementReader } from "../database/postgres-database.ts";
import { type DeletionRow, toDeletion } from "./owned-sessions.ts";
import {
  type PostgresVersion,
  type RunRow,
  type SessionRow,
  type StateRow,
  toHead,
  toRun,
  toState,
} from "./session-rows.ts";
import { COUNTED_KIND } from "./write-statement.ts";

type Answers = SessionAnswers<PostgresVersion>;
type ReadOf<Kind extends SessionRead["kind"]> = Extract<SessionRead, { kind: Kind }>;

/** Reads of one statement. Each head has its state and open runs, which can be long. */
const MAX_READS = 32;

const SESSION = { tenant_id: "text", user_id: "text", app_name: "text", id: "text" } as const;

/**
 * Reads heads, states, counts and runs. Attempts that begin in one turn of the event loop share a statement, which has one
 * state of the data, and whose text does not depend on their number.
 */
export class SharedReads {
  readonly #database: StatementReader;
  readonly #content: SessionContent;
  #open: ReadStatement | undefined;

  constructor(database: StatementReader, content: SessionContent) {
    this.#database = database;
    this.#content = content;
  }

  /** Reads what such a statement can have, and returns the other reads. An attempt's reads are in the same statement. */
  add(reads: readonly SessionRead[], answers: Answers): AddedReads {
    const statement = this.#open ?? this.#begin();
    const added = statement.add(reads, answers);
    if (statement.size >= MAX_READS) this.#open = undefined;
    return added;
  }

  #begin(): ReadStatement {
    const statement = new ReadStatement(this.#content);
    this.#open = statement;
    setImmediate(() => {
      if (this.#open === statement) this.#open = undefined;
      void statement.send(this.#database);
    });
    return statement;
  }
}

interface AddedReads {
  readonly others: readonly SessionRead[];
  /** Undefined if nothing was added. */
  readonly done: Promise<void> | undefined;
}

/** An attempt whose reads are in the statement. A failure of its own, such as its tenant's missing key, fails no other. */
interface Reader {
  readonly answers: Answers;
  readonly done: PromiseWithResolvers<void>;
  failure?: { readonly error: unknown };
}

type Asked<Kind extends SessionRead["kind"]> = { readonly read: ReadOf<Kind>; readonly reader: Reader }[];

type AskedByKind = {
  readonly [Kind in "head" | "shared-state" | "stored" | "deletions" | "run" | "keyed-run"]: Asked<Kind>;
};

interface Column<Kind extends SessionRead["kind"], Name extends string> {
  readonly names: ColumnTypes<Name>;
  readonly rowOf: (read: ReadOf<Kind>) => Readonly<Record<Name, string>>;
  /** The statement of the column, a JSON array of objects with `ord`, the place of the read. */
  readonly sql: (given: string) => string;
}

class ReadStatement {
  readonly #content: SessionContent;
  readonly #readers: Reader[] = [];
  readonly #asked: AskedByKind = { head: [], "shared-state": [], stored: [], deletions: [], run: [], "keyed-run": [] };
  readonly #parameters = new Parameters();
  readonly #columns: { readonly sql: string; readonly tell: (found: unknown) => void }[] = [];
  size = 0;

  constructor(content: SessionContent) {
    this.#content = content;
  }

  add(reads: readonly SessionRead[], answers: Answers): AddedReads {
    const reader: Reader = { answers, done: Promise.withResolvers() };
    const others = reads.filter((read) => !this.#take(read, reader));
    const count = reads.length - others.length;
    if (count === 0) return { others, done: undefined };
    this.size += count;
    this.#readers.push(reader);
    return { others, done: reader.done.promise };
  }

  async send(database: StatementReader): Promise<void> {
    if (this.size === 0) return;
    this.#addHeads();
    this.#addShared();
    this.#addStored();
    this.#addDeletions();
    this.#addRuns();
    const columns = this.#columns.map(({ sql }, index) => `(${sql}) AS column${index}`);
    try {
      const text = `SELECT ${columns.join(",\n")}`;
      const [row] = await database.read<Record<string, unknown>>(text, this.#parameters.values);
      for (const [index, { tell }] of this.#columns.entries()) tell(row?.[`column${index}`]);
    } catch (error) {
      for (const reader of this.#readers) reader.failure ??= { error };
    }
    for (const { done, failure } of this.#readers)
      if (failure === undefined) done.resolve();
      else done.reject(failure.error);
  }

  /** False if the read is of another kind. */
  #take(read: SessionRead, reader: Reader): boolean {
    if (!Object.hasOwn(this.#asked, read.kind)) return false;
    // The list of its own kind.
    const asked = this.#asked[read.kind as keyof AskedByKind] as Asked<SessionRead["kind"]>;
    asked.push({ read, reader });
    return true;
  }

  /** Of the open runs, one request is read: a queue can have many long messages. */
  #addHeads(): void {
    type Found = { ord: number; head: SessionRow; state: StateRow[] | null; runs: RunRow[] | null };
    this.#add<"head", Found, keyof typeof SESSION | "wanted_run">(
      this.#asked.head,
      {
        names: { ...SESSION, wanted_run: "text" },
        rowOf: ({ session, runId = "" }) => ({ ...namesOf(session), wanted_run: runId }),
        sql: (given) => `SELECT json_agg(json_build_object(
            'ord', ord,
            'head', to_json(s),
            'state', (SELECT json_agg(json_build_array(coalesce(long_key, key), value))
              FROM fairlead.session_state AS own WHERE own.sid = s.sid),
            'runs', (SELECT json_agg(json_build_object(
                'number', number, 'tenant_id', own.tenant_id, 'app_name', own.app_name, 'user_id', own.user_id,
                'session_id', session_id, 'run_id', run_id, 'answered_by', answered_by, 'record', record, 'error', error,
                'request', CASE WHEN run_id = wanted_run THEN request END) ORDER BY number)
              FROM fairlead.runs AS own WHERE own.sid = s.sid AND is_open)))
          FROM ${given} JOIN fairlead.sessions AS s USING (tenant_id, user_id, app_name, id)`,
      },
      (_, [row]) => row && toHead(row.head, row.runs ?? [], row.state, this.#content),
    );
  }

  #addShared(): void {
    type Found = { ord: number; user: string; key: string; value: string };
    this.#add<"shared-state", Found, "tenant_id" | "app_name" | "user_id">(
      this.#asked["shared-state"],
      {
        names: { tenant_id: "text", app_name: "text", user_id: "text" },
        rowOf: ({ owner }) => ({ tenant_id: tenantOf(owner), app_name: owner.appName, user_id: owner.userId }),
        sql: (given) => `SELECT json_agg(json_build_object(
            'ord', ord, 'user', own.user_id, 'key', coalesce(long_key, key), 'value', value))
          FROM ${given} JOIN fairlead.shared_state AS own ON own.tenant_id = given.tenant_id
            AND own.app_name = given.app_name AND own.user_id = ANY(ARRAY['', given.user_id])`,
      },
      ({ owner }, rows) => {
        const scopeOf = (scope: "app" | "user") => {
          const own = rows.filter(({ user }) => (user === "") === (scope === "app"));
          const members = own.map(({ key, value }): StateRow => [key, value]);
          return toState(members, (key, text) => this.#content.openShared(scope, owner, key, text));
        };
        return { app: scopeOf("app"), user: scopeOf("user") };
      },
    );
  }

  #addStored(): void {
    type Found = { ord: number; items: number; bytes: number; version: number };
    this.#add<"stored", Found, "tenant_id" | "scope" | "name">(
      this.#asked.stored,
      {
        names: { tenant_id: "text", scope: "text", name: "text" },
        rowOf: ({ count }) => ({ tenant_id: tenantOf(count), scope: count.scope, name: count.name }),
        sql: (
          given,
        ) => `SELECT json_agg(json_build_object('ord', ord, 'items', items, 'bytes', bytes, 'version', version))
          FROM ${given} JOIN fairlead.stored_counts AS own USING (tenant_id, scope, name)
          WHERE own.kind = '${COUNTED_KIND}'`,
      },
      (_, [row]) => row && { amounts: { sessions: row.items, storedBytes: row.bytes }, version: row.version },
    );
  }

  #addDeletions(): void {
    const asked = this.#asked.deletions;
    if (asked.length === 0) return;
    const sql = "SELECT json_agg(own) FROM fairlead.data_deletions AS own";
    // Rows of the table.
    this.#columns.push({
      sql,
      tell: (found) => tellEach(asked, () => ((found ?? []) as DeletionRow[]).map(toDeletion)),
    });
  }

  #addRuns(): void {
    type Found = { ord: number; run: RunRow };
    const runOf = (_: unknown, [row]: readonly Found[]) => row && toRun(row.run, this.#content);
    const found = "SELECT json_agg(json_build_object('ord', ord, 'run', own)) FROM";
    this.#add<"run", Found, "tenant_id" | "run_id">(
      this.#asked.run,
      {
        names: { tenant_id: "text", run_id: "text" },
        rowOf: ({ tenant, runId }) => ({ tenant_id: tenantOf(tenant), run_id: runId }),
        sql: (given) => `${found} ${given} JOIN fairlead.runs AS own USING (tenant_id, run_id)`,
      },
      runOf,
    );
    this.#add<"keyed-run", Found, keyof typeof SESSION | "wanted_key">(
      this.#asked["keyed-run"],
      {
        names: { ...SESSION, wanted_key: "text" },
        rowOf: ({ session, idempotencyKey }) => ({ ...namesOf(session), wanted_key: idempotencyKey }),
        sql: (given) => `${found} ${given} JOIN fairlead.sessions AS s USING (tenant_id, user_id, app_name, id)
          JOIN fairlead.runs AS own ON own.sid = s.sid AND own.idempotency_key = wanted_key`,
      },
      runOf,
    );
  }

  #add<Kind extends keyof AnswerOf<PostgresVersion>, Found extends { readonly ord: number }, Name extends string>(
    asked: Asked<Kind>,
    { names, rowOf, sql }: Column<Kind, Name>,
    answerOf: (read: ReadOf<Kind>, found: readonly Found[]) => AnswerOf<PostgresVersion>[Kind],
  ): void {
    if (asked.length === 0) return;
    const columns = { ord: "integer", ...names } as ColumnTypes<Name | "ord">;
    const rows = asked.map(({ read }, ord) => ({ ...rowOf(read), ord })) as ColumnRows<Name | "ord">;
    this.#columns.push({
      sql: sql(this.#parameters.table("given", columns, rows)),
      tell: (found) => {
        // As the statement builds it.
        const byPlace = Map.groupBy((found ?? []) as readonly Found[], ({ ord }) => ord);
        tellEach(asked, (read, ord) => answerOf(read, byPlace.get(ord) ?? []));
      },
    });
  }
}

function tellEach<Kind extends keyof AnswerOf<PostgresVersion>>(
  asked: Asked<Kind>,
  answerOf: (read: ReadOf<Kind>, place: number) => AnswerOf<PostgresVersion>[Kind],
): void {
  for (const [place, { read, reader }] of asked.entries())
    try {
      reader.answers.set(read, answerOf(read, place));
    } catch (error) {
      reader.failure ??= { error };
    }
}

function namesOf(key: SessionKey): Readonly<Record<keyof typeof SESSION, string>> {
  return { tenant_id: tenantOf(key), user_id: key.userId, app_name: key.appName, id: key.id };
}
