import { afterEach, describe, expect, it } from "vitest";
import {
  type BigQueryAgentAnalyticsOptions,
  BigQueryAgentAnalyticsPlugin,
} from "#adapters/bigquery/bigquery-agent-analytics-plugin.ts";
import { type AnalyticsEndpoints, BigQuerySink } from "#adapters/bigquery/bigquery-sink.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { COLUMNS, type OffloadPlace } from "#kit/plugins/analytics/analytics-row.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { type FakeTable, startBigQueryRest } from "#test/fakes/bigquery-rest.ts";
import { type AppendFault, startBigQueryWrite } from "#test/fakes/bigquery-write.ts";
import { googleError } from "#test/fakes/google-rest.ts";
import { startStorage } from "#test/fakes/storage-uploads.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function opening<Server extends AsyncDisposable>(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  opened.push(server);
  return server;
}

interface WorldOptions extends Partial<BigQueryAgentAnalyticsOptions> {
  readonly table?: FakeTable;
  readonly uploadStatus?: number;
}

/** An agent whose rows go to servers on loopback through Google's clients. */
async function startWorld({ table, uploadStatus = 200, ...options }: WorldOptions = {}) {
  const rest = await opening(startBigQueryRest(table));
  const write = await opening(startBigQueryWrite());
  const storage = await opening(startStorage(uploadStatus));
  const plugin = new BigQueryAgentAnalyticsPlugin({
    projectId: "shop-1",
    datasetId: "agents",
    endpoints: { bigQuery: rest.url, write: write.url, storage: storage.url },
    retryConfig: { initialDelay: 1 },
    eventAllowlist: ["USER_MESSAGE_RECEIVED"],
    ...options,
  });
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
  const model = new ScriptedModel([{ content: modelContent("Yes.") }], { repeatLast: true });
  const agents = await createAgentWorld(new LlmAgent({ name: "helper", model }), { plugins: [plugin], logger });
  opened.push({ [Symbol.asyncDispose]: () => agents.runner.close() });
  const say = async (message: Parameters<typeof agents.run>[0]): Promise<void> => {
    await agents.run(message);
    await plugin.flush();
  };
  const texts = () => write.rows.map(({ content }) => JSON.parse(String(content)).text_summary);
  return { rest, write, storage, plugin, warnings, say, texts };
}

describe("the table", () => {
  it("is created with its columns, partitions, clusters and label, and gets the rows", async () => {
    verifies("records:analytics:dataset-id", "records:analytics:clustering-fields");
    const { rest, write, say, texts, plugin } = await startWorld({ clusteringFields: ["agent"], location: "EU" });
    await say("Is it here?");
    expect(rest.table).toMatchObject({
      schema: { fields: COLUMNS },
      clustering: { fields: ["agent"] },
      timePartitioning: { type: "DAY", field: "timestamp" },
      labels: { adk_schema_version: "1" },
      location: "EU",
    });
    expect([texts(), rest.problems, write.problems, plugin.counts.written]).toEqual([["Is it here?"], [], [], 1]);
    expect(write.streams).toEqual(["projects/shop-1/datasets/agents/tables/agent_events/streams/s1"]);
    expect(write.rows[0]).toMatchObject({
      event_type: "USER_MESSAGE_RECEIVED",
      user_id: "ada",
      status: "OK",
      is_truncated: false,
    });
  });

  const old: FakeTable = { schema: { fields: COLUMNS.slice(0, -2) }, labels: { adk_schema_version: "0", owner: "me" } };

  it("gets the columns that an older one lacks, once, and keeps its own", async () => {
    verifies("records:analytics:auto-schema-upgrade");
    const own = { name: "own", type: "STRING", mode: "NULLABLE" } as const;
    const table = { ...old, schema: { fields: [own, ...old.schema.fields] } };
    const upgraded = await startWorld({ table });
    await upgraded.say("hi");
    expect(upgraded.rest.table?.schema.fields.map(({ name }) => name)).toEqual([
      "own",
      ...COLUMNS.map(({ name }) => name),
    ]);
    expect(upgraded.rest.table?.labels).toEqual({ adk_schema_version: "1", owner: "me" });
    const kept = await startWorld({ table, autoSchemaUpgrade: false });
    await kept.say("hi");
    expect([kept.rest.table, kept.texts()]).toEqual([table, ["hi"]]);
  });

  it("has views if they are asked for", async () => {
    verifies("records:analytics:create-views");
    const { rest, say } = await startWorld({ createViews: true, viewPrefix: "mine" });
    await say("hi");
    expect(rest.queries).toHaveLength(21);
    expect(rest.queries.find((query) => query.includes("mine_llm_response"))).toMatch(
      /^CREATE OR REPLACE VIEW `shop-1.agents.mine_llm_response` AS\nSELECT\n {2}timestamp,[\s\S]*JSON_QUERY\(content, '\$.response'\) AS response,[\s\S]*FROM `shop-1.agents.agent_events`\nWHERE event_type = 'LLM_RESPONSE'$/,
    );
    const without = await startWorld();
    await without.say("hi");
    expect(without.rest.queries).toEqual([]);
  });

  it("is prepared again with later rows if that fails", async () => {
    const { rest, say, texts, plugin } = await startWorld({ retryConfig: { maxRetries: 0 } });
    rest.faults.push({
      status: 403,
      body: { error: { code: 403, message: "no", errors: [{ reason: "accessDenied" }] } },
    });
    await say("one");
    expect(plugin.counts).toMatchObject({ written: 0, append_error: 1 });
    await say("two");
    expect(texts()).toEqual(["two"]);
  });
});

