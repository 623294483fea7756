import { TransientMap } from "#kit/cache/transient-map.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { Session } from "#kit/sessions/session.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import type { AnalyticsConfig } from "./analytics-config.ts";
import { ANALYTICS_EVENTS, type AnalyticsEvent } from "./analytics-row.ts";
import { ValueCleaner } from "./clean-value.ts";
import { NO_CONTENT_PARTS, type RowParts, toContentParts } from "./content-parts.ts";
import type { RowContent } from "./row-content.ts";
import type { RowQueue } from "./row-queue.ts";

/** The agent, run and span of a row. Contexts of callbacks have this form. */
export interface RowScope {
  readonly invocationContext: InvocationContext;
  readonly agentName: string;
  readonly span: ActiveSpan;
}

/** The members of a row that differ from hook to hook. */
export interface RowDetails {
  readonly content?: RowContent | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  readonly totalMs?: number | undefined;
  readonly firstMs?: number | undefined;
  /** Present: the row's status is `ERROR`. */
  readonly error?: string | undefined;
  /** Adds the session's state. */
  readonly withState?: boolean | undefined;
}

/** The parts of rows that are the same for all of a run, as JSON. */
interface RunTexts {
  readonly traceId: string;
  readonly sessionId: string;
  readonly rootName: string;
  readonly idsJson: string;
  /** The beginning of the column `attributes`, without the ends of its objects. */
  readonly attributes: string;
}

/** Longest content of a row in characters; all of its texts together may be longer than each of them. */
const MAX_ROW_CHARACTERS = 2 * 1024 * 1024;
/** Runs whose texts are kept; those of further ones are made for each row. */
const MAX_RUNS = 1000;
/** Memory of a row besides its texts, in bytes. */
const ROW_BYTES = 512;

/** Makes rows of what plugins observe. Never throws: a row that cannot be made is lost and counted. */
export class RowRecorder {
  readonly #config: AnalyticsConfig;
  readonly #queue: RowQueue;
  readonly #wanted: ReadonlySet<AnalyticsEvent>;
  /** The beginning of the column `attributes`, which is the same for all rows. */
  readonly #tags: string;
  /** By invocation, until it ends. */
  readonly #runs = new TransientMap<string, RunTexts>();

  constructor(config: AnalyticsConfig, queue: RowQueue) {
    this.#config = config;
    this.#queue = queue;
    const { eventAllowlist = ANALYTICS_EVENTS, eventDenylist = [], customTags } = config;
    this.#wanted = new Set(eventAllowlist.filter((event) => !eventDenylist.includes(event)));
    this.#tags = customTags === undefined ? "" : `"custom_tags":${JSON.stringify(customTags)},`;
  }

  wants(event: AnalyticsEvent): boolean {
    return this.#wanted.has(event);
  }

  /** Forgets what belongs to the run, after its last row. */
  endRun({ invocationId }: InvocationContext): void {
    this.#runs.delete(invocationId);
  }

  /** `detailsOf` is called only if the row is wanted. */
  record(event: AnalyticsEvent, scope: RowScope, detailsOf: () => RowDetails): undefined {
    if (!this.#wanted.has(event)) return;
    const { logger } = scope.invocationContext.services;
    this.#queue.logger ??= logger;
    try {
      this.#add(event, scope, detailsOf());
    } catch (error) {
      this.#queue.lose("serialization_error", 1, error);
    }
  }

