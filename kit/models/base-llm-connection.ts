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
}

/** Options of a live connection to a model. */
export interface ConnectOptions {
  readonly config: LiveConnectConfig;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/**
 * A live connection to a model: both sides can send at any time. Sending resolves when the connection has accepted the
 * data.
 */
export interface BaseLlmConnection {
  /** Sends the conversation so far, before anything else; the model answers if it ends with a turn of the user. */
  sendHistory(history: readonly Content[]): Promise<void>;
  /** A turn of the user, or the answers to calls. */
  sendContent(content: Content): Promise<void>;
  /** Sends one chunk of media. */
  sendRealtime(blob: Blob): Promise<void>;
  /**
   * The model's responses, in order, until the connection ends. Can be read once. Throws a `PlatformError` with a
   * `MODEL_…` reason.
   */
  receive(): AsyncIterable<LlmResponse>;
  /** Ends the connection: `receive` yields what has arrived and ends. Idempotent. */
  close(): Promise<void>;
}
