import type { CredentialAnswer } from "#kit/credentials/credential-scope.ts";
import type { Event } from "#kit/events/event.ts";
import type { MutableEventActions, ToolConfirmation, ToolInput } from "#kit/events/event-actions.ts";
import { CallbackContext } from "./callback-context.ts";
import type { InvocationContext } from "./invocation-context.ts";

interface ToolCallOptions {
  readonly functionCallId?: string | undefined;
  readonly eventActions?: MutableEventActions;
  readonly eventId?: string;
  /** The user's answer to a confirmation of this call. */
  readonly toolConfirmation?: ToolConfirmation | undefined;
  /** The user's answer to a question of this call's tool. */
  readonly toolInput?: ToolInput | undefined;
  /** The user's answer to a request of this call for a credential. */
  readonly credentialAnswer?: CredentialAnswer | undefined;
  /** Aborts only this call. The caller combines it with the invocation's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Emits events while the call runs: `ToolEvents.emit` of the round. */
  readonly emit?: (event: Event) => Promise<void>;
}

/** The context of one tool call. */
export class ToolContext extends CallbackContext {
  readonly #functionCallId: string | undefined;
  readonly #toolConfirmation: ToolConfirmation | undefined;
  readonly #toolInput: ToolInput | undefined;
  readonly #credentialAnswer: CredentialAnswer | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #emit: ((event: Event) => Promise<void>) | undefined;

  constructor(invocationContext: InvocationContext, call: ToolCallOptions = {}) {
    super(invocationContext, call.eventActions, call.eventId);
    this.#functionCallId = call.functionCallId;
    this.#toolConfirmation = call.toolConfirmation;
    this.#toolInput = call.toolInput;
    this.#credentialAnswer = call.credentialAnswer;
    this.#signal = call.signal;
    this.#emit = call.emit;
  }

  /** Id of the call; equal when the same call is run again, so it serves as idempotency key. */
  override get functionCallId(): string | undefined {
    return this.#functionCallId;
  }

  /**
   * The user's answer, set when the call runs for the second time. `confirmed` is false only for a tool that asked by
   * itself: check it before the call takes effect.
   */
  override get toolConfirmation(): ToolConfirmation | undefined {
    return this.#toolConfirmation;
  }

  /** The user's answer to `requestInput`, set when the call runs again. */
  get toolInput(): ToolInput | undefined {
    return this.#toolInput;
  }

  /** The user's answer to `requestCredential`, set when the call runs again. It does not contain the credential. */
  override get credentialAnswer(): CredentialAnswer | undefined {
    return this.#credentialAnswer;
  }

  /**
   * Emits an event before the call has returned: partial events are only streamed, complete ones are stored too.
   * Resolves when the run has received the event; does nothing outside a run.
   */
  async emit(event: Event): Promise<void> {
    await this.#emit?.(event);
  }

  /** Aborts when the run is cancelled, or when this call exceeds its tool's time limit. */
  override get signal(): AbortSignal {
    return this.#signal ?? super.signal;
  }
}
