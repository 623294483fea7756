import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { BaseTool, ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Answer, Awaitable } from "#kit/core/context/plugin-chains.ts";
import type { RunOutcome } from "#kit/core/context/run-outcome.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import type { Content } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";

/** The name of a hook of a plugin. */
export type PluginHook = Exclude<keyof Plugin, "name">;

/** One call of a hook, with its subject. */
export interface RecordedHook {
  readonly hook: PluginHook;
  /** The current agent; absent for hooks of the run. */
  readonly agent?: string;
  readonly tool?: string;
  readonly args?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: string;
  readonly content?: Content;
}

/**
 * A plugin for tests: records each hook in order, and returns what the hook of the same name in `answers` returns, or
 * nothing.
 */
export class RecordingPlugin implements Plugin {
  readonly name: string;
  readonly calls: RecordedHook[] = [];
  readonly #answers: Partial<Plugin>;

  constructor(name = "recording", answers: Omit<Partial<Plugin>, "name"> = {}) {
    this.name = name;
    this.#answers = answers;
  }

  /** The hooks called so far. */
  get hooks(): readonly PluginHook[] {
    return this.calls.map(({ hook }) => hook);
  }

  onUserMessageCallback(context: InvocationContext, message: Content): Answer<Content> {
    this.calls.push({ hook: "onUserMessageCallback", content: message });
    return this.#answers.onUserMessageCallback?.(context, message);
  }

  beforeRunCallback(context: InvocationContext): Answer<Content> {
    this.calls.push({ hook: "beforeRunCallback" });
    return this.#answers.beforeRunCallback?.(context);
  }

  onEventCallback(context: InvocationContext, event: Event): Answer<Event> {
    this.calls.push({
      hook: "onEventCallback",
      agent: event.author,
      content: event.content,
    });
    return this.#answers.onEventCallback?.(context, event);
  }

  afterRunCallback(context: InvocationContext, outcome: RunOutcome): Awaitable<void> {
    this.calls.push({ hook: "afterRunCallback" });
    return this.#answers.afterRunCallback?.(context, outcome);
  }

  onRunErrorCallback(context: InvocationContext, error: Error): Awaitable<void> {
    this.calls.push({ hook: "onRunErrorCallback", error: error.message });
    return this.#answers.onRunErrorCallback?.(context, error);
  }

  beforeAgentCallback(agent: BaseAgent, context: CallbackContext): Answer<Content> {
    this.calls.push({ hook: "beforeAgentCallback", agent: agent.name });
    return this.#answers.beforeAgentCallback?.(agent, context);
  }

  afterAgentCallback(agent: BaseAgent, context: CallbackContext): Answer<Content> {
    this.calls.push({ hook: "afterAgentCallback", agent: agent.name });
    return this.#answers.afterAgentCallback?.(agent, context);
  }

  beforeModelCallback(context: CallbackContext, request: ToolLlmRequest): Answer<LlmResponse> {
    this.calls.push({ hook: "beforeModelCallback", agent: agentOf(context) });
    return this.#answers.beforeModelCallback?.(context, request);
  }

  afterModelCallback(context: CallbackContext, response: LlmResponse): Answer<LlmResponse> {
    this.calls.push({
      hook: "afterModelCallback",
      agent: agentOf(context),
      content: response.content,
    });
    return this.#answers.afterModelCallback?.(context, response);
  }

  onModelErrorCallback(context: CallbackContext, request: ToolLlmRequest, error: Error): Answer<LlmResponse> {
    this.calls.push({ hook: "onModelErrorCallback", agent: agentOf(context), error: error.message });
    return this.#answers.onModelErrorCallback?.(context, request, error);
  }

  beforeToolCallback(tool: BaseTool, args: Record<string, JsonValue>, context: ToolContext): Answer<JsonObject> {
    this.calls.push({
      hook: "beforeToolCallback",
      agent: agentOf(context),
      tool: tool.name,
      args: structuredClone(args),
    });
    return this.#answers.beforeToolCallback?.(tool, args, context);
  }

  afterToolCallback(tool: BaseTool, args: JsonObject, context: ToolContext, result: JsonObject): Answer<JsonObject> {
    this.calls.push({ hook: "afterToolCallback", agent: agentOf(context), tool: tool.name, args, result });
    return this.#answers.afterToolCallback?.(tool, args, context, result);
  }

  onToolErrorCallback(tool: BaseTool, args: JsonObject, context: ToolContext, error: Error): Answer<JsonObject> {
    this.calls.push({
      hook: "onToolErrorCallback",
      agent: agentOf(context),
      tool: tool.name,
      args,
      error: error.message,
    });
    return this.#answers.onToolErrorCallback?.(tool, args, context, error);
  }

  close(): Awaitable<void> {
    this.calls.push({ hook: "close" });
    return this.#answers.close?.();
  }
}

function agentOf(context: CallbackContext): string {
  return context.invocationContext.agent.name;
}
