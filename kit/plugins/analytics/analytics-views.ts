import { ANALYTICS_EVENTS, type AnalyticsEvent, COLUMNS, type Column } from "./analytics-row.ts";

/** Columns of every view. */
const COMMON = COLUMNS.map(({ name }) => name).filter(
  (name) => !["content", "content_parts", "attributes", "latency_ms"].includes(name),
);

type JsonColumn = "content" | "attributes" | "latency_ms";

/** A column that a view takes out of a JSON column: `whole` is the column itself, `ratio` one number by another. */
type Extract =
  | readonly [alias: string, kind: "text" | "json" | "integer", from: JsonColumn, path: string]
  | readonly [alias: string, kind: "whole", from: JsonColumn]
  | readonly [
      alias: string,
      kind: "ratio",
      dividend: readonly [JsonColumn, string],
      divisor: readonly [JsonColumn, string],
    ];

const CACHED = ["attributes", "usage_metadata.cached_content_token_count"] as const;
const PROMPT = ["content", "usage.prompt"] as const;
const TOTAL_MS: Extract = ["total_ms", "integer", "latency_ms", "total_ms"];
const TOOL: readonly Extract[] = [
  ["tool_name", "text", "content", "tool"],
  ["tool_origin", "text", "content", "tool_origin"],
  ["function_call_id", "text", "attributes", "function_call_id"],
];
const ARGS: Extract = ["tool_args", "json", "content", "args"];
const RESULT: Extract = ["tool_result", "json", "content", "result"];
const ASKED: readonly Extract[] = [["tool_name", "text", "content", "tool"], ARGS];
const ANSWERED: readonly Extract[] = [["tool_name", "text", "content", "tool"], RESULT];

/** The columns of each view besides the common ones, with the names of ADK's views. */
const VIEWS: Readonly<Record<AnalyticsEvent, readonly Extract[]>> = {
  USER_MESSAGE_RECEIVED: [["text_summary", "text", "content", "text_summary"]],
  INVOCATION_STARTING: [],
  INVOCATION_COMPLETED: [TOTAL_MS],
  AGENT_STARTING: [["agent_instruction", "text", "content", "text_summary"]],
  AGENT_COMPLETED: [TOTAL_MS],
  AGENT_RESPONSE: [
    ["text_summary", "text", "content", "text_summary"],
    ["source_event_id", "text", "attributes", "source_event_id"],
    ["source_event_author", "text", "attributes", "source_event_author"],
    ["source_event_branch", "text", "attributes", "source_event_branch"],
  ],
  LLM_REQUEST: [
    ["model", "text", "attributes", "model"],
    ["request_content", "whole", "content"],
    ["llm_config", "json", "attributes", "llm_config"],
    ["tools", "json", "attributes", "tools"],
  ],
  LLM_RESPONSE: [
    ["response", "json", "content", "response"],
    ["usage_prompt_tokens", "integer", ...PROMPT],
    ["usage_completion_tokens", "integer", "content", "usage.completion"],
    ["usage_total_tokens", "integer", "content", "usage.total"],
    ["usage_cached_tokens", "integer", ...CACHED],
    ["context_cache_hit_rate", "ratio", CACHED, PROMPT],
    TOTAL_MS,
    ["ttft_ms", "integer", "latency_ms", "time_to_first_token_ms"],
    ["model_version", "text", "attributes", "model_version"],
    ["usage_metadata", "json", "attributes", "usage_metadata"],
    ["cache_metadata", "json", "attributes", "cache_metadata"],
  ],
  LLM_ERROR: [TOTAL_MS],
  TOOL_STARTING: [...TOOL, ARGS],
  TOOL_COMPLETED: [...TOOL, RESULT, TOTAL_MS],
  TOOL_ERROR: [...TOOL, ARGS, TOTAL_MS],
  TOOL_PAUSED: [...TOOL, ARGS, ["pause_kind", "text", "attributes", "pause_kind"]],
  STATE_DELTA: [["state_delta", "json", "attributes", "state_delta"]],
  A2A_INTERACTION: [
    ["response_content", "whole", "content"],
    ["a2a_task_id", "text", "attributes", 'a2a_metadata."a2a:task_id"'],
    ["a2a_context_id", "text", "attributes", 'a2a_metadata."a2a:context_id"'],
    ["a2a_request", "json", "attributes", 'a2a_metadata."a2a:request"'],
    ["a2a_response", "json", "attributes", 'a2a_metadata."a2a:response"'],
  ],
  HITL_CREDENTIAL_REQUEST: ASKED,
  HITL_CREDENTIAL_REQUEST_COMPLETED: ANSWERED,
  HITL_CONFIRMATION_REQUEST: ASKED,
  HITL_CONFIRMATION_REQUEST_COMPLETED: ANSWERED,
  HITL_INPUT_REQUEST: ASKED,
  HITL_INPUT_REQUEST_COMPLETED: ANSWERED,
};

