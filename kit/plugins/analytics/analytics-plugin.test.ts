import { describe, expect, it } from "vitest";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import type { AnalyticsPluginOptions } from "./analytics-config.ts";
import { AnalyticsPlugin } from "./analytics-plugin.ts";
import type { AnalyticsRow, QueuedRow } from "./analytics-row.ts";
import type { AnalyticsSink } from "./row-queue.ts";

/** A sink that keeps batches; `failures` are thrown first, one for each append. */
class MemorySink implements AnalyticsSink {
  readonly batches: (readonly QueuedRow[])[] = [];
  readonly failures: Error[] = [];
  isClosed = false;

  async append(batch: readonly QueuedRow[]): Promise<number> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.batches.push(batch);
    return 0;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  get rows(): readonly AnalyticsRow[] {
    return this.batches.flat().map(({ row }) => row);
  }
}

async function worldWith(
  agent: LlmAgent,
  options: Partial<AnalyticsPluginOptions> = {},
  more: { readonly logger?: Logger; readonly state?: Record<string, string> } = {},
) {
  const sink = new MemorySink();
  const plugin = new AnalyticsPlugin({ sink, ...options });
  const world = await createAgentWorld(agent, { plugins: [plugin], ...more });
  return { ...world, sink, plugin };
}

const look = new FunctionTool({
  name: "look",
  description: "Looks.",
  execute: () => ({ seen: "it", api_key: "s3cret" }),
});
const answer = {
  content: modelContent("It is here."),
  modelVersion: "scripted-001",
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12, cachedContentTokenCount: 4 },
};

const helper = (
  steps: ConstructorParameters<typeof ScriptedModel>[0],
  options: Partial<ConstructorParameters<typeof LlmAgent>[0]> = {},
) => new LlmAgent({ name: "helper", model: new ScriptedModel(steps), instruction: "Find things.", ...options });

