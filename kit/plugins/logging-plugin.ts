import type { BaseTool, ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext, RunnableAgent } from "#kit/core/context/invocation-context.ts";
import type { RunOutcome } from "#kit/core/context/run-outcome.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import type { Content } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import type { JsonObject } from "../platform/json.ts";
import type { LogFields } from "../platform/logger.ts";

const MAX_CONTENT_CHARACTERS = 200;

/** Options of a `LoggingPlugin`. */
export interface LoggingPluginOptions {
  /** The plugin's name; `logging` by default. */
  readonly name?: string;
  /** Log contents, and arguments and results of tools, each cut at 200 characters. False: log ids and names only. */
  readonly content?: boolean;
}

/** Writes a line for each step of a run to the runner's logger. For the development of agents. */
export class LoggingPlugin implements Plugin {
  readonly name: string;
  readonly #content: boolean;

  /** Takes its options, or a name, as in ADK for JavaScript. */
  constructor(given: LoggingPluginOptions | string = {}) {
    const { name = "logging", content = false } = typeof given === "string" ? { name: given } : given;
    this.name = name;
    this.#content = content;
  }

  onUserMessageCallback(context: InvocationContext, message: Content): undefined {
    this.#log(context, "user message", this.#contentField("message", message));
  }

  beforeRunCallback(context: InvocationContext): undefined {
    this.#log(context, "run starts", { agentName: context.agent.name });
  }

  onEventCallback(context: InvocationContext, event: Event): undefined {
    if (event.partial === true) return;
    const { author, content, errorCode, id } = event;
    const error = errorCode === undefined ? {} : { errorCode };
    this.#log(context, "event", { eventId: id, author, ...error, ...this.#contentField("content", content) });
  }

  afterRunCallback(context: InvocationContext, { status, error }: RunOutcome): void {
    this.#log(context, "run ends", { status, reason: error?.reason });
  }

  onRunErrorCallback(context: InvocationContext, error: Error): void {
    this.#log(context, "run failed", { error });
  }

  beforeAgentCallback(agent: RunnableAgent, { invocationContext }: CallbackContext): undefined {
    this.#log(invocationContext, "agent starts", { agentName: agent.name });
  }

  afterAgentCallback(agent: RunnableAgent, { invocationContext }: CallbackContext): undefined {
    this.#log(invocationContext, "agent ends", { agentName: agent.name });
  }

  beforeModelCallback({ agentName, invocationContext }: CallbackContext, request: ToolLlmRequest): undefined {
    const { contents, model, tools } = request;
    this.#log(invocationContext, "model call", { agentName, model, contents: contents.length, tools: tools.size });
  }

  afterModelCallback({ agentName, invocationContext }: CallbackContext, response: LlmResponse): undefined {
    if (response.partial === true) return;
    const { content, errorCode, finishReason, usageMetadata } = response;
    this.#log(invocationContext, "model answer", {
      agentName,
      finishReason,
      errorCode,
      totalTokens: usageMetadata?.totalTokenCount,
      ...this.#contentField("content", content),
    });
  }

  onModelErrorCallback(
    { agentName, invocationContext }: CallbackContext,
    request: ToolLlmRequest,
    error: Error,
  ): undefined {
    this.#log(invocationContext, "model failed", { agentName, model: request.model, error });
  }

  beforeToolCallback(tool: BaseTool, args: JsonObject, context: ToolContext): undefined {
    this.#log(context.invocationContext, "tool starts", {
      ...toolFields(tool, context),
      ...this.#contentField("args", args),
    });
  }

  afterToolCallback(tool: BaseTool, _args: JsonObject, context: ToolContext, result: JsonObject): undefined {
    this.#log(context.invocationContext, "tool ends", {
      ...toolFields(tool, context),
      ...this.#contentField("result", result),
    });
  }

  onToolErrorCallback(tool: BaseTool, _args: JsonObject, context: ToolContext, error: Error): undefined {
    this.#log(context.invocationContext, "tool failed", { ...toolFields(tool, context), error });
  }

  #log({ invocationId, services, session }: InvocationContext, message: string, fields: LogFields): void {
    services.logger.info({ sessionId: session.id, invocationId, ...fields }, message);
  }

  #contentField(field: string, value: unknown): LogFields {
    if (!this.#content || value === undefined) return {};
    const text = JSON.stringify(value);
    return { [field]: text.length > MAX_CONTENT_CHARACTERS ? `${text.slice(0, MAX_CONTENT_CHARACTERS)}…` : text };
  }
}

function toolFields(tool: BaseTool, context: ToolContext): LogFields {
  return { agentName: context.agentName, tool: tool.name, callId: context.functionCallId };
}
