import { PlatformError } from "../errors/platform-error.ts";
import type { FunctionCall, FunctionResponse } from "../events/content.ts";
import type { MutableEventActions } from "../events/event-actions.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../platform/json.ts";
import { firstAnswer } from "../plugins/compose.ts";
import { CONTENT_WITHHELD } from "../telemetry/model-attributes.ts";
import { BaseTool } from "../tools/base-tool.ts";
import { ToolContext } from "../tools/tool-context.ts";
import type { StepContext } from "./step-context.ts";

export interface ToolOutcome {
  /** Undefined when the tool is long-running and has nothing to say yet. */
  readonly response: FunctionResponse | undefined;
  readonly actions: MutableEventActions;
}

/**
 * Runs one call: callbacks before, the tool, callbacks on failure, callbacks after. Whatever goes wrong, the call gets an answer.
 * `eventId` is the id of the event that will carry it.
 */
export async function callTool(step: StepContext, call: FunctionCall, eventId: string): Promise<ToolOutcome> {
  const { context, request } = step;
  const name = call.name ?? "";
  const tool = request.tools.get(name) ?? new UnknownTool(name, [...request.tools.keys()]);
  const toolContext = new ToolContext(context, { functionCallId: call.id });
  const args: Record<string, JsonValue> = structuredClone({ ...call.args });
  const span = context.span.child(`execute_tool ${name}`, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.description": tool.description,
    "gen_ai.tool.type": tool.constructor.name,
    "gen_ai.tool.call.id": call.id ?? "",
    "gen_ai.conversation.id": context.session.id,
    "gcp.vertex.agent.event_id": eventId,
    "gcp.vertex.agent.tool_call_args": context.services.captureContent ? JSON.stringify(args) : CONTENT_WITHHELD,
  });
  try {
    const result = await answer({ step, tool, toolContext, args });
    if (context.services.captureContent) span.set("gcp.vertex.agent.tool_response", JSON.stringify(result ?? null));
    const response =
      result === undefined ? undefined : { ...(call.id !== undefined && { id: call.id }), name, response: result };
    return { response, actions: toolContext.actions };
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

interface ToolCall {
  readonly step: StepContext;
  readonly tool: BaseTool;
  readonly toolContext: ToolContext;
  readonly args: Record<string, JsonValue>;
}

async function answer(call: ToolCall): Promise<JsonObject | undefined> {
  const { step, tool, toolContext } = call;
  let result = await beforeTool(call);
  if (result === undefined) {
    try {
      const raw = await tool.runAsync(call.args, toolContext);
      if (tool.isLongRunning && (raw === undefined || raw === null)) return undefined;
      result = toResponse(raw);
    } catch (error) {
      if (step.context.signal.aborted) throw step.context.signal.reason;
      const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
      result = (await onToolError(call, thrown)) ?? errorResponse(step, tool, thrown);
    }
  }
  return (await afterTool(call, result)) ?? result;
}

/** What a tool gave, as a JSON object: anything else under `result`, and what JSON cannot hold as an error. */
function toResponse(raw: unknown): JsonObject {
  const json = JSON.stringify(raw ?? null);
  const plain: JsonValue = json === undefined ? null : JSON.parse(json);
  return isJsonObject(plain) ? plain : { result: plain };
}

function errorResponse(step: StepContext, tool: BaseTool, error: Error): JsonObject {
  const { logger } = step.context.services;
  if (!(tool instanceof UnknownTool)) {
    logger.warn(
      { tool: tool.name, agentName: step.agent.name, sessionId: step.context.session.id, error },
      "tool failed",
    );
  }
  return { error: error.message };
}

async function beforeTool({ step, tool, toolContext, args }: ToolCall): Promise<JsonObject | undefined> {
  const { agent, context } = step;
  const plugins = context.pluginManager.links("beforeToolCallback");
  const own = agent.beforeToolCallbacks.map((call) => ({ owner: owner(step), call }));
  return (
    (await firstAnswer("beforeToolCallback", plugins, tool, args, toolContext)) ??
    (await firstAnswer("beforeToolCallback", own, context, tool, args, toolContext))
  );
}

async function afterTool(
  { step, tool, toolContext, args }: ToolCall,
  result: JsonObject,
): Promise<JsonObject | undefined> {
  const { agent, context } = step;
  const plugins = context.pluginManager.links("afterToolCallback");
  const own = agent.afterToolCallbacks.map((call) => ({ owner: owner(step), call }));
  return (
    (await firstAnswer("afterToolCallback", plugins, tool, args, toolContext, result)) ??
    (await firstAnswer("afterToolCallback", own, context, tool, args, toolContext, result))
  );
}

async function onToolError({ step, tool, toolContext, args }: ToolCall, error: Error): Promise<JsonObject | undefined> {
  const { agent, context } = step;
  const plugins = context.pluginManager.links("onToolErrorCallback");
  const own = agent.onToolErrorCallbacks.map((call) => ({ owner: owner(step), call }));
  return (
    (await firstAnswer("onToolErrorCallback", plugins, tool, args, toolContext, error)) ??
    (await firstAnswer("onToolErrorCallback", own, context, tool, args, toolContext, error))
  );
}

function owner({ agent }: StepContext): string {
  return `Agent "${agent.name}"`;
}

/** Stands in for a tool that the model made up: it fails in a way that tells the model what there is. */
class UnknownTool extends BaseTool {
  readonly #known: readonly string[];

  constructor(name: string, known: readonly string[]) {
    super({ name, description: "" });
    this.#known = known;
  }

  override async runAsync(): Promise<unknown> {
    const list = this.#known.length === 0 ? "There are no tools." : `Tools are: ${this.#known.join(", ")}.`;
    throw new PlatformError("TOOL_NOT_FOUND", `There is no tool named "${this.name}". ${list}`);
  }
}