describe("the rows of a run", () => {
  it("are what happened, in order, under the ids of its trace", async () => {
    verifies("plugins:provided:analytics");
    const agent = helper([functionCallResponse("look", { at: "x", password: "p" }), answer], {
      tools: [look],
      generateContentConfig: { topK: 3 },
    });
    const { run, sink, plugin, spans } = await worldWith(
      agent,
      { customTags: { team: "a" } },
      { state: { plan: "pro" } },
    );
    await run("Where is it?");
    await plugin.flush();
    expect(sink.rows.map(({ event_type }) => event_type)).toEqual([
      "USER_MESSAGE_RECEIVED",
      "INVOCATION_STARTING",
      "AGENT_STARTING",
      "LLM_REQUEST",
      "LLM_RESPONSE",
      "TOOL_STARTING",
      "TOOL_COMPLETED",
      "LLM_REQUEST",
      "LLM_RESPONSE",
      "AGENT_RESPONSE",
      "AGENT_COMPLETED",
      "INVOCATION_COMPLETED",
    ]);
    const [message, started, agentStarted, request, , toolStarted, toolDone, , response] = sink.rows;
    expect([message, agentStarted].map((row) => JSON.parse(row?.content ?? ""))).toEqual([
      { text_summary: "Where is it?" },
      { text_summary: "Find things." },
    ]);
    const root = { root_agent_name: "helper", custom_tags: { team: "a" } };
    const session = { session_id: "talk", app_name: "app", user_id: "ada" };
    expect(JSON.parse(started?.attributes ?? "")).toEqual({
      ...root,
      session_metadata: { ...session, state: { plan: "pro" } },
    });
    expect(JSON.parse(request?.attributes ?? "")).toEqual({
      ...root,
      session_metadata: session,
      model: "scripted",
      llm_config: { top_k: 3 },
      tools: ["look"],
    });
    expect(JSON.parse(request?.content ?? "")).toEqual({
      prompt: [{ role: "user", content: "Where is it?" }],
      system_prompt: expect.stringContaining("Find things."),
    });
    expect([toolStarted, toolDone].map((row) => JSON.parse(row?.content ?? ""))).toEqual([
      { tool: "look", args: { at: "x", password: "[REDACTED]" }, tool_origin: "LOCAL" },
      { tool: "look", result: { seen: "it", api_key: "[REDACTED]" }, tool_origin: "LOCAL" },
    ]);
    expect(JSON.parse(response?.content ?? "")).toEqual({
      response: "text: 'It is here.'",
      usage: { prompt: 9, completion: 3, total: 12 },
    });
    expect(JSON.parse(response?.attributes ?? "")).toMatchObject({
      model_version: "scripted-001",
      usage_metadata: { cached_content_token_count: 4 },
    });
    expect(response?.latency_ms).toBe('{"total_ms":0}');
    // Rows of a call belong to its span.
    const idsOf = (name: string) =>
      spans.filter((span) => span.name === name).map(({ spanId, parentSpanId }) => [spanId, parentSpanId]);
    const placeOf = (event: string) =>
      sink.rows.filter(({ event_type }) => event_type === event).map((row) => [row.span_id, row.parent_span_id]);
    expect([placeOf("LLM_REQUEST"), placeOf("LLM_RESPONSE")]).toEqual([idsOf("call_llm"), idsOf("call_llm")]);
    expect(placeOf("TOOL_COMPLETED")).toEqual(idsOf("execute_tool look"));
    expect(placeOf("AGENT_STARTING")).toEqual(idsOf("invoke_agent helper"));
    expect(placeOf("INVOCATION_COMPLETED")).toEqual(idsOf("invocation"));
    expect(new Set(sink.rows.map(({ trace_id }) => trace_id))).toEqual(new Set(spans.map(({ traceId }) => traceId)));
    expect(plugin.counts).toMatchObject({ written: 12, append_error: 0 });
  });

  it("name the answer of a stream once, with the time to its first chunk", async () => {
    const chunks = ["It is ", "here."].map((text) => ({ content: modelContent(text), partial: true }));
    const { run, sink, plugin } = await worldWith(helper([[...chunks, answer]]));
    await run("Where?", { streamingMode: StreamingMode.SSE });
    await plugin.flush();
    const responses = sink.rows.filter(({ event_type }) => event_type === "LLM_RESPONSE");
    expect(responses.map(({ latency_ms }) => latency_ms)).toEqual(['{"total_ms":0,"time_to_first_token_ms":0}']);
  });

  it("name failures of models and tools, and the origins of tools", async () => {
    const broken = new FunctionTool({
      name: "broken",
      description: "Fails.",
      execute: () => {
        throw new Error("no such thing");
      },
    });
    const other = new AgentTool({ agent: new LlmAgent({ name: "other", model: new ScriptedModel(["fine"]) }) });
    const agent = helper(
      [functionCallResponse("broken"), functionCallResponse("other", { request: "go" }), new Error("model down")],
      { tools: [broken, other] },
    );
    const { run, sink, plugin } = await worldWith(agent);
    await expect(run("go")).rejects.toThrow();
    await plugin.flush();
    const failed = sink.rows
      .filter(({ status }) => status === "ERROR")
      .map(({ event_type, error_message }) => [event_type, error_message]);
    expect(failed).toEqual([
      ["TOOL_ERROR", "no such thing"],
      ["LLM_ERROR", "model down"],
      ["INVOCATION_COMPLETED", expect.any(String)],
    ]);
    const origins = sink.rows
      .filter(({ event_type }) => event_type === "TOOL_STARTING")
      .map(({ content }) => JSON.parse(content ?? "").tool_origin);
    expect(origins).toEqual(["LOCAL", "SUB_AGENT"]);
  });

  it("name questions to users, pauses and changes of state", async () => {
    const pay = new FunctionTool({ name: "pay", description: "Pays.", requireConfirmation: true, execute: () => ({}) });
    const job = new LongRunningFunctionTool({ name: "job", description: "Works.", execute: () => undefined });
    const calls = {
      content: { role: "model", parts: ["pay", "job"].map((name) => ({ functionCall: { name, args: {} } })) },
    };
    const agent = helper([calls], {
      tools: [pay, job],
      beforeAgentCallback: (context) => {
        context.state.set("seen", "yes");
      },
    });
    const { run, sink, plugin } = await worldWith(agent);
    await run("go");
    await plugin.flush();
    const pauses = sink.rows
      .filter(({ event_type }) => /PAUSED|HITL|STATE/.test(event_type))
      .map(({ event_type, attributes }) => [
        event_type,
        JSON.parse(attributes).pause_kind ?? JSON.parse(attributes).state_delta,
      ]);
    expect(pauses.sort()).toEqual([
      ["HITL_CONFIRMATION_REQUEST", "hitl_confirmation"],
      ["STATE_DELTA", { seen: "yes" }],
      ["TOOL_PAUSED", "hitl_confirmation"],
      ["TOOL_PAUSED", "tool"],
    ]);
  });
});

