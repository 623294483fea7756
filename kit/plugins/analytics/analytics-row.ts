/** The kinds of rows, with the names of ADK's analytics plugins: dashboards and views select by them. */
export const ANALYTICS_EVENTS = [
  "USER_MESSAGE_RECEIVED",
  "INVOCATION_STARTING",
  "INVOCATION_COMPLETED",
  "AGENT_STARTING",
  "AGENT_COMPLETED",
  "AGENT_RESPONSE",
  "LLM_REQUEST",
  "LLM_RESPONSE",
  "LLM_ERROR",
  "TOOL_STARTING",
  "TOOL_COMPLETED",
  "TOOL_ERROR",
  "TOOL_PAUSED",
  "STATE_DELTA",
  "A2A_INTERACTION",
  "HITL_CREDENTIAL_REQUEST",
  "HITL_CREDENTIAL_REQUEST_COMPLETED",
  "HITL_CONFIRMATION_REQUEST",
  "HITL_CONFIRMATION_REQUEST_COMPLETED",
  "HITL_INPUT_REQUEST",
  "HITL_INPUT_REQUEST_COMPLETED",
] as const;
/** The kind of a row. */
export type AnalyticsEvent = (typeof ANALYTICS_EVENTS)[number];

/** Where the data of a part is: in the row, in the bucket, or at an address that the part itself names. */
export type StorageMode = "INLINE" | "GCS_REFERENCE" | "EXTERNAL_URI";

/** One part of a multi-modal content. */
export interface ContentPart {
  readonly mime_type: string;
  uri?: string;
  object_ref?: { readonly uri: string; readonly authorizer?: string; readonly details?: string };
  text?: string;
  readonly part_index: number;
  readonly part_attributes: string;
  storage_mode: StorageMode;
}

/** A bucket of Cloud Storage for large contents. */
export interface OffloadPlace {
  readonly bucket: string;
  /** The connection that BigQuery reads objects with: `location.connection`. */
  readonly authorizer: string | undefined;
}

/** Data of a part that waits for its upload. */
export interface Upload {
  readonly part: ContentPart;
  /** The name of the object in the bucket. */
  readonly object: string;
  readonly data: Uint8Array;
}

/** A row of the table. `content`, `attributes` and `latency_ms` are JSON texts. */
export interface AnalyticsRow {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly event_type: AnalyticsEvent;
  readonly agent: string;
  readonly session_id: string;
  readonly invocation_id: string;
  readonly user_id: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | undefined;
  readonly content: string | undefined;
  readonly content_parts: readonly ContentPart[];
  readonly attributes: string;
  readonly latency_ms: string | undefined;
  readonly status: "OK" | "ERROR";
  readonly error_message: string | undefined;
  readonly is_truncated: boolean;
}

/** A row that waits to be written. */
export interface QueuedRow {
  readonly row: AnalyticsRow;
  /** The columns of ids as members of a JSON object; all rows of a run share the text. */
  readonly idsJson: string;
  readonly uploads: readonly Upload[];
  /** Estimate of what the row holds in memory, in bytes. */
  readonly bytes: number;
}

/** A column of BigQuery's tables, in the form of its REST API. */
export interface Column {
  readonly name: string;
  readonly type: "TIMESTAMP" | "STRING" | "JSON" | "INTEGER" | "BOOLEAN" | "RECORD";
  readonly mode: "REQUIRED" | "NULLABLE" | "REPEATED";
  readonly description?: string;
  readonly fields?: readonly Column[];
}

function column(name: string, type: Column["type"], description: string): Column {
  return { name, type, mode: "NULLABLE", description };
}

/** The columns of the table, as ADK's plugins create it. A change needs a new `SCHEMA_VERSION`. */
export const COLUMNS: readonly Column[] = [
  { name: "timestamp", type: "TIMESTAMP", mode: "REQUIRED", description: "When the event happened, in UTC." },
  column("event_type", "STRING", "The kind of the event, such as LLM_REQUEST."),
  column("agent", "STRING", "The agent that the event belongs to."),
  column("session_id", "STRING", "The session, which holds the conversation."),
  column("invocation_id", "STRING", "The turn of the session."),
  column("user_id", "STRING", "The user of the session."),
  column("trace_id", "STRING", "The trace of the run, as OpenTelemetry's exports name it."),
  column("span_id", "STRING", "The span of the operation."),
  column("parent_span_id", "STRING", "The span that contains the operation."),
  column("content", "JSON", "What was said or done; its form depends on the kind of the event."),
  {
    name: "content_parts",
    type: "RECORD",
    mode: "REPEATED",
    description: "The parts of a content that has other parts than short texts.",
    fields: [
      column("mime_type", "STRING", "The type of the part's data."),
      column("uri", "STRING", "Where the data is, if it is not in the row."),
      {
        name: "object_ref",
        type: "RECORD",
        mode: "NULLABLE",
        description: "The object in Cloud Storage.",
        fields: [
          column("uri", "STRING", "The object's address."),
          column("version", "STRING", "The object's version."),
          column("authorizer", "STRING", "The connection that may read the object."),
          column("details", "JSON", "More about the object."),
        ],
      },
      column("text", "STRING", "The text of the part, or its beginning."),
      column("part_index", "INTEGER", "The part's place in the content, from 0."),
      column("part_attributes", "STRING", "More about the part, as a JSON object."),
      column("storage_mode", "STRING", "INLINE, GCS_REFERENCE or EXTERNAL_URI."),
    ],
  },
  column("attributes", "JSON", "More about the event: model, tokens, tags, metadata of the session."),
  column("latency_ms", "JSON", "Times of the operation in milliseconds: total_ms, time_to_first_token_ms."),
  column("status", "STRING", "OK or ERROR."),
  column("error_message", "STRING", "What failed, if the status is ERROR."),
  column("is_truncated", "BOOLEAN", "Whether a part of the content was left out because of its size."),
];

/** The value of the table's label `adk_schema_version`. */
export const SCHEMA_VERSION = "1";
