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
  /** Aborts this call alone. The caller combines it with the invocation's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Emits events while the call runs: `ToolEvents.emit` of the round. */
  readonly emit?: (event: Event) => Promise<void>;
}

/** The context of one tool call. */
export class ToolContext extends CallbackContext {
  /** Id of the call; equal when the same call is run again, so it serves as idempotency key. */
  readonly functionCallId: string | undefined;
  /**
   * The user's answer, set when the call runs for the second time. `confirmed` is false only for a tool that asked by
   * itself: check it before the call takes effect.
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
   * Emits an event before the call has returned: partial events are only streamed, complete ones are stored too.
   * Resolves when the run has received the event; does nothing outside a run.
   */
  async emit(event: Event): Promise<void> {
    await this.#emit?.(event);
  }

  get actions(): MutableEventActions {
    return this.eventActions;
  }

  /** Aborts when the run is cancelled, or when this call exceeds its tool's time limit. */
  get signal(): AbortSignal {
    return this.#signal ?? this.invocationContext.signal;
  }

  /**
   * Asks the user to confirm this call. The run ends with the question. When the user has answered, yes or no, the tool
   * is called again with the same arguments, and reads the answer from `toolConfirmation`. Until then the model gets
   * what the tool returns now.
   */
  requestConfirmation(question: { readonly hint?: string; readonly payload?: JsonValue } = {}): void {
    this.actions.requestedToolConfirmations[this.#callId("requestConfirmation")] = { ...question, confirmed: false };
  }

  /** Records in the event that the call needs credentials; the tool and the client agree on their form. */
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