describe("what is recorded", () => {
  it("is nothing of a plugin that is switched off, which has no hooks", async () => {
    verifies("records:analytics:enabled");
    const plugin = new AnalyticsPlugin({ enabled: false });
    expect(Object.keys(plugin).sort()).toEqual(["closeTimeoutMs", "isObserver", "name"]);
    await plugin.flush();
    await plugin.close();
    expect(plugin.counts.written).toBe(0);
  });

  it("is what the lists of events say, and nothing is spent on the rest", async () => {
    verifies("records:analytics:event-allowlist", "records:analytics:event-denylist");
    const { run, sink, plugin } = await worldWith(helper([answer]), {
      eventAllowlist: ["LLM_REQUEST", "LLM_RESPONSE"],
      eventDenylist: ["LLM_REQUEST"],
    });
    await run("hi");
    await plugin.flush();
    expect(sink.rows.map(({ event_type }) => event_type)).toEqual(["LLM_RESPONSE"]);
    expect(Object.keys(plugin)).not.toContain("beforeModelCallback");
  });

  it("has the form that contentFormatter gives it, and none if that fails", async () => {
    verifies("records:analytics:content-formatter", "records:analytics:custom-tags");
    const seen: unknown[] = [];
    const { run, sink, plugin } = await worldWith(helper([answer]), {
      eventAllowlist: ["USER_MESSAGE_RECEIVED", "LLM_RESPONSE"],
      customTags: { team: "a" },
      contentFormatter: (content, event) => {
        seen.push([event, content]);
        if (event === "LLM_RESPONSE") throw new Error("no format");
        return { masked: true };
      },
    });
    await run("my secret");
    await plugin.flush();
    expect(sink.rows.map(({ content }) => content)).toEqual(['{"masked":true}', undefined]);
    expect(seen[0]).toEqual(["USER_MESSAGE_RECEIVED", { text_summary: "my secret" }]);
    expect(JSON.parse(sink.rows[0]?.attributes ?? "").custom_tags).toEqual({ team: "a" });
  });

  it("is cut at maxContentLength", async () => {
    const { run, sink, plugin } = await worldWith(helper([answer]), {
      maxContentLength: 4,
      eventAllowlist: ["USER_MESSAGE_RECEIVED"],
    });
    await run("a long text");
    await plugin.flush();
    expect([sink.rows[0]?.content, sink.rows[0]?.is_truncated]).toEqual([
      '{"text_summary":"a lo...[truncated]"}',
      true,
    ]);
  });
});

