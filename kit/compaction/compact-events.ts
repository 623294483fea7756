import { isToolBranch } from "#kit/events/branch.ts";
import { foldHistory, type HistorySlice, numbered, withoutRewound } from "#kit/history/fold-history.ts";
import { type CompactionPlan, type CompactionRule, overlapOf, planCompaction } from "#kit/history/plan-compaction.ts";
import type { Event } from "../events/event.ts";
import type { EventCompaction } from "../events/event-actions.ts";
import type { BaseLlm } from "../models/base-llm.ts";
import type { EventSummarizer, EventSummary } from "./event-summarizer.ts";

/** A hanging summarizer must not hold up its run for good. */
const SUMMARY_TIMEOUT_MS = 60_000;

export interface CompactionTools {
  readonly summarizer: EventSummarizer;
  readonly model: BaseLlm | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

export interface Compaction {
  readonly compaction: EventCompaction;
  readonly summary: EventSummary;
}

/**
 * Summarizes by the rule; returns undefined if nothing is due or the summarizer returns nothing. Throws what the
 * summarizer throws.
 */
export async function compactEvents(
  history: HistorySlice,
  rule: CompactionRule,
  tools: CompactionTools,
): Promise<Compaction | undefined> {
  const plan = planCompaction(foldHistory(history), rule);
  // Without events of the conversation itself there is nothing to summarize.
  if (plan === undefined || !plan.covered.some(isOfConversation)) return undefined;
  const summary = await summarize(history, plan, { ...tools, overlap: rule.overlap ?? 0 });
  if (summary === undefined) return undefined;
  const { startSequence, endSequence, keptSequences, startTimestamp, endTimestamp } = plan;
  return {
    summary,
    compaction: {
      compactedContent: summary.content,
      startTimestamp,
      endTimestamp,
      startSequence,
      endSequence,
      keptSequences: keptSequences.length > 0 ? keptSequences : undefined,
    },
  };
}

async function summarize(
  history: HistorySlice,
  plan: CompactionPlan,
  {
    summarizer,
    model,
    signal,
    timeoutMs = SUMMARY_TIMEOUT_MS,
    overlap,
  }: CompactionTools & { readonly overlap: number },
): Promise<EventSummary | undefined> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(ended.reason);
  ended.addEventListener("abort", abort, { once: true });
  if (ended.aborted) abort();
  try {
    const summary = summarizer.summarizeEvents({
      previous: plan.previous.map(({ content }) => content),
      overlap:
        overlap === 0 ? [] : overlapOf(withoutRewound(numbered(history)), plan, overlap).filter(isOfConversation),
      events: plan.covered.filter(isOfConversation),
      model,
      signal: ended,
    });
    // A summarizer that ignores its signal is not awaited.
    return await Promise.race([summary, aborted]);
  } finally {
    ended.removeEventListener("abort", abort);
  }
}

/** Events of an agent that serves as a tool are not part of the conversation; the tool's response is. */
function isOfConversation({ branch, content }: Event): boolean {
  return content !== undefined && !isToolBranch(branch);
}