/** How a dialect of SQL reads JSON. */
interface Dialect {
  text(column: string, path: string): string;
  json(column: string, path: string): string;
  readonly integer: string;
  ratio(dividend: string, divisor: string): string;
}

const BIG_QUERY: Dialect = {
  text: (column, path) => `JSON_VALUE(${column}, '$.${path}')`,
  json: (column, path) => `JSON_QUERY(${column}, '$.${path}')`,
  integer: "INT64",
  ratio: (dividend, divisor) => `SAFE_DIVIDE(${dividend}, ${divisor})`,
};

const DUCK_DB: Dialect = {
  text: (column, path) => `(${column} ->> '$.${path}')`,
  json: (column, path) => `(${column} -> '$.${path}')`,
  integer: "BIGINT",
  ratio: (dividend, divisor) => `(${dividend} / nullif(${divisor}, 0))`,
};

/** One statement for each view of a table in BigQuery. `dataset` is `project.dataset`. */
export function bigQueryViews(table: {
  readonly dataset: string;
  readonly tableName: string;
  readonly viewPrefix: string;
}): readonly string[] {
  const named = (name: string): string => `\`${table.dataset}.${name}\``;
  return ANALYTICS_EVENTS.map((event) =>
    viewOf(event, { dialect: BIG_QUERY, view: named(nameOf(event, table)), table: named(table.tableName) }),
  );
}

/**
 * The SQL that makes DuckDB read files of rows as a table with its views, in `views.sql` of their folder.
 *
 * @example
 * ```bash
 * duckdb -init analytics/views.sql -c "SELECT model, count(*) FROM v_llm_request GROUP BY model"
 * ```
 */
export function duckDbViews(table: {
  readonly directory: string;
  readonly tableName: string;
  readonly viewPrefix: string;
}): string {
  const files = `${table.directory}/${table.tableName}-*.jsonl`.replaceAll("'", "''");
  const columns = COLUMNS.map((column) => `"${column.name}": '${duckDbType(column)}'`).join(", ");
  // A process that was killed can leave a part of a line.
  const source = `read_json('${files}', format = 'newline_delimited', ignore_errors = true, columns = {${columns}})`;
  const all = `CREATE OR REPLACE VIEW "${table.tableName}" AS SELECT * FROM ${source} WHERE event_type IS NOT NULL;\n`;
  const views = ANALYTICS_EVENTS.map(
    (event) => `${viewOf(event, { dialect: DUCK_DB, view: nameOf(event, table), table: `"${table.tableName}"` })};\n`,
  );
  return [all, ...views].join("\n");
}

function nameOf(event: AnalyticsEvent, { viewPrefix }: { readonly viewPrefix: string }): string {
  return `${viewPrefix}_${event.toLowerCase()}`;
}

interface ViewOptions {
  readonly dialect: Dialect;
  readonly view: string;
  readonly table: string;
}

function viewOf(event: AnalyticsEvent, { dialect, view, table }: ViewOptions): string {
  const columns = [...COMMON, ...VIEWS[event].map((extract) => `${valueOf(extract, dialect)} AS ${extract[0]}`)];
  return `CREATE OR REPLACE VIEW ${view} AS\nSELECT\n  ${columns.join(",\n  ")}\nFROM ${table}\nWHERE event_type = '${event}'`;
}

function valueOf(extract: Extract, dialect: Dialect): string {
  const integer = (column: string, path: string): string => `CAST(${dialect.text(column, path)} AS ${dialect.integer})`;
  switch (extract[1]) {
    case "whole":
      return extract[2];
    case "ratio":
      return dialect.ratio(integer(...extract[2]), integer(...extract[3]));
    case "integer":
      return integer(extract[2], extract[3]);
    case "text":
      return dialect.text(extract[2], extract[3]);
    case "json":
      return dialect.json(extract[2], extract[3]);
  }
}

function duckDbType({ type, mode, fields = [] }: Column): string {
  const inner = type === "RECORD" ? `STRUCT(${fields.map(structField).join(", ")})` : DUCK_DB_TYPES[type];
  return mode === "REPEATED" ? `${inner}[]` : inner;
}

function structField(column: Column): string {
  return `"${column.name}" ${duckDbType(column)}`;
}

const DUCK_DB_TYPES = {
  TIMESTAMP: "TIMESTAMPTZ",
  STRING: "VARCHAR",
  JSON: "JSON",
  INTEGER: "BIGINT",
  BOOLEAN: "BOOLEAN",
} as const;
