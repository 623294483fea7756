import type { Blob, Content } from "../events/content.ts";
import type { JsonObject } from "../platform/json.ts";
import type { LlmResponse } from "./llm-response.ts";

/** What a live connection is asked for; names as in the Gemini Live API. Adapters pass on what their model has. */
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

export interface ConnectOptions {
  readonly config: LiveConnectConfig;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/** A live connection to a model: both sides talk at any time. Sending resolves when the connection has taken the data. */
export interface BaseLlmConnection {
  /** The conversation so far, before anything else is sent; the model answers when it ends with a turn of the user. */
  sendHistory(history: readonly Content[]): Promise<void>;
  /** A turn of the user, or the answers to calls. */
  sendContent(content: Content): Promise<void>;
  /** A piece of media, as it comes. */
  sendRealtime(blob: Blob): Promise<void>;
  /** What the model says, in order, until the connection ends. Read once. Throws a `PlatformError` with a `MODEL_…` reason. */
  receive(): AsyncIterable<LlmResponse>;
  /** Ends the connection: `receive` gives what has arrived and ends. Idempotent. */
  close(): Promise<void>;
}
