import type { JsonObject } from "../platform/json.ts";

/** The members of a model's response that only live connections have. */
export interface LiveSignals {
  /** The model has generated its whole answer; the client may still play it. */
  readonly generationComplete?: boolean;
  /** Why the turn is complete, if the provider names a reason. */
  readonly turnCompleteReason?: string;
  /** `IN_PROGRESS` with a turn's end: more turns follow without input. Absent: the turn's end is the answer's end. */
  readonly interactionStatus?: string;
  /** The user began or ended to speak; sent with `explicitVadSignal`. */
  readonly voiceActivity?: JsonObject;
  /** The provider will end the connection, which then continues on another one. */
  readonly goAway?: LiveGoAway;
  /** A new handle of the session at the provider. Secret: whoever has it can continue the session. */
  readonly liveSessionResumptionUpdate?: LiveSessionResumptionUpdate;
  /** Ids of calls that the model does not need any more; their answers are not sent. */
  readonly cancelledCallIds?: readonly string[];
  /** The conversation continues with another model, or on a new session that got the conversation as text. */
  readonly liveModelChange?: LiveModelChange;
  /** Media of the user that was never sent, because a gap between two connections was too long. */
  readonly liveInputDropped?: { readonly chunks: number; readonly bytes: number };
}

/** The provider's notice that it ends a live connection. */
export interface LiveGoAway {
  /** A duration such as `"50s"`. */
  readonly timeLeft?: string;
}

/** The handle that continues a session of the provider on another live connection. */
export interface LiveSessionResumptionUpdate {
  readonly newHandle?: string;
  /** False while the session cannot be continued, such as during a call of a tool. */
  readonly resumable?: boolean;
  /** The number of client messages that the handle covers; only with `sessionResumption.transparent`, on Vertex AI. */
  readonly lastConsumedClientMessageIndex?: number;
}

/** A live conversation's change to another model, or to a new session of the same one. */
export interface LiveModelChange {
  readonly from: string;
  /** Equal to `from` if the same model got the conversation in a new session. */
  readonly to: string;
  /** A stable reason in upper case, such as `MODEL_UNAVAILABLE`. */
  readonly reason: string;
  /** Whether the new session got the conversation as text: details such as the tone of a voice are lost. */
  readonly replayed: boolean;
}
