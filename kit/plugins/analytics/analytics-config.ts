import { PlatformError } from "#kit/errors/platform-error.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import {
  checkOptions,
  flag,
  having,
  integer,
  listOf,
  matching,
  method,
  type OptionRules,
  object,
  oneOf,
  record,
  text,
} from "#kit/schema/check-options.ts";
import { ANALYTICS_EVENTS, type AnalyticsEvent } from "./analytics-row.ts";
import type { AnalyticsRetryConfig, AnalyticsSink } from "./row-queue.ts";

/** Changes what a row says. Returns the new content; if it throws, the row has none. */
export type ContentFormatter = (content: unknown, eventType: AnalyticsEvent) => unknown;

/** What every plugin for analytics can be told. Times are milliseconds. */
export interface RecordingOptions {
  /** The plugin's name; `bigquery_agent_analytics` by default. */
  readonly name?: string | undefined;
  /** False: nothing is recorded, and nothing is spent. */
  readonly enabled?: boolean | undefined;
  /** `agent_events` by default; created if it is missing. The beginning of the names of files, too. */
  readonly tableName?: string | undefined;
  /** Rows that are written together; 100 by default. What waits is also written at the end of each run. */
  readonly batchSize?: number | undefined;
  /** Longest time that a row waits for others; 1,000 by default. */
  readonly batchFlushInterval?: number | undefined;
  /** Rows that may wait; further ones are lost and counted. 10,000 by default. */
  readonly queueMaxSize?: number | undefined;
  /** Time for the rest when the plugin is closed; 10,000 by default. */
  readonly shutdownTimeout?: number | undefined;
  readonly retryConfig?: AnalyticsRetryConfig | undefined;
  /** The kinds of rows to record; all by default. */
  readonly eventAllowlist?: readonly AnalyticsEvent[] | undefined;
  /** Kinds of rows that are not recorded. */
  readonly eventDenylist?: readonly AnalyticsEvent[] | undefined;
  readonly contentFormatter?: ContentFormatter | undefined;
  /** Longest text in a row, in characters; longer ones are cut. 512,000 by default. */
  readonly maxContentLength?: number | undefined;
  /** Record files and other parts in `content_parts`; true by default. */
  readonly logMultiModalContent?: boolean | undefined;
  /** Record names and ids of the session on each row, and its state when a run starts; true by default. */
  readonly logSessionMetadata?: boolean | undefined;
  /** Recorded on each row. */
  readonly customTags?: Readonly<Record<string, string>> | undefined;
  /** Create a view for each kind of row; false by default. With files: write `views.sql` for DuckDB. */
  readonly createViews?: boolean | undefined;
  /** The beginning of the views' names; `v` by default. */
  readonly viewPrefix?: string | undefined;
  readonly sleep?: Sleep | undefined;
}

/** Options of an `AnalyticsPlugin`: where rows go, and what is recorded. */
export interface AnalyticsPluginOptions extends RecordingOptions {
  /** The folder for files of JSON lines. */
  readonly directory?: string | undefined;
  /** A new file begins when one has this size, in bytes; 64 MiB by default. */
  readonly maxFileBytes?: number | undefined;
  /** Files to keep; older ones are deleted. All by default. */
  readonly maxFiles?: number | undefined;
  /** Receives the rows, in place of a folder. */
  readonly sink?: AnalyticsSink | undefined;
}

const DEFAULTS = {
  enabled: true,
  name: "bigquery_agent_analytics",
  tableName: "agent_events",
  maxFileBytes: 64 * 1024 * 1024,
  batchSize: 100,
  batchFlushInterval: 1000,
  queueMaxSize: 10_000,
  shutdownTimeout: 10_000,
  maxContentLength: 500 * 1024,
  logMultiModalContent: true,
  logSessionMetadata: true,
  createViews: false,
  viewPrefix: "v",
};

const RETRY: Required<AnalyticsRetryConfig> = { maxRetries: 3, initialDelay: 1000, multiplier: 2, maxDelay: 10_000 };

export type AnalyticsConfig = AnalyticsPluginOptions &
  typeof DEFAULTS & { readonly retry: Required<AnalyticsRetryConfig> };

export const NAME = matching("letters, digits and _", /^\w{1,1024}$/);
const EVENTS = listOf(oneOf(...ANALYTICS_EVENTS));

/** Rules for the options of every plugin for analytics. */
export const RECORDING_RULES: OptionRules<RecordingOptions> = {
  name: text,
  enabled: flag,
  tableName: NAME,
  batchSize: integer(1),
  batchFlushInterval: integer(1, " milliseconds"),
  queueMaxSize: integer(1),
  shutdownTimeout: integer(0, " milliseconds"),
  retryConfig: record<AnalyticsRetryConfig>({
    maxRetries: integer(0),
    initialDelay: integer(0, " milliseconds"),
    multiplier: { must: "a number of at least 1", accepts: (value) => typeof value === "number" && value >= 1 },
    maxDelay: integer(0, " milliseconds"),
  }),
  eventAllowlist: EVENTS,
  eventDenylist: EVENTS,
  contentFormatter: method,
  maxContentLength: integer(1, " characters"),
  logMultiModalContent: flag,
  logSessionMetadata: flag,
  customTags: object,
  createViews: flag,
  viewPrefix: NAME,
  sleep: method,
};

const RULES: OptionRules<AnalyticsPluginOptions> = {
  ...RECORDING_RULES,
  directory: text,
  maxFileBytes: integer(1, " bytes"),
  maxFiles: integer(1),
  sink: having("append", "close"),
};

/** Throws `INVALID_FIELD` for the first option that is unknown or wrong, and if nothing says where rows go. */
export function readAnalyticsOptions(options: AnalyticsPluginOptions): AnalyticsConfig {
  checkOptions("new AnalyticsPlugin", options, RULES);
  const { enabled, directory, sink } = options;
  if (enabled !== false && (directory === undefined) === (sink === undefined))
    throw new PlatformError("INVALID_FIELD", "new AnalyticsPlugin: give either directory, for files, or sink.", {
      details: { field: "directory" },
    });
  return { ...options, ...withDefaults(DEFAULTS, options), retry: withDefaults(RETRY, options.retryConfig ?? {}) };
}
