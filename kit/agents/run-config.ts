import type { JsonObject, JsonValue } from "../platform/json.ts";
import type { GetSessionConfig } from "../sessions/session-service.ts";

/** How a run delivers: complete events only, token by token, or over a live connection. */
export const StreamingMode = { NONE: "NONE", SSE: "SSE", BIDI: "BIDI" } as const;
export type StreamingMode = (typeof StreamingMode)[keyof typeof StreamingMode];

/** How the calls of one model answer run. PARALLEL_SUBSCRIBE equals PARALLEL here; NONE means PARALLEL. */
export const ToolExecutionMode = {
  NONE: "NONE",
  SEQUENTIAL: "SEQUENTIAL",
  PARALLEL: "PARALLEL",
  PARALLEL_SUBSCRIBE: "PARALLEL_SUBSCRIBE",
} as const;
export type ToolExecutionMode = (typeof ToolExecutionMode)[keyof typeof ToolExecutionMode];

export const DEFAULT_MAX_LLM_CALLS = 500;

/** Settings of one run. */
export interface RunConfig {
  readonly streamingMode: StreamingMode;
  readonly toolExecutionMode: ToolExecutionMode;
  /** Model calls per invocation; 0 or less means no limit. */
  readonly maxLlmCalls: number;
  readonly autoCreateSession: boolean;
  readonly saveInputBlobsAsArtifacts: boolean;
  readonly getSessionConfig?: GetSessionConfig;
  /** Put on every event of the run that has none of its own. */
  readonly customMetadata?: JsonValue;
  readonly responseModalities?: readonly string[];
  readonly speechConfig?: JsonObject;
  readonly inputAudioTranscription?: JsonObject;
  readonly outputAudioTranscription?: JsonObject;
}

export function createRunConfig(overrides: Partial<RunConfig> = {}): RunConfig {
  return {
    streamingMode: StreamingMode.NONE,
    toolExecutionMode: ToolExecutionMode.NONE,
    maxLlmCalls: DEFAULT_MAX_LLM_CALLS,
    autoCreateSession: false,
    saveInputBlobsAsArtifacts: false,
    ...overrides,
  };
}
