import type { Content, UsageMetadata } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import type { BaseLlm } from "../models/base-llm.ts";

/** The input of a summarizer. */
export interface SummaryRequest {
  /**
   * Summaries of earlier events; the new one replaces them, so it has to include their content. Usually one or none.
   */
  readonly previous: readonly Content[];
  /** Events that the previous summaries cover, passed again as context; oldest first. */
  readonly overlap: readonly Event[];
  /** Events to cover, oldest first; at least one. */
  readonly events: readonly Event[];
  /** The model of the conversation's agent. */
  readonly model?: BaseLlm;
  /** Aborts when the run ends or the summary takes too long. */
  readonly signal: AbortSignal;
}

/** The summary of a range of events, as a summarizer returns it. */
export interface EventSummary {
  readonly content: Content;
  /** The tokens of the summary; added to the run's costs. */
  readonly usageMetadata?: UsageMetadata;
  readonly modelVersion?: string;
}

/** Summarizes events. */
export interface EventSummarizer {
  /** The name of the model that writes the summaries, by which budgets price them; by default that of `request.model`. */
  readonly modelName?: string | undefined;
  /** Undefined, or a throw, leaves the history unchanged; the run continues either way. */
  summarizeEvents(request: SummaryRequest): Promise<EventSummary | undefined>;
}
