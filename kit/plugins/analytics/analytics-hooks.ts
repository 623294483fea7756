import type { BaseTool } from "#kit/core/base-tool.ts";
import type { InvocationContext, RunnableAgent } from "#kit/core/context/invocation-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { type Event, finalResponse, functionCalls, functionResponses } from "#kit/events/event.ts";
import { CONFIRMATION_CALL, CREDENTIAL_CALL, INPUT_CALL } from "#kit/events/reserved-calls.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { ANALYTICS_EVENTS, type AnalyticsEvent } from "./analytics-row.ts";
import { ofMessage, ofRequest, ofResponse, plain } from "./row-content.ts";
import type { RowDetails, RowRecorder, RowScope } from "./row-recorder.ts";

type Question = "CREDENTIAL" | "CONFIRMATION" | "INPUT";

/** The calls of the framework that ask the user. */
const QUESTIONS: ReadonlyMap<string, Question> = new Map([
  [CREDENTIAL_CALL, "CREDENTIAL"],
  [CONFIRMATION_CALL, "CONFIRMATION"],
  [INPUT_CALL, "INPUT"],
]);

const ANSWERS = ANALYTICS_EVENTS.filter((event) => event.startsWith("HITL") && event.endsWith("COMPLETED"));
const ASKED = ANALYTICS_EVENTS.filter((event) => event.startsWith("HITL"));

type Hooks = Required<
  Omit<Plugin, "name" | "isObserver" | "closeTimeoutMs" | "close" | "onRunErrorCallback" | "afterRunCallback">
>;

/** The rows that each hook records. */
const EVENTS_OF: Readonly<Record<keyof Hooks, readonly AnalyticsEvent[]>> = {
  onUserMessageCallback: ["USER_MESSAGE_RECEIVED", ...ANSWERS],
  beforeRunCallback: ["INVOCATION_STARTING"],
  onEventCallback: ["STATE_DELTA", "A2A_INTERACTION", "AGENT_RESPONSE", "TOOL_PAUSED", ...ASKED],
  beforeAgentCallback: ["AGENT_STARTING"],
  afterAgentCallback: ["AGENT_COMPLETED"],
  beforeModelCallback: ["LLM_REQUEST"],
  afterModelCallback: ["LLM_RESPONSE"],
  onModelErrorCallback: ["LLM_ERROR"],
  beforeToolCallback: ["TOOL_STARTING"],
  afterToolCallback: ["TOOL_COMPLETED"],
  onToolErrorCallback: ["TOOL_ERROR"],
};

/** The hooks of a plugin that record rows. Those that would record none are left out: they cost nothing then. */
export function analyticsHooks(recorder: RowRecorder): Partial<Hooks> {
  const hooks: Hooks = {
    onUserMessageCallback: (context, message) => {
      recorder.record("USER_MESSAGE_RECEIVED", ofRun(context), () => ({ content: ofMessage(message) }));
      recordAnswers(recorder, context, { content: message });
    },
    beforeRunCallback: (context) => recorder.record("INVOCATION_STARTING", ofRun(context), () => ({ withState: true })),
    onEventCallback: (context, event) => recordEvent(recorder, context, event),
    beforeAgentCallback: (agent, context) =>
      recorder.record("AGENT_STARTING", context, () => ({ content: plain({ text_summary: instructionOf(agent) }) })),
    afterAgentCallback: (_agent, context) =>
      recorder.record("AGENT_COMPLETED", context, () => ({ totalMs: context.span.elapsedMs })),
    beforeModelCallback: (context, request) =>
      recorder.record("LLM_REQUEST", context, () => ({
        content: ofRequest(request),
        attributes: { model: request.model, ...configAttributes(request.config), tools: [...request.tools.keys()] },
      })),
    afterModelCallback: (context, response) =>
      recorder.record("LLM_RESPONSE", context, () => {
        const { modelVersion, usageMetadata, cacheMetadata, errorCode, errorMessage = errorCode } = response;
        const first = context.span.get("gen_ai.response.time_to_first_chunk");
        return {
          content: ofResponse(response),
          totalMs: context.span.elapsedMs,
          firstMs: typeof first === "number" ? first * 1000 : undefined,
          error: errorCode === undefined ? undefined : errorMessage,
          attributes: {
            model_version: modelVersion,
            usage_metadata: usageMetadata && snakeKeys(usageMetadata),
            cache_metadata: cacheMetadata && snakeKeys({ ...cacheMetadata }),
          },
        };
      }),
    onModelErrorCallback: (context, { model }, error) =>
      recorder.record("LLM_ERROR", context, () => ({ ...failure(context, error), attributes: { model } })),
    beforeToolCallback: (tool, args, context) =>
      recorder.record("TOOL_STARTING", context, () => ofTool(tool, context, { args })),
    afterToolCallback: (tool, _args, context, result) =>
      recorder.record("TOOL_COMPLETED", context, () => ({
        ...ofTool(tool, context, { result }),
        totalMs: context.span.elapsedMs,
      })),
    onToolErrorCallback: (tool, args, context, error) =>
      recorder.record("TOOL_ERROR", context, () => ({
        ...ofTool(tool, context, { args }),
        ...failure(context, error),
      })),
  };
  // The type of Object.keys is wider than the table's names.
  const unwanted = (Object.keys(EVENTS_OF) as (keyof Hooks)[]).filter(
    (hook) => !EVENTS_OF[hook].some((event) => recorder.wants(event)),
  );
  const wanted: Partial<Hooks> = hooks;
  for (const hook of unwanted) delete wanted[hook];
  return wanted;
}