describe("faults of the write API", () => {
  it.each<[AppendFault, { readonly texts: readonly string[]; readonly lost: number }]>([
    ["throttled", { texts: ["one", "two"], lost: 0 }],
    ["connection lost before the write", { texts: ["one", "two"], lost: 0 }],
    // The row was there already: a repetition to the same place is no second row.
    ["connection lost after the write", { texts: ["one", "two"], lost: 0 }],
    ["stream finalized", { texts: ["one", "two"], lost: 0 }],
    ["bad row", { texts: ["two"], lost: 1 }],
    ["not permitted", { texts: ["two"], lost: 1 }],
  ])("%s: each row is written once, or counted", async (fault, expected) => {
    verifies("limits:analytics:retries");
    const { write, say, texts, plugin, warnings } = await startWorld();
    write.faults.push(fault);
    await say("one");
    await say("two");
    const { written, append_error } = plugin.counts;
    expect({ texts: texts(), lost: append_error, written }).toEqual({ ...expected, written: expected.texts.length });
    expect([write.problems, warnings.length]).toEqual([[], expected.lost]);
  });

  it("gives up after its repetitions, counts the rows, and writes later ones to a stream of their own", async () => {
    const { write, say, texts, plugin } = await startWorld({ retryConfig: { maxRetries: 1, initialDelay: 1 } });
    // Written, and never confirmed: the rows count as lost.
    write.faults.push("connection lost after the write", "throttled");
    await say("one");
    expect(plugin.counts).toMatchObject({ written: 0, append_error: 1 });
    await say("two");
    expect([texts(), write.streams.length, plugin.counts.written]).toEqual([["one", "two"], 2, 1]);
  });

  it("sends again to the same place what is not answered in time", async () => {
    const { rest, write } = await startWorld();
    const sink = sinkOf({ bigQuery: rest.url, write: write.url }, LIMIT_MS);
    const batch = [QUEUED];
    write.faults.push("silent");
    await expect(sink.append(batch)).rejects.toThrow(LATE);
    expect([await sink.append(batch), write.rows.length]).toEqual([0, 1]);
    await sink.close();
  });

  it("does not send a bad row again when the answer for the good ones is lost", async () => {
    const { rest, write } = await startWorld();
    const sink = sinkOf({ bigQuery: rest.url, write: write.url }, 10_000);
    const batch = [1, 2, 3].map(() => ({ ...QUEUED }));
    write.faults.push("bad row", "connection lost after the write");
    await expect(sink.append(batch)).rejects.toThrow();
    expect([await sink.append(batch), write.rows.length, write.streams.length]).toEqual([1, 2, 1]);
    await sink.close();
  });

  it("gives up a call that is not answered, whichever it is, and writes each row once when it is called again", async () => {
    const [rest, write] = [await opening(startBigQueryRest()), await opening(startBigQueryWrite())];
    const sink = sinkOf({ bigQuery: rest.url, write: write.url }, LIMIT_MS);
    const batch = [QUEUED];
    rest.faults.push({ isSilent: true });
    await expect(sink.append(batch)).rejects.toThrow(LATE);
    // The table is looked for, and its creation is not answered.
    rest.faults.push(googleError(404, "no table"), { isSilent: true });
    await expect(sink.append(batch)).rejects.toThrow(LATE);
    write.ignored.streams = 1;
    await expect(sink.append(batch)).rejects.toThrow(LATE);
    expect([await sink.append(batch), write.rows.length]).toEqual([0, 1]);
    await sink.close();
  });

  it("writes a row without its content if the upload is not answered", async () => {
    const { write, rest, storage } = await startWorld({ uploadStatus: 0 });
    const offload = { bucket: "large", authorizer: undefined };
    const endpoints = { bigQuery: rest.url, write: write.url, storage: storage.url };
    const sink = sinkOf(endpoints, LIMIT_MS, offload);
    const part = { mime_type: "image/png", uri: "gs://large/a", part_index: 0, part_attributes: "{}" };
    const content = { ...part, storage_mode: "GCS_REFERENCE" as const };
    const upload = { part: content, object: "a", data: Buffer.from("image") };
    await sink.append([{ ...QUEUED, row: { ...ROW, content_parts: [content] }, uploads: [upload] }]);
    expect([sink.lostUploads, write.rows.length, content]).toMatchObject([
      1,
      1,
      { storage_mode: "INLINE", text: "[UPLOAD FAILED]" },
    ]);
    await sink.close();
  });

  it("does not hold up a run, nor the end of the runner for longer than shutdownTimeout", async () => {
    const { write, plugin, say } = await startWorld({ shutdownTimeout: 20 });
    write.faults.push("silent");
    const saying = say("one");
    await expect.poll(() => write.appends).toBe(1);
    await plugin.close();
    await saying;
    expect(plugin.counts).toMatchObject({ shutdown_timeout: 1, written: 0 });
  });
});

