// The exports of `fairlead/kit`: what most agents are made of. The others of the package are beside it: `fairlead/models`, `tools`,
// `planners`, `plugins`, `a2a`, `definitions`, `evaluation`, `stores`, `server`, `client`, and `adk` with the names of `@google/adk`.

// Agents and apps.

export { LoopAgent, type LoopAgentOptions } from "./agents/loop-agent.ts";
export { ParallelAgent } from "./agents/parallel-agent.ts";
export { SequentialAgent } from "./agents/sequential-agent.ts";
export { App, type AppOptions, type AppSchedule, type OnDisconnect, type ResumabilityConfig } from "./core/app.ts";
export type { AppInbox } from "./core/app-settings/app-inbox.ts";
export type { AppWebhook } from "./core/app-settings/app-webhooks.ts";
export { AgentOrigin, BaseAgent, type BaseAgentOptions } from "./core/base-agent.ts";
export type { BasePlanner, ChunkReader } from "./core/base-planner.ts";
export type {
  AfterAgentCallback,
  AfterModelCallback,
  AfterToolCallback,
  BeforeAgentCallback,
  BeforeModelCallback,
  BeforeToolCallback,
  ModelRequestContext,
  ModelResponseContext,
  OnModelErrorCallback,
  OnToolErrorCallback,
  ToolCallInvocation,
  ToolResultInvocation,
} from "./core/callbacks.ts";
export { type Instruction, type InstructionProvider, InstructionTemplates } from "./core/instruction.ts";
export type { LlmAgentOptions } from "./llm-agent/base/base-llm-agent.ts";
export { IncludeContents } from "./llm-agent/base/include-contents.ts";
export { LlmAgent, LlmAgent as Agent } from "./llm-agent/llm-agent.ts";
export { BuiltInPlanner } from "./llm-agent/planners/built-in-planner.ts";
export { PlanReActPlanner } from "./llm-agent/planners/plan-re-act-planner.ts";
export { TransferToAgentTool } from "./llm-agent/transfer/transfer-to-agent-tool.ts";

// Tools.

export { BaseTool, type BaseToolOptions, type RequireConfirmation, type Toolset } from "./core/base-tool.ts";
export { BaseToolset, type ToolFilter, type ToolPredicate, type ToolsetOptions } from "./core/base-toolset.ts";
export { ModelTool, type ModelToolOptions } from "./core/model-tool.ts";
export {
  McpSessionInitializationError,
  McpToolDeclarationError,
  McpToolError,
  McpToolLoadingError,
} from "./errors/mcp-errors.ts";
export { AgentTool, AgentToolArtifacts, type AgentToolOptions, AgentToolState } from "./tools/agent-tool.ts";
export {
  AuthenticatedFunctionTool,
  type AuthenticatedFunctionToolOptions,
} from "./tools/authenticated-function-tool.ts";
export { ExampleTool } from "./tools/example-tool.ts";
export { ExitLoopTool } from "./tools/exit-loop-tool.ts";
export type { BaseExampleProvider, Example } from "./tools/format-examples.ts";
export { FunctionTool, type FunctionToolOptions, LongRunningFunctionTool } from "./tools/function-tool.ts";
export { LoadArtifactsTool } from "./tools/load-artifacts-tool.ts";
export { type LoadMemoryResponse, LoadMemoryTool } from "./tools/load-memory-tool.ts";
export type {
  McpConnectionParams,
  McpHeaders,
  SseConnectionParams,
  StdioConnectionParams,
  StreamableHttpConnectionParams,
} from "./tools/mcp/connection-params.ts";
export type { McpElicitationCallback, McpQuestion } from "./tools/mcp/mcp-question.ts";
export {
  type McpHeaderProvider,
  type McpPrompt,
  type McpResource,
  McpToolset,
  type McpToolsetOptions,
} from "./tools/mcp/mcp-toolset.ts";
export { GoogleSearchTool } from "./tools/model-tools/gemini-tools.ts";
export { OpenApiToolset, type OpenApiToolsetOptions } from "./tools/openapi/open-api-toolset.ts";
export { PreloadMemoryTool } from "./tools/preload-memory-tool.ts";
export { type ToolSettings, tool } from "./tools/tool.ts";

// Models, and code that models write.

