import type { BigQuery } from "@google-cloud/bigquery";
import { withinTime } from "#kit/outbound-http/within-time.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { COLUMNS, type Column, SCHEMA_VERSION } from "#kit/plugins/analytics/analytics-row.ts";
import { bigQueryViews } from "#kit/plugins/analytics/analytics-views.ts";

const VERSION_LABEL = "adk_schema_version";

export interface TableOptions {
  readonly datasetId: string;
  readonly tableName: string;
  readonly location: string;
  readonly clusteringFields: readonly string[];
  readonly autoSchemaUpgrade: boolean;
  /** The beginning of the views' names; absent: no views. */
  readonly viewPrefix: string | undefined;
  /** Longest time for one call. */
  readonly timeoutMs: number;
}

/**
 * Creates the table if it is missing, adds the columns that an older one lacks, and creates its views. The dataset has to
 * exist. A table that another process creates meanwhile is used.
 */
export async function prepareTable(bigQuery: BigQuery, options: TableOptions, logger?: Logger): Promise<void> {
  const { datasetId, tableName, location, clusteringFields, autoSchemaUpgrade, viewPrefix } = options;
  const answerOf = <Answer>(call: Promise<Answer>) => withinTime(call, options.timeoutMs, "BigQuery");
  const table = bigQuery.dataset(datasetId).table(tableName);
  const found = await metadataOf(answerOf(table.getMetadata()));
  if (found === undefined) {
    const metadata = {
      schema: { fields: mutable(COLUMNS) },
      timePartitioning: { type: "DAY", field: "timestamp" },
      clustering: { fields: [...clusteringFields] },
      labels: { [VERSION_LABEL]: SCHEMA_VERSION },
      location,
    };
    await answerOf(table.create(metadata)).catch(unless(409));
  } else if (autoSchemaUpgrade && found.labels?.[VERSION_LABEL] !== SCHEMA_VERSION) {
    const fields = withMissing(found.schema?.fields ?? [], COLUMNS);
    const labels = { ...found.labels, [VERSION_LABEL]: SCHEMA_VERSION };
    await answerOf(table.setMetadata({ schema: { fields }, labels }));
  }
  if (viewPrefix === undefined) return;
  const dataset = `${await answerOf(bigQuery.getProjectId())}.${datasetId}`;
  for (const query of bigQueryViews({ dataset, tableName, viewPrefix })) {
    // Rows can be written without the view.
    await answerOf(bigQuery.query({ query, location })).catch((error: unknown) =>
      logger?.warn({ error }, "a view of the analytics table cannot be created"),
    );
  }
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly schema?: { readonly fields?: Field[] };
}

/** A column as the API returns it, with members that are none of ours. */
type Field = { name?: string; fields?: Field[] };

async function metadataOf(answer: Promise<unknown[]>): Promise<Metadata | undefined> {
  try {
    const [metadata] = await answer;
    // The client's answers have no type.
    return metadata as Metadata;
  } catch (error) {
    unless(404)(error);
    return undefined;
  }
}

/** The existing columns as they are, and those that they lack: nothing is removed or changed. */
function withMissing(existing: readonly Field[], wanted: readonly Column[]): Field[] {
  const merged = existing.map((field): Field => {
    const column = wanted.find(({ name }) => name === field.name);
    if (column?.fields === undefined) return field;
    return { ...field, fields: withMissing(field.fields ?? [], column.fields) };
  });
  const missing = wanted.filter(({ name }) => !existing.some((field) => field.name === name));
  return [...merged, ...mutable(missing)];
}

/** The client's types of columns are mutable. */
type MutableColumn = Omit<Column, "fields"> & { fields?: MutableColumn[] };

function mutable(columns: readonly Column[]): MutableColumn[] {
  return columns.map(({ fields, ...column }) =>
    fields === undefined ? column : { ...column, fields: mutable(fields) },
  );
}

function unless(status: number): (error: unknown) => void {
  return (error) => {
    if (typeof error !== "object" || error === null || !("code" in error) || Number(error.code) !== status) throw error;
  };
}