function sinkOf(endpoints: AnalyticsEndpoints, timeoutMs: number, offload?: OffloadPlace): BigQuerySink {
  return new BigQuerySink({
    projectId: "shop-1",
    datasetId: "agents",
    tableName: "agent_events",
    location: "us",
    clusteringFields: ["agent"],
    autoSchemaUpgrade: true,
    viewPrefix: undefined,
    credentials: undefined,
    ...{ endpoints, timeoutMs, offload },
  });
}

const ROW = {
  timestamp: 1_767_225_600_000,
  event_type: "USER_MESSAGE_RECEIVED",
  agent: "helper",
  session_id: "s",
  invocation_id: "i",
  user_id: "u",
  trace_id: "t",
  span_id: "p",
  parent_span_id: undefined,
  content: "{}",
  content_parts: [],
  attributes: "{}",
  latency_ms: undefined,
  status: "OK",
  error_message: undefined,
  is_truncated: false,
} as const;
const QUEUED = { row: ROW, idsJson: "", uploads: [], bytes: 0 };
/** Longest time for one call. */
const LIMIT_MS = 500;
const LATE = `BigQuery has not answered within ${LIMIT_MS} ms`;

describe("large contents", () => {
  const picture = { inlineData: { mimeType: "image/png", data: Buffer.from("pixels").toString("base64") } };
  const long = "word ".repeat(8000);

  it("go to the bucket, and rows refer to them by the connection", async () => {
    verifies("records:analytics:gcs-bucket-name", "records:analytics:connection-id");
    const { say, write, storage, plugin } = await startWorld({ gcsBucketName: "large", connectionId: "us.reader" });
    await say({
      role: "user",
      parts: [{ text: long }, picture, { fileData: { fileUri: "gs://own/x.pdf", mimeType: "application/pdf" } }],
    });
    const [row] = write.rows;
    const parts = row?.["content_parts"] as readonly Record<string, unknown>[];
    const name = (extension: string) =>
      expect.stringMatching(
        new RegExp(`^gs://large/\\d{4}-\\d\\d-\\d\\d/\\w{32}/\\w{16}_p\\d_[\\w-]+\\.${extension}$`),
      );
    expect(parts).toMatchObject([
      { mime_type: "text/plain", storage_mode: "GCS_REFERENCE", uri: name("txt"), text: long.slice(0, 200) },
      {
        mime_type: "image/png",
        storage_mode: "GCS_REFERENCE",
        object_ref: { uri: name("png"), authorizer: "us.reader" },
      },
      { mime_type: "application/pdf", storage_mode: "EXTERNAL_URI", uri: "gs://own/x.pdf" },
    ]);
    expect([...storage.objects.values()].map(String).sort()).toEqual(["pixels", long]);
    expect([...storage.objects.keys()].map((object) => `gs://large/${object}`)).toContain(parts[1]?.["uri"]);
    expect([plugin.counts.offload_error, write.problems]).toEqual([0, []]);
  });

  it("are named as lost in a row if the bucket does not take them", async () => {
    const { say, write, plugin } = await startWorld({ gcsBucketName: "large", uploadStatus: 403 });
    await say({ role: "user", parts: [picture] });
    expect(write.rows[0]?.["content_parts"]).toMatchObject([{ storage_mode: "INLINE", text: "[UPLOAD FAILED]" }]);
    expect(plugin.counts).toMatchObject({ written: 1, offload_error: 1 });
  });
});

describe("options", () => {
  const base = { projectId: "p", datasetId: "d" };

  it.each<[string, object, string]>([
    ["no project", { datasetId: "d" }, "projectId"],
    ["no dataset", { projectId: "p" }, "datasetId"],
    ["a dataset with a path", { ...base, datasetId: "d.t" }, "datasetId"],
    ["a folder", { ...base, directory: "x" }, "directory"],
    ["a connection without a location", { ...base, connectionId: "reader" }, "connectionId"],
    ["credentials that are a text", { ...base, credentials: "key" }, "credentials"],
  ])("are refused: %s", (_, options, field) => {
    expect(() => new BigQueryAgentAnalyticsPlugin(options as BigQueryAgentAnalyticsOptions)).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }),
    );
  });

  it("records nothing when it is switched off, and opens no connection", async () => {
    verifies("records:analytics:enabled");
    const { say, rest, write } = await startWorld({ enabled: false });
    await say("hi");
    expect([rest.calls.length, write.appends]).toEqual([0, 0]);
  });
});
