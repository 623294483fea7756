// What agent authors import: `import { LlmAgent, FunctionTool } from "agentplane/kit"`.
export { type App, type AppOptions, createApp } from "./agents/app.ts";
export { BaseAgent, type BaseAgentOptions } from "./agents/base-agent.ts";
export { CallbackContext } from "./agents/callback-context.ts";
export type {
  AfterAgentCallback,
  AfterModelCallback,
  AfterToolCallback,
  BeforeAgentCallback,
  BeforeModelCallback,
  BeforeToolCallback,
  OnModelErrorCallback,
  OnToolErrorCallback,
} from "./agents/callbacks.ts";
export { IncludeContents } from "./agents/include-contents.ts";
export type { Instruction, InstructionProvider } from "./agents/instruction.ts";
export { InvocationContext } from "./agents/invocation-context.ts";
export { type LiveRequest, liveRequestFromJson } from "./agents/live-request.ts";
export { LlmAgent, type LlmAgentOptions } from "./agents/llm-agent.ts";
export { ReadonlyContext } from "./agents/readonly-context.ts";
export { createRunConfig, type RunConfig, StreamingMode, ToolExecutionMode } from "./agents/run-config.ts";
export { SequentialAgent } from "./agents/sequential-agent.ts";
export type {
  ArtifactKey,
  ArtifactService,
  ArtifactVersion,
  ListArtifactsResponse,
  ListArtifactVersionsResponse,
  SaveArtifactRequest,
} from "./artifacts/artifact-service.ts";
export { InMemoryArtifactService } from "./artifacts/in-memory-artifact-service.ts";
export type {
  AgentRefConfig,
  BaseAgentConfig,
  CallbackRef,
  LlmAgentConfig,
  SequentialAgentConfig,
  ToolConfig,
} from "./definitions/agent-config.ts";
export type { AgentLoader, LoadedApp } from "./definitions/agent-loader.ts";
export { type AgentLoadingProperties, CompiledAgentLoader } from "./definitions/compiled-agent-loader.ts";
export {
  type AgentClass,
  type AgentParts,
  type Callback,
  ComponentRegistry,
  type ToolClass,
  type ToolParts,
  type ToolsetClass,
} from "./definitions/component-registry.ts";
export { ConfigAgentLoader } from "./definitions/config-agent-loader.ts";
export { componentRegistry, registerCoreComponents } from "./definitions/core-components.ts";
export { DirectoryAgentLoader } from "./definitions/directory-agent-loader.ts";
export { StaticAgentLoader } from "./definitions/static-agent-loader.ts";
export { ToolArgsConfig } from "./definitions/tool-args-config.ts";
export {
  ConfigurationException,
  GenAiFieldMissingException,
  LlmCallLimitExceededError,
  MessageConversionException,
} from "./errors/kit-errors.ts";
export { PlatformError, type PlatformErrorOptions } from "./errors/platform-error.ts";
export { SessionAlreadyExistsError, SessionError, SessionNotFoundError } from "./errors/session-errors.ts";
export type * from "./events/content.ts";
export { modelContent, textOf, userContent } from "./events/content.ts";
export {
  createEvent,
  type Event,
  finalResponse,
  functionCalls,
  functionResponses,
  hasTrailingCodeExecutionResult,
} from "./events/event.ts";
export type { EventActions, EventCompaction, ToolConfirmation } from "./events/event-actions.ts";
export { eventFromJson } from "./events/event-json.ts";
export { InMemoryMemoryService } from "./memory/in-memory-memory-service.ts";
export type { MemoryEntry, MemoryService, SearchMemoryResponse } from "./memory/memory-service.ts";
export type { BaseLlm, GenerateOptions } from "./models/base-llm.ts";
export { ErrorCategory, getRetryDelay, isRetryable, ModelError, RetryStrategy } from "./models/error-mapper.ts";
export { type FunctionDeclaration, type GenerateContentConfig, LlmRequest } from "./models/llm-request.ts";
export type { LlmResponse } from "./models/llm-response.ts";
export { defaultModelRegistry, ModelRegistry } from "./models/model-registry.ts";
export { type Clock, systemClock } from "./platform/clock.ts";
export { readEnvironment } from "./platform/environment.ts";
export { type IdGenerator, UuidV7Generator } from "./platform/id-generator.ts";
export type { JsonObject, JsonValue } from "./platform/json.ts";
export type { Logger } from "./platform/logger.ts";
export type { Plugin } from "./plugins/plugin.ts";
export { PluginManager } from "./plugins/plugin-manager.ts";
export { Runner } from "./runner/runner.ts";
export type { RunAsyncRequest, RunnerOptions } from "./runner/runner-options.ts";
export * from "./sessions/document-keys.ts";
export { InMemorySessionStore } from "./sessions/in-memory-session-store.ts";
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
export { APP_PREFIX, TEMP_PREFIX, USER_PREFIX } from "./sessions/state-prefixes.ts";
export { BaseTool, type Toolset } from "./tools/base-tool.ts";
export { FunctionTool, type FunctionToolOptions } from "./tools/function-tool.ts";
export { LongRunningFunctionTool } from "./tools/long-running-function-tool.ts";
export { ToolContext } from "./tools/tool-context.ts";
export { Version } from "./version.ts";
