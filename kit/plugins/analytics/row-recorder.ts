import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import type { AnalyticsConfig } from "./analytics-config.ts";
import { ANALYTICS_EVENTS, type AnalyticsEvent } from "./analytics-row.ts";
import { ValueCleaner } from "./clean-value.ts";
import { toContentParts } from "./content-parts.ts";
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

/** Longest content of a row in characters; all of its texts together may be longer than each of them. */
const MAX_ROW_CHARACTERS = 2 * 1024 * 1024;
/** Memory of a row besides its texts, in bytes. */
const ROW_BYTES = 512;

/** Makes rows of what plugins observe. Never throws: a row that cannot be made is lost and counted. */
export class RowRecorder {
  readonly #config: AnalyticsConfig;
  readonly #queue: RowQueue;
  readonly #wanted: ReadonlySet<AnalyticsEvent>;
  /** The beginning of the column `attributes`, which is the same for all rows. */
  readonly #tags: string;
  readonly #sessionIds = new WeakMap<object, string>();

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
    const { maxContentLength, logMultiModalContent } = this.#config;
    const { session, invocationId, services } = invocationContext;
    const { totalMs, firstMs, error } = details;
    const cleaner = new ValueCleaner(maxContentLength);
    const content = this.#contentText(event, details.content, cleaner);
    const attributes = this.#attributesText(invocationContext, details, cleaner);
    const { traceId } = span.trace;
    const timestamp = services.clock.now();
    const { parts, uploads, isTruncated } = toContentParts(logMultiModalContent ? (details.content?.parts ?? []) : [], {
      offload: this.#queue.offload,
      maxLength: maxContentLength,
      ids: services.ids,
      place: () => `${toIsoTime(timestamp).slice(0, 10)}/${traceId}/${span.spanId}`,
    });
    const row = {
      timestamp,
      event_type: event,
      agent: agentName,
      session_id: session.id,
      invocation_id: invocationId,
      user_id: session.userId,
      trace_id: traceId,
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
    this.#queue.add({ row, uploads, bytes });
  }

  /** The ids of a session, which all rows of its runs have. */
  #idsOf(session: InvocationContext["session"]): string {
    let text = this.#sessionIds.get(session);
    if (text === undefined) {
      const { id, appName, userId } = session;
      text = JSON.stringify({ session_id: id, app_name: appName, user_id: userId }).slice(1, -1);
      this.#sessionIds.set(session, text);
    }
    return text;
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

  #attributesText({ session, agent }: InvocationContext, details: RowDetails, cleaner: ValueCleaner): string {
    let text = `{${this.#tags}"root_agent_name":${JSON.stringify(agent.rootAgent.name)}`;
    if (this.#config.logSessionMetadata) {
      const { state } = session;
      const hasState = details.withState === true && Object.keys(state).length > 0;
      const own = hasState ? `,"state":${JSON.stringify(cleaner.clean(state))}` : "";
      text += `,"session_metadata":{${this.#idsOf(session)}${own}}`;
    }
    if (details.attributes !== undefined) {
      const own: JsonValue = cleaner.clean(details.attributes);
      const json = JSON.stringify(own);
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
