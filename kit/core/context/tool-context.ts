import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import type { MutableEventActions, ToolConfirmation } from "#kit/events/event-actions.ts";
import type { SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { CallbackContext } from "./callback-context.ts";
import type { InvocationContext } from "./invocation-context.ts";

interface ToolCallOptions {
  readonly functionCallId?: string | undefined;
  readonly eventActions?: MutableEventActions;
  readonly eventId?: string;
  /** The user's answer to a confirmation of this call. */
  readonly toolConfirmation?: ToolConfirmation | undefined;
  /** Ends this call alone; the invocation's own signal ends it too. */
  readonly signal?: AbortSignal | undefined;
  /** Takes events while the call runs: `ToolEvents.emit` of the round. */
  readonly emit?: (event: Event) => Promise<void>;
}

/** What a tool works with during one call. */
export class ToolContext extends CallbackContext {
  /** Id of the call; equal when the same call is run again, so it serves as idempotency key. */
  readonly functionCallId: string | undefined;
  /**
   * The user's answer, set when the call runs for the second time. `confirmed` is false only for a tool that asked by
   * itself: look at it before the call takes effect.
   */
  readonly toolConfirmation: ToolConfirmation | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #emit: ((event: Event) => Promise<void>) | undefined;

  constructor(invocationContext: InvocationContext, call: ToolCallOptions = {}) {
    super(invocationContext, call.eventActions, call.eventId);
    this.functionCallId = call.functionCallId;
    this.toolConfirmation = call.toolConfirmation;
    this.#signal = call.signal;
    this.#emit = call.emit;
  }

  /**
   * Puts an event into the run before the call has answered: partial ones are only streamed, complete ones stored.
   * Resolves when the run has taken it; outside a run nobody takes it.
   */
  async emit(event: Event): Promise<void> {
    await this.#emit?.(event);
  }

  get actions(): MutableEventActions {
    return this.eventActions;
  }

  /** Aborts when the run is cancelled, or when this call takes longer than its tool may. */
  get signal(): AbortSignal {
    return this.#signal ?? this.invocationContext.signal;
  }

  /**
   * Asks the user to confirm this call. The run ends with the question. When the user has answered, yes or no, the tool
   * is called again with the same arguments, and finds the answer as `toolConfirmation`. Until then the model gets what
   * the tool returns now.
   */
  requestConfirmation(question: { readonly hint?: string; readonly payload?: JsonValue } = {}): void {
    this.actions.requestedToolConfirmations[this.#callId("requestConfirmation")] = { ...question, confirmed: false };
  }

  /** Puts on record that the call needs credentials; what they look like is for the tool and the client to agree on. */
  requestCredential(authConfig: JsonObject): void {
    this.actions.requestedAuthConfigs[this.#callId("requestCredential")] = authConfig;
  }

  async searchMemory(query: string): Promise<SearchMemoryResponse> {
    const { memoryService, session } = this.invocationContext;
    if (memoryService === undefined) {
      throw new PlatformError("SERVICE_MISSING", "This runner has no memory service: pass memoryService to it.");
    }
    return memoryService.searchMemory({ appName: session.appName, userId: session.userId }, query);
  }

  #callId(operation: string): string {
    if (this.functionCallId !== undefined) return this.functionCallId;
    throw new PlatformError("FIELD_MISSING", `${operation} needs a call to belong to: use it while a tool runs.`);
  }
}