/** The scope of rows about the run itself. */
export function ofRun(context: InvocationContext): RowScope {
  return { invocationContext: context, agentName: context.agent.name, span: context.span };
}

function recordEvent(recorder: RowRecorder, context: InvocationContext, event: Event): undefined {
  const { author, actions, customMetadata, longRunningToolIds = [] } = event;
  const scope = { ...ofRun(context), agentName: author };
  const { stateDelta } = actions;
  for (const _ in stateDelta) {
    recorder.record("STATE_DELTA", scope, () => ({ attributes: { state_delta: stateDelta } }));
    break;
  }
  if (longRunningToolIds.length > 0) recordPauses(recorder, scope, event);
  recordAnswers(recorder, context, event);
  if (isJsonObject(customMetadata)) recordPeer(recorder, scope, customMetadata);
  if (isAnswer(event))
    recorder.record("AGENT_RESPONSE", scope, () => ({
      content: ofMessage(event.content ?? {}),
      attributes: { source_event_id: event.id, source_event_author: author, source_event_branch: event.branch },
    }));
}

/** Whether the event is an agent's answer in words: complete, and without calls and their responses. */
function isAnswer(event: Event): boolean {
  const { content, longRunningToolIds = [], partial } = event;
  if (partial === true || content === undefined || longRunningToolIds.length > 0) return false;
  return finalResponse(event) && functionCalls(event).length === 0 && functionResponses(event).length === 0;
}

function recordPauses(recorder: RowRecorder, scope: RowScope, event: Event): void {
  for (const { id, name = "", args } of functionCalls(event)) {
    if (id === undefined || event.longRunningToolIds?.includes(id) !== true) continue;
    const question = QUESTIONS.get(name);
    const details = (): RowDetails => ({
      content: plain({ tool: name, args }),
      attributes: {
        pause_kind: question === undefined ? "tool" : `hitl_${question.toLowerCase()}`,
        function_call_id: id,
      },
    });
    if (question !== undefined) recorder.record(`HITL_${question}_REQUEST`, scope, details);
    recorder.record("TOOL_PAUSED", scope, details);
  }
}

/** The user's answers to questions of the framework. */
function recordAnswers(recorder: RowRecorder, context: InvocationContext, event: Pick<Event, "content">): void {
  for (const { id, name = "", response } of functionResponses(event)) {
    const question = QUESTIONS.get(name);
    if (question === undefined) continue;
    recorder.record(`HITL_${question}_REQUEST_COMPLETED`, ofRun(context), () => ({
      content: plain({ tool: name, result: response }),
      attributes: { function_call_id: id },
    }));
  }
}

/** Records the exchange with an agent of another server. */
function recordPeer(recorder: RowRecorder, scope: RowScope, metadata: JsonObject): void {
  const own = Object.entries(metadata).filter(([key]) => key.startsWith("a2a:"));
  if (own.length === 0) return;
  recorder.record("A2A_INTERACTION", scope, () => ({
    content: plain(metadata["a2a:response"]),
    attributes: { a2a_metadata: Object.fromEntries(own) },
  }));
}

function ofTool(tool: BaseTool, { functionCallId }: ToolContext, data: Readonly<Record<string, unknown>>): RowDetails {
  return {
    content: plain({ tool: tool.name, ...data, tool_origin: tool.toolOrigin }),
    attributes: { function_call_id: functionCallId },
  };
}

function failure({ span }: RowScope, error: Error): RowDetails {
  return { totalMs: span.elapsedMs, error: error.message };
}

/** Instructions that are computed are not recorded: computing them can have effects. */
function instructionOf(agent: RunnableAgent): string {
  if (!isLlmAgent(agent)) return "";
  const { instruction } = agent;
  return instruction?.kind === "static" ? instruction.text : "";
}

const RECORDED_CONFIG = [
  "temperature",
  "topP",
  "topK",
  "candidateCount",
  "maxOutputTokens",
  "stopSequences",
  "presencePenalty",
  "frequencyPenalty",
  "responseMimeType",
  "responseSchema",
  "seed",
] as const;
const CONFIG_COLUMNS = RECORDED_CONFIG.map((name) => [name, toSnakeCase(name)] as const);

function configAttributes(config: GenerateContentConfig): Readonly<Record<string, unknown>> {
  let recorded: Record<string, unknown> | undefined;
  for (const [name, column] of CONFIG_COLUMNS) {
    const value = config[name];
    if (value !== undefined) (recorded ??= {})[column] = value;
  }
  return { llm_config: recorded, labels: config.labels };
}

function snakeKeys(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [toSnakeCase(key), value]));
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
