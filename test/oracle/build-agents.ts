import { setTimeout as pause } from "node:timers/promises";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { UnsafeLocalCodeExecutor } from "#kit/code-executors/unsafe-local-code-executor.ts";
import type { EventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import { LlmEventSummarizer } from "#kit/compaction/llm-event-summarizer.ts";
import { type App, createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { BaseTool } from "#kit/core/base-tool.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import type { AgentDefinition, AgentsFile, CompactionDefinition, EventDefinition } from "./definition.ts";
import { RuntimeError } from "./errors.ts";
import { RECORDED_CALLBACKS, RECORDED_PLUGIN } from "./recorded-callbacks.ts";
import { RecordedModel } from "./recorded-model.ts";
import { RECORDED_TOOLS } from "./recorded-tools.ts";

/**
 * A recorded app, built with the kit. An agent of a kind that the kit does not have answers every run with an error.
 */
export function buildApp({ apps }: AgentsFile, name: string): App {
  const definition = apps[name];
  if (definition === undefined) throw new Error(`There is no recorded app "${name}".`);
  const { plugin, resumable, compaction } = definition.app ?? {};
  return createApp({
    name,
    rootAgent: buildAgent(definition.root),
    plugins: plugin === true ? [RECORDED_PLUGIN] : [],
    ...(resumable === true && { resumability: { isResumable: true } }),
    ...(compaction !== undefined && { eventsCompaction: compactionOf(compaction) }),
  });
}

function compactionOf({ interval, overlap, model }: CompactionDefinition): EventsCompactionConfig {
  const summarizer = new LlmEventSummarizer({ model: new RecordedModel(model) });
  return { compactionInterval: interval, overlapSize: overlap, summarizer };
}

function buildAgent(definition: AgentDefinition): BaseAgent {
  switch (definition.type ?? "llm") {
    case "llm":
      return new LlmAgent(llmOptions(definition));
    case "sequential":
      return new SequentialAgent(baseOptions(definition));
    case "parallel":
      return new ParallelAgent(baseOptions(definition));
    case "loop": {
      const { maxIterations } = definition;
      return new LoopAgent({ ...baseOptions(definition), ...(maxIterations !== undefined && { maxIterations }) });
    }
    case "events":
      return new EventsAgent(definition);
    default:
      return new MissingAgent({ name: definition.name, description: definition.description ?? "" });
  }
}

function baseOptions({ name, description, subAgents = [] }: AgentDefinition) {
  return { name, ...(description !== undefined && { description }), subAgents: subAgents.map(buildAgent) };
}

function llmOptions(definition: AgentDefinition): LlmAgentOptions {
  const { model, tools = [], callbacks = {}, inputSchema, outputSchema } = definition;
  const { instruction, outputKey, disallowTransferToParent, disallowTransferToPeers } = definition;
  const options: LlmAgentOptions = {
    ...baseOptions(definition),
    ...(instruction !== undefined && { instruction }),
    ...(outputKey !== undefined && { outputKey }),
    ...(definition.includeContents === "none" && { includeContents: "NONE" }),
    ...(disallowTransferToParent !== undefined && { disallowTransferToParent }),
    ...(disallowTransferToPeers !== undefined && { disallowTransferToPeers }),
    ...(inputSchema !== undefined && { inputSchema: objectSchema(inputSchema) }),
    ...(outputSchema !== undefined && { outputSchema: objectSchema(outputSchema) }),
    // Runs the recordings' own code, on the machine of the person who replays them.
    ...(definition.codeExecutor === true && {
      codeExecutor: new UnsafeLocalCodeExecutor({ allowUnsafeLocalExecution: true, logger: silentLogger }),
    }),
    model: new RecordedModel(model ?? {}),
    tools: tools.flatMap(buildTool),
  };
  return Object.values(callbacks).reduce<LlmAgentOptions>(
    (all, name) => ({ ...all, ...RECORDED_CALLBACKS[name] }),
    options,
  );
}

function buildTool(tool: string | { readonly agent: AgentDefinition }): BaseTool | readonly BaseTool[] {
  if (typeof tool === "string") return RECORDED_TOOLS.get(tool) ?? [];
  return new AgentTool({ agent: buildAgent(tool.agent) });
}

function objectSchema(fields: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(fields).map(([key, type]) => [key, { type: type.replace("?", "") }] as const);
  const required = Object.entries(fields).flatMap(([key, type]) => (type.endsWith("?") ? [] : [key]));
  return { type: "object", properties: Object.fromEntries(entries), required };
}

/** Yields the events of its definition. */
class EventsAgent extends BaseAgent {
  readonly #events: readonly EventDefinition[];

  constructor(definition: AgentDefinition) {
    super(baseOptions(definition));
    this.#events = definition.events ?? [];
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    for (const { text, sleep, error, stateDelta, escalate, ...fields } of this.#events) {
      if (sleep !== undefined) await pause(sleep, undefined, { signal: context.signal });
      if (error !== undefined) throw new RuntimeError(error);
      const actions = createEventActions({
        ...(stateDelta !== undefined && { stateDelta }),
        ...(escalate === true && { escalate }),
      });
      yield context.createEvent({ ...(text !== undefined && { content: modelContent(text) }), actions, ...fields });
    }
  }
}

class MissingAgent extends BaseAgent {
  protected override runAsyncImpl(): AsyncIterable<Event> {
    throw new PlatformError("NOT_IMPLEMENTED", `The kit has no agent of the kind that "${this.name}" is.`);
  }
}
