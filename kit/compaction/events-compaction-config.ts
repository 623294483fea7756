import { PlatformError } from "../errors/platform-error.ts";
import type { EventSummarizer } from "./event-summarizer.ts";

/**
 * When and how an app's sessions are compacted. Without `compactionInterval` and `tokenThreshold` they are never
 * compacted.
 */
export interface EventsCompactionConfig {
  /**
   * After a run, history is summarized once this many invocations have followed the last summary. Requires
   * `overlapSize`.
   */
  readonly compactionInterval?: number;
  /** Number of invocations before the window that are summarized a second time, so that successive summaries agree. */
  readonly overlapSize?: number;
  /**
   * Before a model call, history is summarized if the prompt has at least this many tokens. Requires
   * `eventRetentionSize`.
   */
  readonly tokenThreshold?: number;
  /** Newest events that are never summarized. */
  readonly eventRetentionSize?: number;
  /** By default an `LlmEventSummarizer` with the agent's own model. */
  readonly summarizer?: EventSummarizer;
}

/** The configuration, checked. Throws `INVALID_FIELD` for a number out of range and for half of a pair. */
export function createEventsCompactionConfig(config: EventsCompactionConfig): EventsCompactionConfig {
  const { compactionInterval, overlapSize, tokenThreshold, eventRetentionSize } = config;
  assertNumber("compactionInterval", compactionInterval, 1);
  assertNumber("overlapSize", overlapSize, 0);
  assertNumber("tokenThreshold", tokenThreshold, 1);
  assertNumber("eventRetentionSize", eventRetentionSize, 0);
  assertPair("compactionInterval", compactionInterval, "overlapSize", overlapSize);
  if (tokenThreshold !== undefined)
    assertPair("tokenThreshold", tokenThreshold, "eventRetentionSize", eventRetentionSize);
  return config;
}

/** Whether whole invocations are summarized after a run. */
export function hasSlidingWindowCompactionConfig(config: EventsCompactionConfig): boolean {
  return config.compactionInterval !== undefined && config.overlapSize !== undefined;
}

/** Whether history is summarized before a model call whose prompt has grown too long. */
export function hasTokenThresholdCompactionConfig(config: EventsCompactionConfig): boolean {
  return config.tokenThreshold !== undefined && config.eventRetentionSize !== undefined;
}

function assertNumber(name: keyof EventsCompactionConfig, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw invalid(name, `must be a whole number from ${least}`);
}

function assertPair(
  one: keyof EventsCompactionConfig,
  oneValue: number | undefined,
  other: keyof EventsCompactionConfig,
  otherValue: number | undefined,
): void {
  if ((oneValue === undefined) === (otherValue === undefined)) return;
  const [given, missing] = oneValue === undefined ? [other, one] : [one, other];
  throw invalid(missing, `is missing: ${given} needs it`);
}

function invalid(name: keyof EventsCompactionConfig, problem: string): PlatformError {
  const field = `eventsCompaction.${name}`;
  return new PlatformError("INVALID_FIELD", `${field} ${problem}.`, { details: { field } });
}
