import { createEvent, type Event, USER_AUTHOR } from "../events/event.ts";
import { createEventActions } from "../events/event-actions.ts";
import type { BaseLlm } from "../models/base-llm.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "../platform/id-generator.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { compactEvents } from "./compact-events.ts";
import { promptTokens } from "./estimate-tokens.ts";
import type { EventsCompactionConfig } from "./events-compaction-config.ts";
import { LlmEventSummarizer } from "./llm-event-summarizer.ts";

/** Compacts a session's history outside a run, for programs and maintenance; runs compact by themselves. */
export interface EventCompactor {
  /**
   * Appends a summary to the store and to the session object if one is due by the configuration. The session has to
   * contain its newest events; oldest events that it lacks are not summarized. Throws what the summarizer and the
   * service throw.
   */
  compact(session: Session, sessionService: SessionService): Promise<void>;
}

/** Options of a compactor: when to summarize, and the summarizer. */
export interface EventCompactorOptions {
  readonly config: EventsCompactionConfig;
  /** For the summarizer; required unless the summarizer has a model of its own. */
  readonly model?: BaseLlm;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly signal?: AbortSignal;
}

/** Checks the length of the prompt only; whole invocations are counted by the compaction's plan. */
function isDue({ compactionInterval, tokenThreshold }: EventsCompactionConfig, events: readonly Event[]): boolean {
  if (compactionInterval !== undefined) return true;
  return tokenThreshold !== undefined && promptTokens(events, undefined, tokenThreshold) >= tokenThreshold;
}

/** Returns a compactor that summarizes a session outside a run, by the rules of an app's `eventsCompaction`. */
export function createEventCompactor(options: EventCompactorOptions): EventCompactor {
  const { config, model, clock = systemClock, ids = new UuidV7Generator(), signal } = options;
  const { compactionInterval, overlapSize, eventRetentionSize = 0 } = config;
  return {
    compact: async (session, sessionService) => {
      const { events, revision } = session;
      if (!isDue(config, events)) return;
      const slice = { events: events.slice(), firstSequence: revision - events.length + 1 };
      const rule = {
        retain: eventRetentionSize,
        invocations: compactionInterval,
        overlap: overlapSize,
      };
      const made = await compactEvents(slice, rule, {
        summarizer: config.summarizer ?? new LlmEventSummarizer(),
        model,
        signal: signal ?? new AbortController().signal,
      });
      if (made === undefined) return;
      const { compaction } = made;
      const id = ids.next();
      const event = createEvent({
        id,
        invocationId: `e-${id}`,
        author: USER_AUTHOR,
        timestamp: clock.now(),
        actions: createEventActions({ compaction }),
      });
      await sessionService.appendEvent(session, event);
    },
  };
}