  #add(event: AnalyticsEvent, { invocationContext, agentName, span }: RowScope, details: RowDetails): void {
    const { session, invocationId, services } = invocationContext;
    const { totalMs, firstMs, error } = details;
    const cleaner = new ValueCleaner(this.#config.maxContentLength);
    const timestamp = services.clock.now();
    const run = this.#runOf(invocationContext, span);
    const content = this.#contentText(event, details.content, cleaner);
    const attributes = this.#attributesText(run, session, details, cleaner);
    const { parts, uploads, isTruncated } = this.#partsOf(details.content, services.ids, timestamp, span);
    const row = {
      timestamp,
      event_type: event,
      agent: agentName,
      session_id: session.id,
      invocation_id: invocationId,
      user_id: session.userId,
      trace_id: run.traceId,
      span_id: span.spanId,
      parent_span_id: span.parentSpanId,
      content,
      content_parts: parts,
      attributes,
      latency_ms: totalMs === undefined ? undefined : latencyText(totalMs, firstMs),
      status: error === undefined ? ("OK" as const) : ("ERROR" as const),
      error_message: error === undefined ? undefined : cleaner.text(error),
      is_truncated: cleaner.isTruncated || isTruncated,
    };
    let bytes = ROW_BYTES + 2 * (attributes.length + (content?.length ?? 0));
    for (const { data } of uploads) bytes += data.length;
    for (const { text = "" } of parts) bytes += 2 * text.length;
    this.#queue.add({ row, idsJson: run.idsJson, uploads, bytes });
  }

  /** The texts that all rows of a run have. */
  #runOf({ session, invocationId, agent }: InvocationContext, { trace: { traceId } }: ActiveSpan): RunTexts {
    const known = this.#runs.get(invocationId);
    const rootName = agent.rootAgent.name;
    if (known?.traceId === traceId && known.sessionId === session.id && known.rootName === rootName) return known;
    const sessionId = session.id;
    const [id, appName, userId] = [sessionId, session.appName, session.userId].map((text) => JSON.stringify(text));
    const idsJson =
      `"session_id":${id},"invocation_id":${JSON.stringify(invocationId)},` +
      `"user_id":${userId},"trace_id":"${traceId}"`;
    let attributes = `{${this.#tags}"root_agent_name":${JSON.stringify(rootName)}`;
    if (this.#config.logSessionMetadata)
      attributes += `,"session_metadata":{"session_id":${id},"app_name":${appName},"user_id":${userId}`;
    const run = { traceId, sessionId, rootName, idsJson, attributes };
    if (this.#runs.size < MAX_RUNS) this.#runs.set(invocationId, run);
    return run;
  }

  #partsOf(content: RowContent | undefined, ids: IdGenerator, timestamp: number, span: ActiveSpan): RowParts {
    const { maxContentLength: maxLength, logMultiModalContent } = this.#config;
    if (!logMultiModalContent || content === undefined || content.parts.length === 0) return NO_CONTENT_PARTS;
    return toContentParts(content.parts, {
      offload: this.#queue.offload,
      maxLength,
      ids,
      place: () => `${toIsoTime(timestamp).slice(0, 10)}/${span.trace.traceId}/${span.spanId}`,
    });
  }

  #contentText(event: AnalyticsEvent, content: RowContent | undefined, cleaner: ValueCleaner): string | undefined {
    let value = content?.value;
    const { contentFormatter } = this.#config;
    if (contentFormatter !== undefined) {
      try {
        value = contentFormatter(value, event);
      } catch (error) {
        this.#queue.logger?.warn({ error, event }, "contentFormatter failed: the row has no content");
        return undefined;
      }
    }
    if (value === undefined || value === null) return undefined;
    const text = JSON.stringify(cleaner.clean(value));
    if (text.length <= MAX_ROW_CHARACTERS) return text;
    cleaner.isTruncated = true;
    return JSON.stringify(text.slice(0, MAX_ROW_CHARACTERS / 2));
  }

  #attributesText(run: RunTexts, { state }: Session, details: RowDetails, cleaner: ValueCleaner): string {
    let text = run.attributes;
    if (this.#config.logSessionMetadata) {
      const hasState = details.withState === true && Object.keys(state).length > 0;
      text += hasState ? `,"state":${JSON.stringify(cleaner.clean(state))}}` : "}";
    }
    if (details.attributes !== undefined) {
      const json = JSON.stringify(cleaner.clean(details.attributes));
      if (json.length > MAX_ROW_CHARACTERS) cleaner.isTruncated = true;
      else if (json !== "{}") text += `,${json.slice(1, -1)}`;
    }
    return `${text}}`;
  }
}

function latencyText(totalMs: number, firstMs: number | undefined): string {
  const total = `{"total_ms":${Math.round(totalMs)}`;
  return firstMs === undefined ? `${total}}` : `${total},"time_to_first_token_ms":${Math.round(firstMs)}}`;
}
