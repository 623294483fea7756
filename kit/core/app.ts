import { createEventsCompactionConfig, type EventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import { type ContextCacheConfig, createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { assertIdentifier } from "#kit/platform/identifiers.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import { assertUniqueNames, type BaseAgent } from "./base-agent.ts";
import type { Plugin } from "./plugin.ts";

/**
 * Whether runs that were cut off, after their message was stored, are taken up again where they stopped; else they end
 * as interrupted.
 */
export interface ResumabilityConfig {
  readonly isResumable: boolean;
}

/** What becomes of a run whose client leaves before its end. */
export type OnDisconnect = "continue" | "cancel";

/**
 * An agent application: a tree of agents under a name, the plugins that watch all its runs, and what holds for all its
 * sessions.
 */
export interface App {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins: readonly Plugin[];
  /** Absent: sessions keep all their events in prompts. */
  readonly eventsCompaction?: EventsCompactionConfig;
  /** Absent: prompts are sent whole each time. */
  readonly contextCache?: ContextCacheConfig;
  /** Absent: they are. */
  readonly resumability?: ResumabilityConfig;
  /** What happens to a message for a busy session when its request does not say. Absent: as the server has it. */
  readonly concurrencyPolicy?: ConcurrencyPolicy;
  /** What becomes of a run whose client leaves when its request does not say. Absent: as the server has it. */
  readonly onDisconnect?: OnDisconnect;
}

export interface AppOptions {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins?: readonly Plugin[];
  readonly eventsCompaction?: EventsCompactionConfig;
  /** What is left out has its default. */
  readonly contextCache?: Partial<ContextCacheConfig>;
  readonly resumability?: ResumabilityConfig;
  readonly concurrencyPolicy?: ConcurrencyPolicy;
  readonly onDisconnect?: OnDisconnect;
}

/**
 * Throws `INVALID_IDENTIFIER` for the name, `DUPLICATE_NAME` when two agents of the tree share one, and `INVALID_FIELD`
 * for a setting out of range.
 */
export function createApp(options: AppOptions): App {
  const {
    name,
    rootAgent,
    plugins = [],
    eventsCompaction,
    contextCache,
    resumability,
    concurrencyPolicy,
    onDisconnect,
  } = options;
  assertIdentifier("name", name);
  assertUniqueNames(rootAgent);
  return {
    name,
    rootAgent,
    plugins,
    ...(eventsCompaction !== undefined && { eventsCompaction: createEventsCompactionConfig(eventsCompaction) }),
    ...(contextCache !== undefined && { contextCache: createContextCacheConfig(contextCache) }),
    ...(resumability !== undefined && { resumability }),
    ...(concurrencyPolicy !== undefined && { concurrencyPolicy }),
    ...(onDisconnect !== undefined && { onDisconnect }),
  };
}
