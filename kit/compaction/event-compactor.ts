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

/** Shortens a session's history outside a run, for programs and maintenance; runs do it by themselves. */
export interface EventCompactor {
  /**
   * Appends a summary when the configuration says that one is due, to the store and to the session object alike. The
   * session has to hold its newest events; what it lacks of the oldest stays as it is. Throws what the summarizer and
   * the service throw.
   */
  compact(session: Session, sessionService: SessionService): Promise<void>;
}

export interface EventCompactorOptions {
  readonly config: EventsCompactionConfig;
  /** For the summarizer; without it the summarizer must have its own. */
  readonly model?: BaseLlm;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly signal?: AbortSignal;
}

/** Whole invocations are counted when they are known; a prompt's length is looked at here. */
function isDue({ compactionInterval, tokenThreshold }: EventsCompactionConfig, events: readonly Event[]): boolean {
  if (compactionInterval !== undefined) return true;
  return tokenThreshold !== undefined && promptTokens(events, undefined, tokenThreshold) >= tokenThreshold;
}

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
        ...(compactionInterval !== undefined && { invocations: compactionInterval }),
        ...(overlapSize !== undefined && { overlap: overlapSize }),
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
