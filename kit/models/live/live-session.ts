import type { Content } from "#kit/events/content.ts";
import type { LiveResumption, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** An input of the connection's caller, numbered from 1 in the order of sending. */
export type LiveInput = { readonly sequence: number } & (
  | { readonly kind: "history"; readonly history: readonly Content[] }
  | { readonly kind: "content"; readonly content: Content; readonly turnComplete: boolean }
  | { readonly kind: "realtime"; readonly input: RealtimeInput }
);

/** Reports of one session. None follows `ended`. */
export interface LiveListener {
  /** `late`: the user's words, which belong before the answer in progress or before the last one. */
  received(response: LlmResponse, late?: "in-turn" | "after-turn"): unknown;
  /** Anything else arrived that shows that the provider works. */
  alive(): unknown;
  /**
   * The session can be continued with the handle. `consumed` is the last input that it includes; without it, the provider
   * does not report it. False if the handle lacks something that the next session would need: nobody must use it.
   */
  resumable(handle: string, consumed?: number): boolean;
  /** Input up to this number is not needed any more: the conversation's text has it, or it was silence. */
  consumed(sequence: number): unknown;
  /** The provider ends the session after this time. `reason` is stable and in upper case. */
  leaving(withinMs: number, reason: string): unknown;
  /** The session is over, but not because `close` was called. */
  ended(error: Error): void;
}

/**
 * One session at a provider over one socket. Sending has no effect once the session is over. A promise that it returns
 * rejects for input that the model refuses.
 */
export interface LiveSession {
  /** The number that `BaseLlmConnection` defines, if the session knows it. */
  readonly unsettled?: number | undefined;
  /** Nothing but its end is reported before. */
  begin(): void;
  /**
   * Sends one input. `asTurn`: the session does not know the calls that the content answers, so that they are a turn of
   * the conversation instead of results.
   */
  send(input: LiveInput, options: { readonly asTurn: boolean }): Promise<void> | void;
  /** Gives the conversation so far, as input of this number; the model answers only with `answer`. */
  replay(
    history: readonly Content[],
    options: { readonly sequence: number; readonly answer: boolean },
  ): Promise<void> | void;
  /** Responses that complete what the session has begun and not finished. */
  flush(): readonly LlmResponse[];
  close(): void;
}

/** The sessions of one live model, for one conversation. */
export interface LiveProvider {
  /** The model's name now: a list of models changes it. */
  readonly model: string;
  /** Whether another session would fail as well, such as after a refusal of the credentials. */
  isFinal(error: Error): boolean;
  /** Throws `INVALID_FIELD` for input that the provider would refuse, which can end the session. */
  check(input: LiveInput): void;
  /**
   * Opens a session, which continues an earlier one if there is a handle. Throws a `PlatformError` with a `MODEL_…`
   * reason. Aborts with the signal until it is open.
   */
  open(options: {
    readonly handle: string | undefined;
    /** Whether `replay` is the first that is called. */
    readonly replays: boolean;
    readonly listener: LiveListener;
    readonly signal: AbortSignal;
  }): Promise<LiveSession>;
}

/** One conversation with a provider. */
export interface LiveConversation {
  readonly provider: LiveProvider;
  /** The conversation before; used if the connection was resumed and its session cannot be continued later. */
  readonly history: readonly Content[];
  readonly resumption?: LiveResumption | undefined;
  readonly signal: AbortSignal;
}