export { BaseCodeExecutor } from "./code-executors/base-code-executor.ts";
export { BuiltInCodeExecutor } from "./code-executors/built-in-code-executor.ts";
export type { BaseLlm, GenerateOptions } from "./models/base-llm.ts";
export type { ContextCacheConfig } from "./models/context-cache-config.ts";
export { Gemini } from "./models/gemini/gemini.ts";
export { type FunctionDeclaration, type GenerateContentConfig, LlmRequest } from "./models/llm-request.ts";
export type { LlmResponse } from "./models/llm-response.ts";

// Plugins. The kit's own are in `fairlead/plugins`.

export { BasePlugin } from "./core/base-plugin.ts";
export type { Plugin } from "./core/plugin.ts";
export { PluginManager } from "./core/plugin-manager.ts";

// Runs and their contexts.

export { createEventCompactor, type EventCompactor, type EventCompactorOptions } from "./compaction/event-compactor.ts";
export type { EventSummarizer, EventSummary, SummaryRequest } from "./compaction/event-summarizer.ts";
export type { EventsCompactionConfig } from "./compaction/events-compaction-config.ts";
export { LlmEventSummarizer, type LlmEventSummarizerOptions } from "./compaction/llm-event-summarizer.ts";
export { CallbackContext } from "./core/context/callback-context.ts";
export { InvocationContext } from "./core/context/invocation-context.ts";
export type { LiveRequest } from "./core/context/live-request.ts";
export { LiveRequestQueue } from "./core/context/live-request-queue.ts";
export type { PastTurn } from "./core/context/past-turn.ts";
export { ReadonlyContext } from "./core/context/readonly-context.ts";
export { type RunConfig, StreamingMode, ToolExecutionMode } from "./core/context/run-config.ts";
export type { RunOutcome } from "./core/context/run-outcome.ts";
export { ToolContext } from "./core/context/tool-context.ts";
export { ToolResult } from "./core/context/tool-result.ts";
export { ConcurrencyLimit, type Executor } from "./core/executor.ts";
export type {
  MessageInput,
  RewindRequest,
  RunAsyncRequest,
  RunEphemeralRequest,
  RunLiveRequest,
  RunnerOptions,
} from "./runs/base/runner-options.ts";
export { Runner } from "./runs/runner.ts";

// Sessions, artifacts, memory and credentials.

export { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
export { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
export { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
export { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
export type { ArtifactService } from "./artifacts/artifact-service.ts";
export type { AuthConfig } from "./credentials/auth-config.ts";
export type { AuthCredential } from "./credentials/auth-credential.ts";
export type { AuthScheme } from "./credentials/auth-scheme.ts";
export type { CredentialService } from "./credentials/credential-service.ts";
export { SessionAlreadyExistsError, SessionError, SessionNotFoundError } from "./errors/session-errors.ts";
export { APP_PREFIX, TEMP_PREFIX, USER_PREFIX } from "./events/state-prefixes.ts";
export type { Embedder } from "./memory/embedder.ts";
export type { MemoryEntry, MemoryService, SearchMemoryResponse } from "./memory/memory-service.ts";
export { ReadonlyState } from "./sessions/readonly-state.ts";
export type { Session, SessionKey } from "./sessions/session.ts";
export type { SessionService } from "./sessions/session-service.ts";
export { State } from "./sessions/state.ts";

// Events and their content.

export type * from "./events/content.ts";
export { modelContent, textOf, userContent } from "./events/content.ts";
export { type Event, finalResponse, functionCalls, functionResponses, type Resumption } from "./events/event.ts";
export {
  createEventActions,
  type EventActions,
  type EventCompaction,
  type ToolConfirmation,
  type ToolInput,
  type ToolInputRequest,
} from "./events/event-actions.ts";

// Errors.

export {
  ConfigurationException,
  GenAiFieldMissingException,
  LlmCallLimitExceededError,
  MessageConversionException,
  TokenBudgetExceededError,
} from "./errors/kit-errors.ts";
export { PlatformError, type PlatformErrorOptions } from "./errors/platform-error.ts";

// What the kit stands on.

export {
  createOutboundAccess,
  type OutboundAccess,
  type OutboundAccessOptions,
} from "./outbound-http/outbound-access.ts";
export { type Clock, systemClock } from "./platform/clock.ts";
export { type IdGenerator, UuidV7Generator } from "./platform/id-generator.ts";
export type { JsonObject, JsonValue } from "./platform/json.ts";
export type { Logger } from "./platform/logger.ts";
export { GEN_AI_METRICS, type GenAiMetric, type MetricObserver, observeSpans } from "./telemetry/gen-ai-metrics.ts";
export { Version } from "./version.ts";
