import { withDefaults } from "#kit/platform/members.ts";
import { NAME, RECORDING_RULES, type RecordingOptions } from "#kit/plugins/analytics/analytics-config.ts";
import { AnalyticsPlugin } from "#kit/plugins/analytics/analytics-plugin.ts";
import {
  checkOptions,
  flag,
  listOf,
  matching,
  type OptionRules,
  record,
  required,
  text,
} from "#kit/schema/check-options.ts";
import { type AnalyticsEndpoints, BigQuerySink } from "./bigquery-sink.ts";
import type { ServiceAccountKey } from "./google-auth.ts";

/** Options of a `BigQueryAgentAnalyticsPlugin`: the table, and what is recorded. */
export interface BigQueryAgentAnalyticsOptions extends RecordingOptions {
  /** The Google Cloud project. */
  readonly projectId: string;
  /** The dataset for the rows, which has to exist. */
  readonly datasetId: string;
  /** The dataset's location; `us` by default. */
  readonly location?: string | undefined;
  /** Columns that cluster a new table; `event_type`, `agent`, `user_id` by default. */
  readonly clusteringFields?: readonly string[] | undefined;
  /** The bucket of Cloud Storage for files and long texts; without it they are not recorded, or cut. */
  readonly gcsBucketName?: string | undefined;
  /** The connection that BigQuery reads the bucket with: `location.connection`. */
  readonly connectionId?: string | undefined;
  /** Add columns that an older table lacks; true by default. */
  readonly autoSchemaUpgrade?: boolean | undefined;
  /** A key of a service account; the process's own credentials by default. */
  readonly credentials?: ServiceAccountKey | undefined;
  /** Absent: Google's public ones. */
  readonly endpoints?: AnalyticsEndpoints | undefined;
}

const RULES: OptionRules<BigQueryAgentAnalyticsOptions> = {
  ...RECORDING_RULES,
  projectId: required(text),
  datasetId: required(NAME),
  location: text,
  clusteringFields: listOf(text),
  gcsBucketName: text,
  connectionId: matching("location.connection", /^[\w-]+\.[\w-]+$/),
  autoSchemaUpgrade: flag,
  credentials: {
    must: "the key of a service account, with client_email and private_key",
    accepts: (value) => typeof Object(value).client_email === "string" && typeof Object(value).private_key === "string",
  },
  endpoints: record<AnalyticsEndpoints>({ bigQuery: text, write: text, storage: text }),
};

const DEFAULTS = {
  location: "us",
  tableName: "agent_events",
  clusteringFields: ["event_type", "agent", "user_id"] as readonly string[],
  autoSchemaUpgrade: true,
  viewPrefix: "v",
  endpoints: {} as AnalyticsEndpoints,
};

/** Longest time for one call of BigQuery. */
const CALL_TIMEOUT_MS = 10_000;

/**
 * Records what runs do in a table of BigQuery, like ADK's plugin with this name. The table
 * is created if it is missing, and each row is written once. Needs the packages `@google-cloud/bigquery` and
 * `@google-cloud/bigquery-storage`, and `@google-cloud/storage` for a bucket; they are loaded for the first rows. A run
 * never waits for BigQuery and never fails because of it. The constructor throws `INVALID_FIELD` for a wrong option.
 */
export class BigQueryAgentAnalyticsPlugin extends AnalyticsPlugin {
  constructor(options: BigQueryAgentAnalyticsOptions) {
    checkOptions("new BigQueryAgentAnalyticsPlugin", options, RULES);
    const { projectId, datasetId, gcsBucketName: bucket, connectionId, credentials, createViews } = options;
    const { viewPrefix, ...table } = withDefaults(DEFAULTS, options);
    const sink = new BigQuerySink({
      ...table,
      projectId,
      datasetId,
      credentials,
      viewPrefix: createViews === true ? viewPrefix : undefined,
      offload: bucket === undefined ? undefined : { bucket, authorizer: connectionId },
      timeoutMs: CALL_TIMEOUT_MS,
    });
    super({ ...recordingOptions(options), sink });
  }
}

function recordingOptions(options: BigQueryAgentAnalyticsOptions): RecordingOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(RECORDING_RULES, name)));
}
