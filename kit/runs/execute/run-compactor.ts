import { type Compaction, compactEvents } from "#kit/compaction/compact-events.ts";
import { estimateTokens, promptTokens } from "#kit/compaction/estimate-tokens.ts";
import type { EventSummarizer } from "#kit/compaction/event-summarizer.ts";
import type { EventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import { LlmEventSummarizer } from "#kit/compaction/llm-event-summarizer.ts";
import type { HistoryCompactor, InvocationContext, RunnableAgent } from "#kit/core/context/invocation-context.ts";
import { isToolBranch } from "#kit/events/branch.ts";
import { createEvent, type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { CompactionRule } from "#kit/history/plan-compaction.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { inTenant } from "#kit/names/tenant.ts";

export interface RunCompactorOptions {
  readonly config: EventsCompactionConfig;
  /** Makes summaries count against the run's budget; absent if it has none. */
  readonly meter?: ((summarizer: EventSummarizer) => EventSummarizer) | undefined;
  /** Whether the events of the run's session have the sequences of the store. */
  readonly isCurrent: () => boolean;
  /** Stores an event of the run without showing it to the run's clients. */
  readonly store: (context: InvocationContext, event: Event) => Promise<void>;
}

/**
 * A new summary has to cover at least this share of the threshold; otherwise each step of a long turn would make one.
 */
const LEAST_SHARE = 0.1;

/**
 * Compacts the session of one run: before a model call whose prompt is too long, and after the run. A failure leaves
 * the history unchanged and is only logged.
 */
export class RunCompactor implements HistoryCompactor {
  readonly #options: RunCompactorOptions;
  readonly #summarizer: EventSummarizer;
  #compacting: Promise<void> | undefined;
  #hasCompacted = false;

  constructor(options: RunCompactorOptions) {
    this.#options = options;
    const summarizer = options.config.summarizer ?? new LlmEventSummarizer();
    this.#summarizer = options.meter?.(summarizer) ?? summarizer;
  }

  /** Compacts the history if the agent's next prompt is too long. Every event of the run is stored. */
  async beforeModelCall(agent: BaseLlmAgent, context: InvocationContext): Promise<void> {
    const { tokenThreshold: threshold, eventRetentionSize: retain } = this.#options.config;
    if (threshold === undefined || retain === undefined || isToolBranch(context.branch)) return;
    // Parallel agents share the session: the second one checks again after the first has compacted it.
    while (this.#compacting !== undefined) await this.#compacting;
    const { events } = context.session;
    if (promptTokens(events, agent.name, threshold) < threshold) return;
    if (!hasEnoughToCover(events, retain, threshold * LEAST_SHARE)) return;
    await this.#compact(context, agent.resolveModel(), {
      retain,
      sparedInvocationId: context.branch === undefined ? undefined : context.invocationId,
    });
  }

  /** Whether a summary of whole invocations may be due. */
  isDueAfterRun({ session }: InvocationContext): boolean {
    const { compactionInterval, overlapSize } = this.#options.config;
    if (compactionInterval === undefined || overlapSize === undefined || this.#hasCompacted) return false;
    return countInvocations(session.events, compactionInterval) >= compactionInterval;
  }

  /** Summarizes the session's invocations after the run. Every event of the run is stored. */
  async afterRun(context: InvocationContext): Promise<void> {
    const { compactionInterval, overlapSize, eventRetentionSize = 0 } = this.#options.config;
    if (compactionInterval === undefined || overlapSize === undefined) return;
    await this.#compact(context, modelOf(context.agent), {
      retain: eventRetentionSize,
      invocations: compactionInterval,
      overlap: overlapSize,
    });
  }

  async #compact(context: InvocationContext, model: BaseLlm | undefined, rule: CompactionRule): Promise<void> {
    // Another writer has changed the session, so that the sequences here are not those of the store; a later run
    // compacts.
    if (!this.#options.isCurrent()) return;
    const span = context.span.child("compact_events", {});
    this.#compacting = this.#summarize(context, model, rule).catch((error: unknown) => {
      span.fail(error);
      const { logger } = context.services;
      logger.warn(
        { error, sessionId: context.session.id, ...inTenant(context.session.tenantId) },
        "history not compacted; the run continues with all of it",
      );
    });
    await this.#compacting;
    this.#compacting = undefined;
    span.end();
  }

  async #summarize(context: InvocationContext, model: BaseLlm | undefined, rule: CompactionRule): Promise<void> {
    const compaction = await compactEvents(context.history.slice(), rule, {
      summarizer: this.#summarizer,
      model,
      signal: context.signal,
    });
    if (compaction === undefined) return;
    await this.#options.store(context, compactionEvent(context, compaction));
    this.#hasCompacted = true;
  }
}

/** The event has no branch, whichever agent needed it, because all agents read the summary. */
function compactionEvent(context: InvocationContext, { compaction, summary }: Compaction): Event {
  const { usageMetadata, modelVersion } = summary;
  const { clock, ids } = context.services;
  if (usageMetadata !== undefined) context.addUsage(usageMetadata);
  return createEvent({
    id: ids.next(),
    invocationId: context.invocationId,
    // A summary is not an answer of an agent; other ADK servers use this author too.
    author: USER_AUTHOR,
    timestamp: clock.now(),
    actions: createEventActions({ compaction }),
    usageMetadata,
    modelVersion,
  });
}

/** Whether the events to summarize are long enough; reads no further back than the last summary. */
function hasEnoughToCover(events: readonly Event[], retain: number, least: number): boolean {
  let tokens = 0;
  for (let index = events.length - 1 - retain; index >= 0 && tokens < least; index -= 1) {
    const event = events[index];
    if (event?.actions.compaction !== undefined) break;
    tokens += estimateTokens(event?.content);
  }
  return tokens >= least;
}

/** Invocations since the last summary, counted up to the limit. */
function countInvocations(events: readonly Event[], limit: number): number {
  const seen = new Set<string>();
  for (let index = events.length - 1; index >= 0 && seen.size < limit; index -= 1) {
    const event = events[index];
    if (event === undefined) continue;
    if (event.actions.compaction !== undefined) break;
    if (event.content !== undefined) seen.add(event.invocationId);
  }
  return seen.size;
}

/**
 * The model of the first LLM agent of the tree that has one. A summarizer that needs a model throws if there is none.
 */
function modelOf(agent: RunnableAgent): BaseLlm | undefined {
  if (isLlmAgent(agent)) {
    try {
      return agent.resolveModel();
    } catch {
      return undefined;
    }
  }
  for (const child of agent.subAgents) {
    const model = modelOf(child);
    if (model !== undefined) return model;
  }
  return undefined;
}
