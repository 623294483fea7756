// The exports of `fairlead/tools`: tools and code executors that need a service, a container or a browser of their own.

export type { CodeExecutorOptions } from "#kit/code-executors/base-code-executor.ts";
export {
  ContainerCodeExecutor,
  type ContainerCodeExecutorOptions,
} from "#kit/code-executors/container-code-executor.ts";
export { GVisorCodeExecutor } from "#kit/code-executors/gvisor-code-executor.ts";
export {
  UnsafeLocalCodeExecutor,
  type UnsafeLocalCodeExecutorOptions,
} from "#kit/code-executors/unsafe-local-code-executor.ts";
export type {
  BlockCodeExecutor,
  CodeExecutionInput,
  CodeExecutionResult as CodeExecutorResult,
  CodeExecutor,
  ExecutionScope,
  File as CodeExecutionFile,
  ModelCodeExecutor,
} from "#kit/core/code-executor.ts";
export { type AppliedCredential, applyCredential } from "#kit/credentials/apply-credential.ts";
export { credentialKeyOf } from "#kit/credentials/credential-key.ts";
export { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
export {
  ApplicationIntegrationToolset,
  type ApplicationIntegrationToolsetOptions,
} from "./application-integration/application-integration-toolset.ts";
export {
  type ActionSchema,
  type ConnectionDetails,
  ConnectionsClient,
  type ConnectionsClientOptions,
  type EntitySchemaAndOperations,
} from "./application-integration/connections-client.ts";
export { type GoogleCredentials, getGoogleCredentials } from "./application-integration/google-credentials.ts";
export { convertJsonSchemaToOpenApiSchema } from "./application-integration/json-schema-to-open-api.ts";
export {
  BaseComputer,
  ComputerEnvironment,
  type ComputerState,
  type ScreenSize,
  type ScrollDirection,
  type TypedText,
} from "./computer-use/base-computer.ts";
export { type ComputerUseOptions, ComputerUseToolset } from "./computer-use/computer-use-toolset.ts";
export { PlaywrightComputer, type PlaywrightComputerOptions } from "./computer-use/playwright/playwright-computer.ts";
export {
  BuiltInCodeExecutionTool,
  createGoogleSearchAgentTool,
  EnterpriseWebSearchTool,
  GoogleMapsGroundingTool,
  UrlContextTool,
} from "./model-tools/gemini-tools.ts";
export { VertexAiSearchTool, type VertexAiSearchToolOptions } from "./model-tools/vertex-ai-search-tool.ts";
export { VertexRagRetrievalTool, type VertexRagRetrievalToolOptions } from "./model-tools/vertex-rag-retrieval-tool.ts";
