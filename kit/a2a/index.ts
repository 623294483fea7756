// The exports of `fairlead/a2a`: agents of other servers, and agents served, by the Agent2Agent protocol.

export { A2AClientError, AgentCardResolutionError } from "#kit/errors/a2a-errors.ts";
export { EventConverter } from "./conversion/event-converter.ts";
export { A2ADataPartMetadataType, A2AMetadata, A2AMetadataKey, AdkMetadataKey } from "./conversion/metadata-keys.ts";
export { PartConverter } from "./conversion/part-converter.ts";
export {
  type AfterEventCallback,
  type AfterExecuteCallback,
  AgentExecutor,
  type AgentExecutorConfig,
  type AgentExecutorOptions,
  type BeforeExecuteCallback,
  type EventQueue,
} from "./executor/agent-executor.ts";
export { OutputMode } from "./executor/run-updates.ts";
export type { A2ASignInOptions } from "./remote/card-scheme.ts";
export type { A2AClient, AgentCardSource } from "./remote/peer-client.ts";
export { RemoteA2AAgent, type RemoteA2AAgentOptions } from "./remote/remote-a2a-agent.ts";
export type { CardKeys } from "./remote/verify-card.ts";
