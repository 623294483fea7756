import type { CredentialAnswer } from "#kit/credentials/credential-scope.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import type { MutableEventActions, ToolConfirmation, ToolInput } from "#kit/events/event-actions.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import { CallbackContext } from "./callback-context.ts";
import type { InvocationContext } from "./invocation-context.ts";
import type { LiveRequest } from "./live-request.ts";

interface ToolCallOptions {
  readonly functionCallId?: string | undefined;
  readonly eventActions?: MutableEventActions;
  readonly eventId?: string;
  /** The span of the call; the agent's own if absent. */
  readonly span?: ActiveSpan | undefined;
  /** The user's answer to a confirmation of this call. */
  readonly toolConfirmation?: ToolConfirmation | undefined;
  /** The user's answer to a question of this call's tool. */
  readonly toolInput?: ToolInput | undefined;
  /** The user's answer to a request of this call for a credential. */
  readonly credentialAnswer?: CredentialAnswer | undefined;
  /** Aborts only this call. The caller combines it with the invocation's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** The client's requests of a live session from now on, until the signal is aborted. */
  readonly liveInput?: ((signal: AbortSignal) => AsyncIterable<LiveRequest>) | undefined;
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
  readonly #liveInput: ToolCallOptions["liveInput"];
  readonly #emit: ((event: Event) => Promise<void>) | undefined;

  constructor(invocationContext: InvocationContext, call: ToolCallOptions = {}) {
    super(invocationContext, call.eventActions, call.eventId);
    this.#functionCallId = call.functionCallId;
    this.#toolConfirmation = call.toolConfirmation;
    this.#toolInput = call.toolInput;
    this.#credentialAnswer = call.credentialAnswer;
    this.#signal = call.signal;
    this.#liveInput = call.liveInput;
    this.#emit = call.emit;
    this.span = call.span ?? invocationContext.span;
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

  /**
   * What the client of a live run sends from now on, audio included, until the call or its stream ends. Requests that the
   * tool does not read in time are dropped. Throws `LIVE_NOT_SUPPORTED` on other runs.
   *
   * @example
   * ```ts
   * async function* watchCamera(_args: JsonObject, context: ToolContext) {
   *   for await (const { blob } of context.liveInput()) if (blob?.mimeType === "image/jpeg") yield describe(blob);
   * }
   * ```
   */
  liveInput(): AsyncIterable<LiveRequest> {
    if (this.#liveInput === undefined)
      throw new PlatformError("LIVE_NOT_SUPPORTED", "Only tools of a live run have live input: start it with runLive.");
    return this.#liveInput(this.signal);
  }

  /** Aborts when the run is cancelled, or when this call exceeds its tool's time limit. */
  override get signal(): AbortSignal {
    return this.#signal ?? super.signal;
  }
}
