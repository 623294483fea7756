import type { Content, UsageMetadata } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import type { BaseLlm } from "../models/base-llm.ts";

/** What a summary is made of. */
export interface SummaryRequest {
  /**
   * Summaries of what came before; the new one takes their place, so it has to hold what they say. Usually one or none.
   */
  readonly previous: readonly Content[];
  /** Events that the previous summaries cover, shown again for the connection; oldest first. */
  readonly overlap: readonly Event[];
  /** Events that are to be covered, oldest first; at least one. */
  readonly events: readonly Event[];
  /** The model of the agent whose conversation it is. */
  readonly model?: BaseLlm;
  /** Aborts when the run ends or the summary takes too long. */
  readonly signal: AbortSignal;
}

export interface EventSummary {
  readonly content: Content;
  /** What the summary cost; counted with its run. */
  readonly usageMetadata?: UsageMetadata;
  readonly modelVersion?: string;
}

/** Tells events in few words. */
export interface EventSummarizer {
  /** Undefined, or a throw, leaves the history as it is; the run goes on either way. */
  summarizeEvents(request: SummaryRequest): Promise<EventSummary | undefined>;
}
