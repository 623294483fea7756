import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import type { Content, Transcription, UsageMetadata } from "../events/content.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";
import type { LiveSignals } from "./live-signals.ts";

/**
 * One answer of a model, or with `partial` a part of one. A streaming call yields partial responses that hold only the
 * new content, then one complete response with everything.
 */
export interface LlmResponse extends LiveSignals {
  readonly content?: Content;
  readonly partial?: boolean;
  readonly turnComplete?: boolean;
  /** The model was interrupted while generating. */
  readonly interrupted?: boolean;
  /** A finish reason other than STOP, or a category of failure. */
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly finishReason?: string;
  readonly usageMetadata?: UsageMetadata;
  readonly groundingMetadata?: JsonObject;
  readonly citationMetadata?: JsonObject;
  readonly avgLogprobs?: number;
  readonly customMetadata?: JsonValue;
  readonly modelVersion?: string;
  readonly cacheMetadata?: CacheMetadata;
  readonly inputTranscription?: Transcription;
  readonly outputTranscription?: Transcription;
}
