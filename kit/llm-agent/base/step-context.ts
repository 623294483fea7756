import type { ChunkReader } from "#kit/core/base-planner.ts";
import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { BaseLlmAgent } from "./base-llm-agent.ts";

/** A request to the model that is being built. */
export interface RequestStep {
  readonly agent: BaseLlmAgent;
  readonly context: InvocationContext;
  readonly request: ToolLlmRequest;
}

/** The state that the steps of one turn of an agent share. */
export interface TurnState {
  /** Whether the model was asked to fix an answer that does not fit the output schema: that happens once in a turn. */
  isFixRequested: boolean;
}

/** The result of checking a step's answer against the output schema. */
export type OutputVerdict =
  | { readonly kind: "fits"; readonly value: JsonValue }
  /** The model is asked to fix the answer. */
  | { readonly kind: "to-fix"; readonly problems: readonly string[] };

/** The calls of a live session, which run beside the conversation. */
export interface LiveCalls {
  /** Aborted when the model does not need the call any more. */
  abortOf(callId: string | undefined): AbortSignal | undefined;
  /** Reads a tool's stream beside the conversation. Returns the immediate response of the call. */
  stream(call: { readonly id: string | undefined; readonly name: string }, values: AsyncIterable<unknown>): JsonObject;
  /** Returns the client's requests from now on, until the signal is aborted. */
  input(signal: AbortSignal): AsyncIterable<LiveRequest>;
}

/** One step of the loop: one request to the model and the work that its answer requires. */
export interface StepContext extends RequestStep {
  readonly turn: TurnState;
  /** The agent may not call its model again in this turn (`maxSteps`). */
  readonly isLast?: boolean;
  /**
   * Set by `checkOutput`; absent if the answer is not checked (agents without a schema, calls, failures), or is an
   * error.
   */
  outputVerdict?: OutputVerdict;
  /** Only in a live session. */
  readonly live?: LiveCalls;
  /** The planner's reader of the answer's chunks, created with the first chunk. */
  chunkReader?: ChunkReader;
}

/** Adds one part to the request. */
export type RequestProcessor = (step: RequestStep) => void | Promise<void>;

/** Handles each answer of the model at two points: before it becomes an event, and after that event was yielded. */
export interface ResponseProcessor {
  /** Whether the agent uses the processor; evaluated once for each agent. */
  applies(agent: BaseLlmAgent): boolean;
  /**
   * Returns the response that becomes an event, chunks of a stream included. Changes made through the context become
   * part of that event.
   */
  rewrite(step: StepContext, response: LlmResponse, callbacks: CallbackContext): LlmResponse | Promise<LlmResponse>;
  /**
   * Returns the events that follow a complete answer. The events of the first processor that returns some are yielded,
   * and then the model is called again.
   */
  followUp?(step: StepContext, answer: Event): AsyncIterable<Event> | undefined;
}
