// The exports of `fairlead/adk`, for projects that import `@google/adk`: the entries of the package that have what ADK exports, and
// ADK's names for what has another name there.

export type { ArtifactKey, ArtifactVersion, SaveArtifactRequest } from "#kit/artifacts/artifact-service.ts";
export {
  createEventsCompactionConfig,
  hasSlidingWindowCompactionConfig,
} from "#kit/compaction/events-compaction-config.ts";
export { createApp } from "#kit/core/app.ts";
export type { BaseToolOptions as BaseToolParams } from "#kit/core/base-tool.ts";
export { isToolSelected } from "#kit/core/base-toolset.ts";
export type {
  AfterModelCallback as SingleAfterModelCallback,
  AfterToolCallback as SingleAfterToolCallback,
  BeforeAgentCallback as SingleAgentCallback,
  BeforeModelCallback as SingleBeforeModelCallback,
  BeforeToolCallback as SingleBeforeToolCallback,
} from "#kit/core/callbacks.ts";
export { CallbackContext as Context } from "#kit/core/context/callback-context.ts";
export { createRunConfig } from "#kit/core/context/run-config.ts";
export type { RemoteA2AAgentConfig } from "#kit/definitions/yaml/agent-config.ts";
export {
  functionCalls as getFunctionCalls,
  functionResponses as getFunctionResponses,
  hasTrailingCodeExecutionResult,
} from "#kit/events/event.ts";
export {
  CONFIRMATION_CALL as REQUEST_CONFIRMATION_FUNCTION_CALL_NAME,
  CREDENTIAL_CALL as REQUEST_CREDENTIAL_FUNCTION_CALL_NAME,
  INPUT_CALL as REQUEST_INPUT_FUNCTION_CALL_NAME,
} from "#kit/events/reserved-calls.ts";
export { createContextCacheConfig, getTtlString } from "#kit/models/context-cache-config.ts";
export type { RunnerOptions as RunnerConfig } from "#kit/runs/base/runner-options.ts";
export type { CreateSessionRequest, GetSessionConfig, ListSessionsResponse } from "#kit/sessions/session-service.ts";
export type { AgentToolOptions as AgentToolConfig } from "#kit/tools/agent-tool.ts";
export type { FunctionToolOptions as ToolOptions } from "#kit/tools/function-tool.ts";
export { McpToolset as McpAsyncToolset } from "#kit/tools/mcp/mcp-toolset.ts";
export * from "../a2a/index.ts";
export * from "../index.ts";
export * from "../models/index.ts";
export * from "../plugins/index.ts";
export * from "../tools/index.ts";
export { type CreateEventParams, createEvent, createResumabilityConfig, createSession } from "./create.ts";
export { hasThoughts, isFinalResponse, pruneThoughts, stringifyContent } from "./event-readers.ts";
export {
  isAgentTool,
  isApp,
  isBaseAgent,
  isBaseTool,
  isBaseToolset,
  isFunctionTool,
  isLlmAgent,
  isLoopAgent,
  isParallelAgent,
  isRunner,
  isSequentialAgent,
} from "./guards.ts";
export { InMemoryRunner, type InMemoryRunnerOptions } from "./in-memory-runner.ts";
export { type AnySessionKey, type CompositeSessionKey, InMemorySessionService } from "./in-memory-session-service.ts";
export {
  ENTERPRISE_WEB_SEARCH,
  EXIT_LOOP,
  GOOGLE_MAPS_GROUNDING,
  GOOGLE_SEARCH,
  LOAD_ARTIFACTS,
  LOAD_MEMORY,
  PRELOAD_MEMORY,
  URL_CONTEXT,
} from "./shared-tools.ts";
