import { mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it, onTestFinished } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { AnalyticsPlugin } from "./analytics-plugin.ts";
import { ANALYTICS_EVENTS, type QueuedRow } from "./analytics-row.ts";
import { JsonLineWriter } from "./json-line-writer.ts";
import { JsonLinesSink } from "./json-lines-sink.ts";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "analytics-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function query(sql: string, views: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run(views);
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const usageMetadata = { promptTokenCount: 8, candidatesTokenCount: 2, totalTokenCount: 10, cachedContentTokenCount: 2 };

async function talk(directory: string): Promise<void> {
  const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => ({ seen: "it's" }) });
  const model = new ScriptedModel([
    functionCallResponse("look", { at: "x" }),
    { content: modelContent("Done."), modelVersion: "scripted-1", usageMetadata },
  ]);
  const plugin = new AnalyticsPlugin({ directory, createViews: true });
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [look] }), { plugins: [plugin] });
  const picture = { inlineData: { mimeType: "image/png", data: "AAAA" } };
  await world.run({ role: "user", parts: [{ text: "Look at this." }, picture] });
  await world.runner.close();
}

it("writes rows that DuckDB reads by the views beside them", async () => {
  verifies("records:analytics:create-views");
  const directory = join(await newFolder(), "it's here");
  await talk(directory);
  const views = await readFile(join(directory, "views.sql"), "utf8");
  const select = (sql: string) => query(sql, views);
  expect(
    await select(
      "SELECT response, usage_prompt_tokens, usage_cached_tokens, context_cache_hit_rate, model_version FROM v_llm_response WHERE usage_total_tokens = 10",
    ),
  ).toEqual([
    {
      response: `"text: 'Done.'"`,
      usage_prompt_tokens: "8",
      usage_cached_tokens: "2",
      context_cache_hit_rate: 0.25,
      model_version: "scripted-1",
    },
  ]);
  expect(await select("SELECT tool_name, tool_origin, tool_result ->> '$.seen' AS seen FROM v_tool_completed")).toEqual(
    [{ tool_name: "look", tool_origin: "LOCAL", seen: "it's" }],
  );
  expect(
    await select(
      "SELECT part.mime_type, part.text, part.storage_mode FROM (SELECT unnest(content_parts) AS part FROM agent_events WHERE event_type = 'USER_MESSAGE_RECEIVED')",
    ),
  ).toEqual([
    { mime_type: "text/plain", text: "Look at this.", storage_mode: "INLINE" },
    { mime_type: "image/png", text: "[BINARY DATA]", storage_mode: "INLINE" },
  ]);
  // Each view can be read.
  for (const event of ANALYTICS_EVENTS) await select(`SELECT * FROM v_${event.toLowerCase()}`);
});

const row = (text: string): QueuedRow => ({
  row: {
    timestamp: 1_767_225_600_000,
    event_type: "USER_MESSAGE_RECEIVED",
    agent: "helper",
    session_id: "s",
    invocation_id: "i",
    user_id: "u",
    trace_id: "t",
    span_id: "p",
    parent_span_id: undefined,
    content: JSON.stringify({ text_summary: text }),
    content_parts: [],
    attributes: "{}",
    latency_ms: undefined,
    status: "OK",
    error_message: undefined,
    is_truncated: false,
  },
  idsJson: '"session_id":"s","invocation_id":"i","user_id":"u","trace_id":"t"',
  uploads: [],
  bytes: 0,
});

it("writes every column as JSON, whatever its text", () => {
  const odd = 'a "b" \\ \n \u2028';
  const { row: plain } = row(odd);
  const part = {
    mime_type: "text/plain",
    text: odd,
    part_index: 0,
    part_attributes: "{}",
    storage_mode: "INLINE",
  } as const;
  const changed = {
    agent: odd,
    parent_span_id: "q",
    content_parts: [part],
    status: "ERROR",
    error_message: odd,
  } as const;
  const full = { ...plain, ...changed };
  const ids = { session_id: odd, invocation_id: "i", user_id: odd, trace_id: "t" };
  const writer = new JsonLineWriter();
  const line = writer.toLine({
    row: { ...full, ...ids },
    idsJson: JSON.stringify(ids).slice(1, -1),
    uploads: [],
    bytes: 0,
  });
  expect([line.indexOf("\n"), JSON.parse(line)]).toEqual([
    line.length - 1,
    {
      ...full,
      ...ids,
      ...{ timestamp: "2026-01-01T00:00:00.000Z", content: { text_summary: odd }, attributes: {}, latency_ms: null },
    },
  ]);
  const timeOf = (timestamp: number): string =>
    JSON.parse(writer.toLine({ ...row("x"), row: { ...plain, timestamp } })).timestamp;
  const times = [1_767_225_600_007, 1_767_225_600_999, 1_767_225_601_000, 1_767_225_599_998];
  expect(times.map(timeOf)).toEqual(times.map((time) => new Date(time).toISOString()));
});

async function sinkIn(directory: string, more: { readonly maxFileBytes?: number; readonly maxFiles?: number } = {}) {
  const { maxFileBytes = 1e6, maxFiles } = more;
  const options = { directory, tableName: "agent_events", maxFileBytes, maxFiles, viewPrefix: undefined };
  return new JsonLinesSink({ ...options, clock: new FixedClock() });
}

async function textsIn(directory: string): Promise<readonly (readonly string[])[]> {
  const files = (await readdir(directory)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(directory, name), "utf8")));
  return texts.map((text) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).content.text_summary),
  );
}

it("begins a new file at the size, and keeps as many as it is told", async () => {
  const directory = await newFolder();
  const sink = await sinkIn(directory, { maxFileBytes: 500, maxFiles: 2 });
  for (const text of ["a", "b", "c", "d", "e"]) await sink.append([row(text)]);
  await sink.close();
  expect(await textsIn(directory)).toEqual([["c", "d"], ["e"]]);
});

it("shares its folder with other sinks of the process", async () => {
  const directory = await newFolder();
  const sinks = await Promise.all([sinkIn(directory), sinkIn(directory)]);
  for (const [index, sink] of sinks.entries()) {
    await sink.append([row(`of ${index}`)]);
    await sink.close();
  }
  expect(await textsIn(directory)).toEqual([["of 0"], ["of 1"]]);
});

it("cuts off what a write has left behind, so that a repetition writes each row once", async () => {
  const directory = await newFolder();
  const sink = await sinkIn(directory);
  await sink.append([row("first")]);
  const prototype = Object.getPrototypeOf(await anyHandle(directory)) as {
    write: (...args: unknown[]) => Promise<unknown>;
  };
  const { write } = prototype;
  onTestFinished(() => void (prototype.write = write));
  prototype.write = async function (this: unknown, ...args: unknown[]) {
    await write.call(this, args[0], args[1], 20, args[3]);
    throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
  };
  const batch = [row("second"), row("third")];
  await expect(sink.append(batch)).rejects.toThrow("disk full");
  prototype.write = write;
  await sink.append(batch);
  await sink.close();
  expect(await textsIn(directory)).toEqual([["first", "second", "third"]]);
});

async function anyHandle(directory: string): Promise<object> {
  const handle = await open(directory);
  await handle.close();
  return handle;
}
