export { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
export { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
export { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
export { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
export { EventConverter } from "./a2a/conversion/event-converter.ts";
export {
  A2ADataPartMetadataType,
  A2AMetadata,
  A2AMetadataKey,
  AdkMetadataKey,
} from "./a2a/conversion/metadata-keys.ts";
export { PartConverter } from "./a2a/conversion/part-converter.ts";
export {
  type AfterEventCallback,
  type AfterExecuteCallback,
  AgentExecutor,
  type AgentExecutorConfig,
  type AgentExecutorOptions,
  type BeforeExecuteCallback,
  type EventQueue,
} from "./a2a/executor/agent-executor.ts";
export { OutputMode } from "./a2a/executor/run-updates.ts";
export type { A2AClient, AgentCardSource } from "./a2a/remote/peer-client.ts";
export { RemoteA2AAgent, type RemoteA2AAgentOptions } from "./a2a/remote/remote-a2a-agent.ts";
export { type CreateEventParams, createEvent, createResumabilityConfig, createSession } from "./adk/create.ts";
export { hasThoughts, isFinalResponse, pruneThoughts, stringifyContent } from "./adk/event-readers.ts";
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
} from "./adk/guards.ts";
export { InMemoryRunner, type InMemoryRunnerOptions } from "./adk/in-memory-runner.ts";
export {
  type AnySessionKey,
  type CompositeSessionKey,
  InMemorySessionService,
} from "./adk/in-memory-session-service.ts";
export {
  ENTERPRISE_WEB_SEARCH,
  EXIT_LOOP,
  GOOGLE_MAPS_GROUNDING,
  GOOGLE_SEARCH,
  LOAD_ARTIFACTS,
  LOAD_MEMORY,
  PRELOAD_MEMORY,
  URL_CONTEXT,
} from "./adk/shared-tools.ts";
export { LoopAgent, type LoopAgentOptions } from "./agents/loop-agent.ts";
export { ParallelAgent } from "./agents/parallel-agent.ts";
export { SequentialAgent } from "./agents/sequential-agent.ts";
export type {
  ArtifactKey,
  ArtifactService,
  ArtifactVersion,
  ListArtifactsResponse,
  ListArtifactVersionsResponse,
  SaveArtifactRequest,
} from "./artifacts/artifact-service.ts";
export { BaseCodeExecutor, type CodeExecutorOptions } from "./code-executors/base-code-executor.ts";
export { BuiltInCodeExecutor } from "./code-executors/built-in-code-executor.ts";
export { ContainerCodeExecutor, type ContainerCodeExecutorOptions } from "./code-executors/container-code-executor.ts";
export { GVisorCodeExecutor } from "./code-executors/gvisor-code-executor.ts";
export {
  UnsafeLocalCodeExecutor,
  type UnsafeLocalCodeExecutorOptions,
} from "./code-executors/unsafe-local-code-executor.ts";
export { createEventCompactor, type EventCompactor, type EventCompactorOptions } from "./compaction/event-compactor.ts";
export type { EventSummarizer, EventSummary, SummaryRequest } from "./compaction/event-summarizer.ts";
export {
  createEventsCompactionConfig,
  type EventsCompactionConfig,
  hasSlidingWindowCompactionConfig,
} from "./compaction/events-compaction-config.ts";
export { LlmEventSummarizer, type LlmEventSummarizerOptions } from "./compaction/llm-event-summarizer.ts";
export { App, type AppOptions, createApp, type OnDisconnect, type ResumabilityConfig } from "./core/app.ts";
export { AgentOrigin, BaseAgent, type BaseAgentOptions } from "./core/base-agent.ts";
export type { BasePlanner, ChunkReader } from "./core/base-planner.ts";
export { BasePlugin } from "./core/base-plugin.ts";
export {
  BaseTool,
  type BaseToolOptions,
  type BaseToolOptions as BaseToolParams,
  type RequireConfirmation,
  type Toolset,
} from "./core/base-tool.ts";
export {
  BaseToolset,
  isToolSelected,
  type ToolFilter,
  type ToolPredicate,
  type ToolsetOptions,
} from "./core/base-toolset.ts";
export type {
  AfterAgentCallback,
  AfterModelCallback,
  AfterModelCallback as SingleAfterModelCallback,
  AfterToolCallback,
  AfterToolCallback as SingleAfterToolCallback,
  BeforeAgentCallback,
  BeforeAgentCallback as SingleAgentCallback,
  BeforeModelCallback,
  BeforeModelCallback as SingleBeforeModelCallback,
  BeforeToolCallback,
  BeforeToolCallback as SingleBeforeToolCallback,
  ModelRequestContext,
  ModelResponseContext,
  OnModelErrorCallback,
  OnToolErrorCallback,
  ToolCallInvocation,
  ToolResultInvocation,
} from "./core/callbacks.ts";
export type {
  BlockCodeExecutor,
  CodeExecutionInput,
  // `CodeExecutionResult` also names a part of a message, so the executor's type is exported under this name.
  CodeExecutionResult as CodeExecutorResult,
  CodeExecutor,
  ExecutionScope,
  File as CodeExecutionFile,
  ModelCodeExecutor,
} from "./core/code-executor.ts";
export { CallbackContext, CallbackContext as Context } from "./core/context/callback-context.ts";
export { InvocationContext } from "./core/context/invocation-context.ts";
export { type LiveRequest, liveRequestFromJson } from "./core/context/live-request.ts";
export { LiveRequestQueue } from "./core/context/live-request-queue.ts";
export type { PastTurn } from "./core/context/past-turn.ts";
export { ReadonlyContext } from "./core/context/readonly-context.ts";
export { createRunConfig, type RunConfig, StreamingMode, ToolExecutionMode } from "./core/context/run-config.ts";
export type { RunOutcome } from "./core/context/run-outcome.ts";
export { ToolContext } from "./core/context/tool-context.ts";
export { ToolResult } from "./core/context/tool-result.ts";
export { ConcurrencyLimit, type Executor } from "./core/executor.ts";
export { type Instruction, type InstructionProvider, InstructionTemplates } from "./core/instruction.ts";
export { ModelTool, type ModelToolOptions } from "./core/model-tool.ts";
export type { Plugin } from "./core/plugin.ts";
export { PluginManager } from "./core/plugin-manager.ts";
export { type AppliedCredential, applyCredential } from "./credentials/apply-credential.ts";
export type { AuthConfig } from "./credentials/auth-config.ts";
export type { AuthCredential } from "./credentials/auth-credential.ts";
export type { AuthScheme } from "./credentials/auth-scheme.ts";
export { credentialKeyOf } from "./credentials/credential-key.ts";
export type { CredentialOwner, CredentialService, StoredCredential } from "./credentials/credential-service.ts";
export { CredentialManager } from "./credentials/manager/credential-manager.ts";
export type { AppConfig, EventsCompactionFields, PluginConfig } from "./definitions/app/app-config.ts";
export type { AgentLoader, LoadedApp } from "./definitions/loaders/agent-loader.ts";
export { type AgentLoadingProperties, CompiledAgentLoader } from "./definitions/loaders/compiled-agent-loader.ts";
export { ConfigAgentLoader } from "./definitions/loaders/config-agent-loader.ts";
export { DirectoryAgentLoader } from "./definitions/loaders/directory-agent-loader.ts";
export type { GivenAgentLoader } from "./definitions/loaders/given-agent-loader.ts";
export { StaticAgentLoader } from "./definitions/loaders/static-agent-loader.ts";
export { registerAdditionalComponents } from "./definitions/registry/additional-components.ts";
export {
  type AgentClass,
  type AgentParts,
  type Callback,
  ComponentRegistry,
  type PlannerClass,
  type PlannerParts,
  type PluginClass,
  type PluginParts,
  type ToolClass,
  type ToolParts,
  type ToolsetClass,
} from "./definitions/registry/component-registry.ts";
export { componentRegistry, registerCoreComponents } from "./definitions/registry/core-components.ts";
export type * from "./definitions/yaml/agent-config.ts";
export type { PlannerAgentConfig, PlannerConfig } from "./definitions/yaml/planner-config.ts";
export { ToolArgsConfig } from "./definitions/yaml/tool-args-config.ts";
export { A2AClientError, AgentCardResolutionError } from "./errors/a2a-errors.ts";
export {
  ConfigurationException,
  GenAiFieldMissingException,
  LlmCallLimitExceededError,
  MessageConversionException,
  TokenBudgetExceededError,
} from "./errors/kit-errors.ts";
export {
  McpSessionInitializationError,
  McpToolDeclarationError,
  McpToolError,
  McpToolLoadingError,
} from "./errors/mcp-errors.ts";
export { PlatformError, type PlatformErrorOptions } from "./errors/platform-error.ts";
export { ReplayConfigError, ReplayVerificationError } from "./errors/replay-errors.ts";
export { SessionAlreadyExistsError, SessionError, SessionNotFoundError } from "./errors/session-errors.ts";
export * from "./evaluation/index.ts";
export type { CacheMetadata } from "./events/cache-metadata.ts";
export type * from "./events/content.ts";
export { modelContent, textOf, userContent } from "./events/content.ts";
export {
  type Event,
  finalResponse,
  functionCalls,
  functionCalls as getFunctionCalls,
  functionResponses,
  functionResponses as getFunctionResponses,
  hasTrailingCodeExecutionResult,
  type Resumption,
} from "./events/event.ts";
export {
  createEventActions,
  type EventActions,
  type EventCompaction,
  type ToolConfirmation,
  type ToolInput,
  type ToolInputRequest,
} from "./events/event-actions.ts";
export { eventFromJson } from "./events/event-json.ts";
export { type EventRecord, fromEventRecord, type StoredEvent } from "./events/event-record.ts";
export {
  CONFIRMATION_CALL as REQUEST_CONFIRMATION_FUNCTION_CALL_NAME,
  CREDENTIAL_CALL as REQUEST_CREDENTIAL_FUNCTION_CALL_NAME,
  INPUT_CALL as REQUEST_INPUT_FUNCTION_CALL_NAME,
} from "./events/reserved-calls.ts";
export { APP_PREFIX, TEMP_PREFIX, USER_PREFIX } from "./events/state-prefixes.ts";
export type { LlmAgentOptions } from "./llm-agent/base/base-llm-agent.ts";
export { IncludeContents } from "./llm-agent/base/include-contents.ts";
export { LlmAgent, LlmAgent as Agent } from "./llm-agent/llm-agent.ts";
export { BuiltInPlanner } from "./llm-agent/planners/built-in-planner.ts";
export { PlanReActPlanner } from "./llm-agent/planners/plan-re-act-planner.ts";
export { TransferToAgentTool } from "./llm-agent/transfer/transfer-to-agent-tool.ts";
export type { Embedder } from "./memory/embedder.ts";
export type { MemoryEntry, MemoryService, SearchMemoryResponse } from "./memory/memory-service.ts";
export type { BaseLlm, GenerateOptions } from "./models/base-llm.ts";
export type { BaseLlmConnection, ConnectOptions, LiveConnectConfig } from "./models/base-llm-connection.ts";
export {
  type ContextCacheConfig,
  createContextCacheConfig,
  getTtlString,
} from "./models/context-cache-config.ts";
export type { ContextCacheRequest } from "./models/context-cache-request.ts";
export { ErrorCategory, getRetryDelay, isRetryable, ModelError, RetryStrategy } from "./models/error-mapper.ts";
export { Gemini, type GeminiOptions } from "./models/gemini/gemini.ts";
export { GeminiEmbedder, type GeminiEmbedderOptions } from "./models/gemini/gemini-embedder.ts";
export { type FunctionDeclaration, type GenerateContentConfig, LlmRequest } from "./models/llm-request.ts";
export type { LlmResponse } from "./models/llm-response.ts";
export { defaultModelRegistry, ModelRegistry } from "./models/registry/model-registry.ts";
export {
  createOutboundAccess,
  type OutboundAccess,
  type OutboundAccessOptions,
} from "./outbound-http/outbound-access.ts";
export type { AgentMetadata } from "./planners/agent-metadata.ts";
export { deriveAgentMetadata } from "./planners/derive-agent-metadata.ts";
export {
  AStarSearchStrategy,
  type AStarSearchStrategyOptions,
} from "./planners/goal-oriented/a-star-search-strategy.ts";
export { DependencyGraphSearch } from "./planners/goal-oriented/dependency-graph-search.ts";
export { DfsSearchStrategy } from "./planners/goal-oriented/dfs-search-strategy.ts";
export {
  GoalOrientedPlanner,
  type GoalOrientedPlannerOptions,
} from "./planners/goal-oriented/goal-oriented-planner.ts";
export { GoalOrientedSearchGraph } from "./planners/goal-oriented/goal-oriented-search-graph.ts";
export type { ReplanPolicy } from "./planners/goal-oriented/replan-policy.ts";
export type { AgentGroups, SearchRequest, SearchStrategy } from "./planners/goal-oriented/search-strategy.ts";
export { LoopPlanner, type LoopPlannerOptions } from "./planners/loop-planner.ts";
export { P2PPlanner, type P2PPlannerOptions } from "./planners/p2p-planner.ts";
export { ParallelPlanner } from "./planners/parallel-planner.ts";
export type { Planner } from "./planners/planner.ts";
export type { Decision, DecisionEvent, Plan, PlannerAction } from "./planners/planner-action.ts";
export { PlannerAgent, type PlannerAgentOptions } from "./planners/planner-agent.ts";
export type { AgentLink, PlannerDescription } from "./planners/planner-description.ts";
export type { PlanningContext } from "./planners/planning-context.ts";
export { SequentialPlanner } from "./planners/sequential-planner.ts";
export { SupervisorPlanner, type SupervisorPlannerOptions } from "./planners/supervisor/supervisor-planner.ts";
export { type Clock, systemClock } from "./platform/clock.ts";
export { readEnvironment } from "./platform/environment.ts";
export { type IdGenerator, UuidV7Generator } from "./platform/id-generator.ts";
export type { JsonObject, JsonValue } from "./platform/json.ts";
export type { Logger } from "./platform/logger.ts";
export {
  type ContextFilter,
  ContextFilterPlugin,
  type ContextFilterPluginOptions,
} from "./plugins/context-filter-plugin.ts";
export { GlobalInstructionPlugin, type GlobalInstructionPluginOptions } from "./plugins/global-instruction-plugin.ts";
export { LoggingPlugin, type LoggingPluginOptions } from "./plugins/logging-plugin.ts";
export {
  ReflectAndRetryToolPlugin,
  type ReflectAndRetryToolPluginOptions,
  RetryScope,
} from "./plugins/reflect-and-retry-tool-plugin.ts";
export { REPLAY_CONFIG_KEY, ReplayPlugin, type ReplayPluginOptions } from "./plugins/replay-plugin.ts";
export {
  SaveFilesAsArtifactsPlugin,
  type SaveFilesAsArtifactsPluginOptions,
} from "./plugins/save-files-as-artifacts-plugin.ts";
export { ToolCallIntegrityPlugin, type ToolCallIntegrityPluginOptions } from "./plugins/tool-call-integrity-plugin.ts";
export type {
  MessageInput,
  RewindRequest,
  RunAsyncRequest,
  RunEphemeralRequest,
  RunLiveRequest,
  RunnerOptions,
  RunnerOptions as RunnerConfig,
} from "./runs/base/runner-options.ts";
export { Runner } from "./runs/runner.ts";
export * from "./sessions/document-keys.ts";
export { ReadonlyState } from "./sessions/readonly-state.ts";
export type { RunJournal } from "./sessions/run-journal.ts";
export {
  lastUpdateTimeAsDouble,
  type Session,
  type SessionKey,
  setLastUpdateTimeSeconds,
} from "./sessions/session.ts";
export { sessionFromJson, sessionKeyFromJson } from "./sessions/session-json.ts";
export type {
  CreateSessionRequest,
  GetSessionConfig,
  ListEventsResponse,
  ListSessionsResponse,
  SessionService,
} from "./sessions/session-service.ts";
export { State } from "./sessions/state.ts";
export { GEN_AI_METRICS, type GenAiMetric, type MetricObserver, observeSpans } from "./telemetry/gen-ai-metrics.ts";
export {
  AgentTool,
  AgentToolArtifacts,
  type AgentToolOptions,
  type AgentToolOptions as AgentToolConfig,
  AgentToolState,
} from "./tools/agent-tool.ts";
export {
  ApplicationIntegrationToolset,
  type ApplicationIntegrationToolsetOptions,
} from "./tools/application-integration/application-integration-toolset.ts";
export {
  type ActionSchema,
  type ConnectionDetails,
  ConnectionsClient,
  type ConnectionsClientOptions,
  type EntitySchemaAndOperations,
} from "./tools/application-integration/connections-client.ts";
export { type GoogleCredentials, getGoogleCredentials } from "./tools/application-integration/google-credentials.ts";
export { convertJsonSchemaToOpenApiSchema } from "./tools/application-integration/json-schema-to-open-api.ts";
export {
  AuthenticatedFunctionTool,
  type AuthenticatedFunctionToolOptions,
} from "./tools/authenticated-function-tool.ts";
export {
  BaseComputer,
  ComputerEnvironment,
  type ComputerState,
  type ScreenSize,
  type ScrollDirection,
  type TypedText,
} from "./tools/computer-use/base-computer.ts";
export { type ComputerUseOptions, ComputerUseToolset } from "./tools/computer-use/computer-use-toolset.ts";
export {
  PlaywrightComputer,
  type PlaywrightComputerOptions,
} from "./tools/computer-use/playwright/playwright-computer.ts";
export { ExampleTool } from "./tools/example-tool.ts";
export { ExitLoopTool } from "./tools/exit-loop-tool.ts";
export type { BaseExampleProvider, Example } from "./tools/format-examples.ts";
export {
  FunctionTool,
  type FunctionToolOptions,
  type FunctionToolOptions as ToolOptions,
  LongRunningFunctionTool,
} from "./tools/function-tool.ts";
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
  /** ADK's other name. */
  McpToolset as McpAsyncToolset,
  type McpToolsetOptions,
} from "./tools/mcp/mcp-toolset.ts";
export {
  BuiltInCodeExecutionTool,
  createGoogleSearchAgentTool,
  EnterpriseWebSearchTool,
  GoogleMapsGroundingTool,
  GoogleSearchTool,
  UrlContextTool,
} from "./tools/model-tools/gemini-tools.ts";
export { VertexAiSearchTool, type VertexAiSearchToolOptions } from "./tools/model-tools/vertex-ai-search-tool.ts";
export {
  VertexRagRetrievalTool,
  type VertexRagRetrievalToolOptions,
} from "./tools/model-tools/vertex-rag-retrieval-tool.ts";
export { OpenApiToolset, type OpenApiToolsetOptions } from "./tools/openapi/open-api-toolset.ts";
export { PreloadMemoryTool } from "./tools/preload-memory-tool.ts";
export { type ToolSettings, tool } from "./tools/tool.ts";
export { Version } from "./version.ts";
