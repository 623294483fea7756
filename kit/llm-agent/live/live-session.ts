import type { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { Event } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { BaseLlmConnection } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";

/** One agent's conversation on one live connection. */
export interface LiveSession {
  readonly step: StepContext;
  readonly queue: LiveRequestQueue;
  readonly connection: BaseLlmConnection;
  /** The span of the model's call, which lasts as long as the connection. */
  readonly span: ActiveSpan;
  /** Aborted when the conversation on this connection is over; the run may continue on another one. */
  readonly over: AbortSignal;
}

/** The items of a live session, in the order of arrival. */
export type LiveItem =
  /** The queue has a request, or is closed. Requests that this agent does not take are left for the next agent. */
  | { readonly kind: "client" }
  /** Without a response: the model has ended its side. */
  | { readonly kind: "model"; readonly response: LlmResponse | undefined }
  /** The model's side ended with an error. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** An event of the tools. */
  | { readonly kind: "event"; readonly event: Event }
  /** The responses of calls that the model waits for. */
  | { readonly kind: "answered"; readonly answer: Event | undefined }
  /** A result that comes later than the response of its call: the model gets it as a text of the user. */
  | { readonly kind: "report"; readonly text: string }
  /** The model had time enough to finish its sentence before a transfer. */
  | { readonly kind: "left" };

/** How a live session ends. */
export type LiveEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "transferred"; readonly target: string }
  /** A callback has blocked what was said: the conversation continues on a new session, without the model's answer. */
  | { readonly kind: "blocked" };
