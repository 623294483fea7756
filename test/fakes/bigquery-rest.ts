import type { Column } from "#kit/plugins/analytics/analytics-row.ts";
import { googleError, type RestAnswer, type RestCall, type RestFake, startRest } from "./google-rest.ts";

/** A table as BigQuery's API has it. */
export interface FakeTable {
  readonly schema: { readonly fields: readonly Column[] };
  readonly labels?: Readonly<Record<string, string>>;
  readonly clustering?: { readonly fields: readonly string[] };
  readonly timePartitioning?: { readonly type: string; readonly field: string };
}

export interface BigQueryRestFake extends RestFake {
  /** The table, if there is one. */
  readonly table: FakeTable | undefined;
  /** The SQL of the queries, in order. */
  readonly queries: readonly string[];
  /** Answers of the next requests, in order; then the server works. */
  readonly faults: RestAnswer[];
  readonly problems: readonly string[];
}

const TYPES = new Set(["TIMESTAMP", "STRING", "JSON", "INTEGER", "BOOLEAN", "RECORD"]);

/**
 * BigQuery's REST API as far as analytics use it: one table's metadata, its creation and change, and queries that create
 * views. A schema that loses or changes a column is refused, as BigQuery does.
 */
export async function startBigQueryRest(table?: FakeTable): Promise<BigQueryRestFake> {
  const queries: string[] = [];
  const problems: string[] = [];
  const faults: RestAnswer[] = [];
  const state = { table };

  const put = (given: FakeTable): RestAnswer => {
    problems.push(...given.schema.fields.flatMap((field) => (TYPES.has(field.type) ? [] : [`type ${field.type}`])));
    const lost = (state.table?.schema.fields ?? []).filter(
      ({ name, type }) => !given.schema.fields.some((field) => field.name === name && field.type === type),
    );
    if (lost.length > 0) return googleError(400, `columns are missing: ${lost.map(({ name }) => name).join(", ")}`);
    state.table = { ...state.table, ...given };
    return { body: state.table };
  };

  const answer = ({ method, path, body }: RestCall): RestAnswer => {
    const fault = faults.shift();
    if (fault !== undefined) return fault;
    if (/\/tables\/\w+/.test(path)) {
      if (state.table === undefined) return googleError(404, "Not found: Table");
      return method === "PATCH" ? put(body as FakeTable) : { body: state.table };
    }
    if (/\/tables(\?|$)/.test(path) && method === "POST")
      return state.table === undefined ? put(body as FakeTable) : googleError(409, "Already Exists: Table");
    const query = queryOf(body);
    if (query !== undefined) queries.push(query);
    return { body: DONE };
  };
  const server = await startRest(answer);
  return {
    ...server,
    queries,
    faults,
    problems,
    get table() {
      return state.table;
    },
  };
}

const DONE = {
  kind: "bigquery#queryResponse",
  jobComplete: true,
  jobReference: { projectId: "p", jobId: "j", location: "us" },
  status: { state: "DONE" },
  schema: { fields: [] },
  rows: [],
  totalRows: "0",
};

function queryOf(body: unknown): string | undefined {
  const { query, configuration } = Object(body) as { query?: string; configuration?: { query?: { query?: string } } };
  return query ?? configuration?.query?.query;
}