describe("batches", () => {
  it("are written by size, after the interval and at a run's end", async () => {
    verifies("limits:analytics:batches", "records:analytics:batch-size");
    verifies("records:analytics:batch-flush-interval");
    const bySize = await worldWith(helper([answer]), { batchSize: 2, batchFlushInterval: 3_600_000 });
    await bySize.run("hi");
    await expect.poll(() => bySize.sink.rows).toHaveLength(8);
    expect(bySize.sink.batches.length).toBeGreaterThan(1);
    const atEnd = await worldWith(helper([answer]), { batchSize: 1000, batchFlushInterval: 3_600_000 });
    await atEnd.run("hi");
    await expect.poll(() => atEnd.sink.batches.map(({ length }) => length)).toEqual([8]);
    const agent = helper([[new Promise(() => {})]]);
    const byTime = await worldWith(agent, { batchSize: 1000, batchFlushInterval: 1 });
    void byTime.run("hi");
    await expect.poll(() => byTime.sink.rows.length).toBeGreaterThan(2);
  });

  it("are sent again after growing delays, and lost with a count when that does not help", async () => {
    verifies("limits:analytics:retries", "records:analytics:retry-initial-delay");
    const delays: number[] = [];
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: unknown) => void warnings.push(fields) };
    const { run, sink, plugin } = await worldWith(
      helper([answer, answer, answer, answer]),
      {
        eventAllowlist: ["LLM_RESPONSE"],
        retryConfig: { maxRetries: 2, initialDelay: 100, multiplier: 3, maxDelay: 250 },
        sleep: async (ms) => void delays.push(ms),
      },
      { logger },
    );
    sink.failures.push(new Error("busy"), new Error("busy"));
    await run("one");
    await plugin.flush();
    expect([delays, plugin.counts.written, plugin.counts.append_error]).toEqual([[100, 250], 1, 0]);
    sink.failures.push(...Array.from({ length: 3 }, () => new Error("down")));
    await run("two");
    await plugin.flush();
    expect([plugin.counts.written, plugin.counts.append_error, warnings.length]).toEqual([1, 1, 1]);
    // The next outage is reported too.
    for (const [text, fails] of [
      ["works", false],
      ["down again", true],
    ] as const) {
      if (fails) sink.failures.push(...Array.from({ length: 3 }, () => new Error("down")));
      await run(text);
      await plugin.flush();
    }
    expect([plugin.counts.written, plugin.counts.append_error, warnings.length]).toEqual([2, 2, 2]);
  });

  it("have at most some megabytes, and rows of many texts are cut", async () => {
    const held = Promise.withResolvers<void>();
    const texts = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(500_000));
    const { run, sink, plugin } = await worldWith(helper(texts.map(() => answer)), {
      eventAllowlist: ["LLM_REQUEST"],
      batchFlushInterval: 3_600_000,
    });
    sink.append = new Proxy(sink.append, { apply: (...call) => held.promise.then(() => Reflect.apply(...call)) });
    for (const text of texts) await run(text);
    held.resolve();
    await plugin.flush();
    const MIB = 1024 * 1024;
    const several = sink.batches.filter((batch) => batch.length > 1);
    for (const batch of several) expect(batch.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(4 * MIB);
    for (const { content } of sink.rows) expect((content ?? "").length).toBeLessThanOrEqual(2 * MIB);
    expect(sink.rows.map(({ is_truncated }) => is_truncated)).toEqual([false, false, false, false, true, true]);
  });

  it("are bounded: rows beyond are lost and counted, and no run waits or fails", async () => {
    const { run, sink, plugin } = await worldWith(helper([answer]), { queueMaxSize: 3, batchFlushInterval: 3_600_000 });
    sink.append = () => new Promise(() => {});
    const events = await run("hi");
    expect(events).toHaveLength(1);
    expect(plugin.counts.queue_full).toBe(5);
  });

  it("are written when the plugin is closed, and what does not get through in time is counted", async () => {
    const slow = await worldWith(helper([answer]), { shutdownTimeout: 1 });
    slow.sink.append = () => new Promise(() => {});
    await slow.run("hi");
    await slow.runner.close();
    expect([slow.plugin.counts.shutdown_timeout, slow.plugin.counts.written, slow.sink.isClosed]).toEqual([8, 0, true]);
    const quick = await worldWith(helper([answer]), { batchFlushInterval: 3_600_000 });
    await quick.run("hi");
    await quick.runner.close();
    expect([quick.sink.rows.length, quick.plugin.counts.shutdown_timeout]).toEqual([8, 0]);
  });

  it("lose a row that cannot be made, and nothing else", async () => {
    const { run, sink, plugin } = await worldWith(helper([answer]), {
      customTags: {},
      eventDenylist: ["STATE_DELTA"],
      contentFormatter: (content, event) =>
        event === "LLM_RESPONSE"
          ? {
              toJSON: () => {
                throw new Error("no");
              },
            }
          : content,
    });
    await run("hi");
    await plugin.flush();
    expect(sink.rows.find(({ event_type }) => event_type === "LLM_RESPONSE")?.content).toBe('"[UNSERIALIZABLE]"');
  });
});

describe("options", () => {
  it.each<[string, object, string]>([
    ["no place for rows", {}, "directory"],
    ["two places for rows", { directory: "a", sink: new MemorySink() }, "directory"],
    ["an unknown option", { directory: "a", batchsize: 1 }, "batchsize"],
    ["a batch of none", { directory: "a", batchSize: 0 }, "batchSize"],
    ["an interval that is none", { directory: "a", batchFlushInterval: 0 }, "batchFlushInterval"],
    ["an unknown event", { directory: "a", eventAllowlist: ["LLM"] }, "eventAllowlist"],
    ["a retry that shrinks", { directory: "a", retryConfig: { multiplier: 0.5 } }, "retryConfig.multiplier"],
    ["a table's name with a path", { directory: "a", tableName: "../x" }, "tableName"],
  ])("are refused: %s", (_, options, field) => {
    expect(() => new AnalyticsPlugin(options as AnalyticsPluginOptions)).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }),
    );
  });
});
