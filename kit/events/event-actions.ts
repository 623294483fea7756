import type { JsonObject, JsonValue } from "../platform/json.ts";
import type { Content } from "./content.ts";

/** The effects of an event besides its content. JSON always contains the four maps. */
export interface EventActions {
  /** State keys to set; null removes a key. `app:` and `user:` keys are shared, `temp:` keys never reach a store. */
  readonly stateDelta: JsonObject;
  /** File name to the saved version. */
  readonly artifactDelta: Readonly<Record<string, number>>;
  /** Function call id to the credential that its tool needs: an `AuthConfig` without secrets. */
  readonly requestedAuthConfigs: JsonObject;
  /** Function call id to the confirmation that its tool requests. */
  readonly requestedToolConfirmations: Readonly<Record<string, ToolConfirmation>>;
  /** Function call id to the question that its tool asks the user. */
  readonly requestedInputs?: Readonly<Record<string, ToolInputRequest>>;
  readonly transferToAgent?: string;
  readonly escalate?: boolean;
  readonly skipSummarization?: boolean;
  readonly endOfAgent?: boolean;
  /** A set: each name once. */
  readonly deletedArtifactIds?: readonly string[];
  readonly compaction?: EventCompaction;
  readonly agentState?: JsonObject;
  readonly rewindBeforeInvocationId?: string;
  /** The agent's answer by its output schema, from a tool call. */
  readonly setModelResponse?: JsonValue;
}

/** A summary that replaces the events it covers. */
export interface EventCompaction {
  readonly compactedContent: Content;
  /** Milliseconds since the epoch. */
  readonly startTimestamp: number;
  /** Milliseconds since the epoch. */
  readonly endTimestamp: number;
  /**
   * Sequences of the first and the last covered event. If present, they count and not the times, which several events
   * may share. Absent in imported sessions.
   */
  readonly startSequence?: number;
  readonly endSequence?: number;
  /**
   * Sequences within the range that are not covered: calls that wait for their answer, and events that belong to them.
   */
  readonly keptSequences?: readonly number[];
}

/** A question whether a call may run, and its answer: `confirmed` is false until a user answers yes. */
export interface ToolConfirmation {
  readonly hint?: string;
  readonly confirmed: boolean;
  readonly payload?: JsonValue;
}

/** A question of a tool, which needs data of the user to complete its call. */
export interface ToolInputRequest {
  readonly message: string;
  /** The JSON schema of the answer, from which clients make a form; absent: any object, or a text under `result`. */
  readonly responseSchema?: JsonObject;
  /** Data that is shown with the question. */
  readonly payload?: JsonValue;
  /**
   * Data that the tool needs again with the answer. It is stored, is not part of the question, and cannot be changed by
   * an answer.
   */
  readonly state?: JsonValue;
}

/** The user's answer to a tool's question, and the question as it was stored. */
export interface ToolInput {
  readonly request: ToolInputRequest;
  readonly response: JsonObject;
}

/** Actions under construction, for callbacks and tools. */
export type MutableEventActions = { -readonly [K in keyof EventActions]: EventActions[K] } & {
  stateDelta: Record<string, JsonValue>;
  artifactDelta: Record<string, number>;
  requestedAuthConfigs: Record<string, JsonValue>;
  requestedToolConfirmations: Record<string, ToolConfirmation>;
};

/** Actions without effects, with the given ones set. The four maps are copies. */
export function createEventActions(initial?: Partial<EventActions>): MutableEventActions {
  if (initial === undefined)
    return { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
  return {
    ...initial,
    stateDelta: { ...initial.stateDelta },
    artifactDelta: { ...initial.artifactDelta },
    requestedAuthConfigs: { ...initial.requestedAuthConfigs },
    requestedToolConfirmations: { ...initial.requestedToolConfirmations },
  };
}

/** Shared by all events without actions. */
export const NO_ACTIONS: EventActions = Object.freeze({
  stateDelta: Object.freeze({}),
  artifactDelta: Object.freeze({}),
  requestedAuthConfigs: Object.freeze({}),
  requestedToolConfirmations: Object.freeze({}),
});
