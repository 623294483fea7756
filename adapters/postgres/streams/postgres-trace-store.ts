import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { EVENT_ID_ATTRIBUTE } from "#ports/runs/in-memory-trace-store.ts";
import { MAX_TRACE_CHARACTERS, type TraceReader, type TraceStore, traceAmbiguous } from "#ports/runs/trace-store.ts";
import { Parameters } from "../database/parameters.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { digestOf } from "./stream-names.ts";

export interface PostgresTraceStoreOptions {
  /** The caller closes it. */
  readonly database: PostgresDatabase;
  /** How long a span is found, in milliseconds; one hour by default and at most. */
  readonly ttlMs?: number | undefined;
  /** The most spans of a session's part of a trace; 2,000 by default. Later spans are left out. */
  readonly maxSpansPerTrace?: number | undefined;
  /** The most bytes of a session's part of a trace; 1 MiB by default. Attributes may contain prompts if that is enabled. */
  readonly maxBytesPerTrace?: number | undefined;
  /** The most traces of a session that are read, the newest first; 100 by default. */
  readonly maxTracesPerSession?: number | undefined;
}

const HOUR_MS = 60 * 60 * 1000;
/** Traces that every gateway can read: a row for each span, which is dropped one to three hours after it was written. */
export class PostgresTraceStore implements TraceStore {
  readonly #database: PostgresDatabase;
  readonly #ttlMs: number;
  readonly #maxSpansPerTrace: number;
  readonly #maxBytesPerTrace: number;
  readonly #maxTracesPerSession: number;

  constructor(options: PostgresTraceStoreOptions) {
    this.#database = options.database;
    this.#ttlMs = Math.min(options.ttlMs ?? HOUR_MS, HOUR_MS);
    this.#maxSpansPerTrace = options.maxSpansPerTrace ?? 2000;
    this.#maxBytesPerTrace = options.maxBytesPerTrace ?? 1024 * 1024;
    this.#maxTracesPerSession = options.maxTracesPerSession ?? 100;
  }

  async record(session: SessionKey, spans: readonly SpanRecord[]): Promise<void> {
    if (spans.length === 0) return;
    // More than that of a trace cannot be kept.
    const kept = [...Map.groupBy(spans, ({ traceId }) => traceId).values()].flatMap((ofTrace) =>
      ofTrace.slice(0, this.#maxSpansPerTrace),
    );
    await this.#database.write("SELECT fairlead.record_spans($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", [
      ...[tenantOf(session), session.appName, session.userId, session.id],
      kept.map(({ traceId }) => traceId),
      kept.map(eventOf),
      kept.map(({ startTime }) => startTime),
      kept.map((span) => JSON.stringify(span)),
      ...[this.#maxSpansPerTrace, this.#maxBytesPerTrace],
    ]);
  }

  async byEvent(reader: TraceReader, eventId: string): Promise<SpanRecord | undefined> {
    const parameters = new Parameters();
    const [row] = await this.#database.read<{ readonly json: string }>(
      `SELECT json FROM fairlead.trace_spans
       WHERE ${this.#readable(parameters, reader)} AND event = ${parameters.add(digestOf(eventId))}
       ORDER BY written DESC, place DESC LIMIT 1`,
      parameters.values,
    );
    return row && toSpan(row);
  }

  async bySession(reader: TraceReader, sessionId: string): Promise<readonly SpanRecord[]> {
    const parameters = new Parameters();
    const where = `${this.#readable(parameters, reader)} AND session_id = ${parameters.add(sessionId)}`;
    const rows = await this.#database.read<{ readonly json: string; readonly owners: number }>(
      `WITH found AS (SELECT app_name, user_id, trace_id, start_time, place, json FROM fairlead.trace_spans WHERE ${where}),
       traces AS (
         SELECT trace_id, min(start_time) AS began, sum(octet_length(json)) AS bytes FROM found GROUP BY trace_id
       ),
       ranked AS (
         SELECT trace_id, count(*) OVER newer AS number, sum(bytes) OVER newer AS bytes FROM traces
         WINDOW newer AS (ORDER BY began DESC, trace_id)
       )
       SELECT json, (SELECT count(*) FROM (SELECT DISTINCT app_name, user_id FROM found LIMIT 2) AS two) AS owners
       FROM found JOIN ranked USING (trace_id)
       WHERE ranked.number <= ${this.#maxTracesPerSession} AND (ranked.bytes <= ${MAX_TRACE_CHARACTERS} OR ranked.number = 1)
       ORDER BY start_time, place`,
      parameters.values,
    );
    if ((rows[0]?.owners ?? 0) > 1) throw traceAmbiguous(sessionId);
    return rows.map(toSpan);
  }

  #readable(parameters: Parameters, { appName, userId, ...tenant }: TraceReader): string {
    const conditions = [
      `tenant_id = ${parameters.add(tenantOf(tenant))}`,
      `written > fairlead.now_ms() - ${parameters.add(this.#ttlMs)}::bigint`,
    ];
    if (appName !== undefined) conditions.push(`app_name = ${parameters.add(appName)}`);
    if (userId !== undefined) conditions.push(`user_id = ${parameters.add(userId)}`);
    return conditions.join(" AND ");
  }
}

function eventOf({ attributes }: SpanRecord): string | null {
  const eventId = attributes[EVENT_ID_ATTRIBUTE];
  return typeof eventId === "string" && eventId !== "" ? digestOf(eventId) : null;
}

function toSpan({ json }: { readonly json: string }): SpanRecord {
  // Only `record` writes spans.
  return JSON.parse(json) as SpanRecord;
}
