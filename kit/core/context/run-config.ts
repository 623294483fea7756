import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { LiveConnectConfig } from "#kit/models/base-llm-connection.ts";
import { type AnswerLimits, DEFAULT_ANSWER_LIMITS } from "#kit/models/bounds/bounded-model.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { withDefaults } from "#kit/platform/members.ts";

/** How a run delivers events: complete events only, partial events too, or over a live connection. */
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
export const DEFAULT_MAX_RUN_EVENTS = 20_000;
export const DEFAULT_MAX_RUN_CHARACTERS = 128 * 1024 * 1024;

/**
 * Settings of one run. Members from `responseModalities` on are for models that produce speech and for live
 * connections.
 */
export interface RunConfig extends LiveConnectConfig, AnswerLimits {
  readonly streamingMode: StreamingMode;
  readonly toolExecutionMode: ToolExecutionMode;
  /** Model calls per invocation; 0 or less means no limit. */
  readonly maxLlmCalls: number;
  /** Complete events of one run; a run with more ends as failed. */
  readonly maxRunEvents: number;
  /** Characters of all events of one run together, as JSON, without files that are kept as artifacts. */
  readonly maxRunCharacters: number;
  readonly autoCreateSession: boolean;
  /** Saves files of the user's message as artifacts and replaces them in the message by their names. */
  readonly saveInputBlobsAsArtifacts: boolean;
  /**
   * Tokens that the models of one invocation may use, as they report them; checked before each call. Absent: no limit.
   */
  readonly maxTotalTokens?: number;
  /**
   * The time limit of the whole run; a run that takes longer ends as `timed_out`. Absent: only the server's limit
   * applies.
   */
  readonly maxDurationMs?: number;
  /** Sent to the models of this run directly before the user's message; never stored. */
  readonly modelInputContext?: readonly Content[];
  /** False keeps this run's content off spans if the operator has enabled it; true does not enable it. */
  readonly captureContent?: boolean;
  /** Put on every event of the run that has none of its own. */
  readonly customMetadata?: JsonValue;
  /** Stores the media of a live run in its events; otherwise media is only passed through. */
  readonly saveLiveBlob?: boolean;
}

const POSITIVE = [
  "maxTotalTokens",
  "maxDurationMs",
  "maxRunEvents",
  "maxRunCharacters",
  "maxAnswerCharacters",
  "maxAnswerParts",
] as const;

const DEFAULTS: RunConfig = {
  streamingMode: StreamingMode.NONE,
  toolExecutionMode: ToolExecutionMode.NONE,
  maxLlmCalls: DEFAULT_MAX_LLM_CALLS,
  maxRunEvents: DEFAULT_MAX_RUN_EVENTS,
  maxRunCharacters: DEFAULT_MAX_RUN_CHARACTERS,
  ...DEFAULT_ANSWER_LIMITS,
  autoCreateSession: false,
  saveInputBlobsAsArtifacts: false,
};

/** Throws `INVALID_FIELD` for a limit that is not a whole number. */
export function createRunConfig(overrides: Partial<RunConfig> = {}): RunConfig {
  const { maxLlmCalls } = overrides;
  if (maxLlmCalls !== undefined && !Number.isSafeInteger(maxLlmCalls)) {
    throw invalidLimit("maxLlmCalls", maxLlmCalls, "a whole number; 0 means no limit");
  }
  for (const field of POSITIVE) assertPositive(field, overrides[field]);
  return withDefaults(DEFAULTS, overrides);
}

function assertPositive(field: string, value: number | undefined): void {
  if (value === undefined) return;
  if (!Number.isSafeInteger(value) || value <= 0) throw invalidLimit(field, value, "a whole number above 0");
}

function invalidLimit(field: string, value: number, wanted: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `RunConfig.${field} is ${value}: give ${wanted}.`, { details: { field } });
}
