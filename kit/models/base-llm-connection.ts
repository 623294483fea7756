import type { Blob, Content } from "../events/content.ts";
import type { JsonObject } from "../platform/json.ts";
import type { LlmResponse } from "./llm-response.ts";

/**
 * The settings of a live connection; names as in the Gemini Live API. Adapters pass on the settings that their model
 * has.
 */
export interface LiveConnectConfig {
  readonly responseModalities?: readonly string[];
  readonly speechConfig?: JsonObject;
  readonly inputAudioTranscription?: JsonObject;
  readonly outputAudioTranscription?: JsonObject;
  readonly avatarConfig?: JsonObject;
  readonly realtimeInputConfig?: JsonObject;
  readonly sessionResumption?: JsonObject;
  readonly contextWindowCompression?: JsonObject;
  readonly proactivity?: JsonObject;
  readonly enableAffectiveDialog?: boolean;
  /** The model reports when the user begins and ends to speak, as responses with `voiceActivity`. */
  readonly explicitVadSignal?: boolean;
  readonly historyConfig?: JsonObject;
}

/** The session at the provider that an earlier connection of the same conversation had. */
export interface LiveResumption {
  /** The newest `newHandle` of a response with `liveSessionResumptionUpdate`. */
  readonly handle: string;
  /** The model that issued the handle; others ignore it. */
  readonly model: string;
}

/** Options of a live connection to a model. */
export interface ConnectOptions {
  readonly config: LiveConnectConfig;
  /** Continues an earlier session if the model can; the connection's `resumed` states whether it does. */
  readonly resumption?: LiveResumption;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/** Media of the user, or a signal about the user's speech. The activity signals need models whose own detection is off. */
export type RealtimeInput =
  | { readonly blob: Blob }
  | { readonly activityStart: true }
  | { readonly activityEnd: true }
  /** The microphone is muted: the model answers what it has. */
  | { readonly audioStreamEnd: true };

/**
 * A live connection to a model: both sides can send at any time. Sending resolves when the connection has accepted the
 * data.
 */
export interface BaseLlmConnection {
  /** Whether the provider has the conversation up to the handle already. Absent means false. */
  readonly resumed?: boolean;
  /**
   * How many of the newest sends would have to be made again on another connection, which continues this one with its
   * newest handle and has the completed turns as text. Absent: none, once they have resolved.
   */
  readonly unsettled?: number;
  /**
   * Sends the conversation so far, before anything else; on a resumed connection, what came after its handle. The model
   * answers if it ends with a turn of the user, but for `turnComplete: false`.
   */
  sendHistory(history: readonly Content[], options?: { readonly turnComplete?: boolean }): Promise<void>;
  /**
   * A turn of the user, or the answers to calls. With `turnComplete: false` the model does not answer yet: the turn ends
   * with the next content without it.
   */
  sendContent(content: Content, options?: { readonly turnComplete?: boolean }): Promise<void>;
  /** Sends one chunk of media, or a signal. */
  sendRealtime(input: RealtimeInput): Promise<void>;
  /**
   * The model's responses, in order, until the connection ends. Can be read once. Throws a `PlatformError` with a
   * `MODEL_…` reason.
   */
  receive(): AsyncIterable<LlmResponse>;
  /** Ends the connection: `receive` yields what has arrived and ends. Idempotent. */
  close(): Promise<void>;
}
