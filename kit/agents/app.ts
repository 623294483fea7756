import { createEventsCompactionConfig, type EventsCompactionConfig } from "../compaction/events-compaction-config.ts";
import { type ContextCacheConfig, createContextCacheConfig } from "../context-cache/context-cache-config.ts";
import { assertIdentifier } from "../platform/identifiers.ts";
import type { Plugin } from "../plugins/plugin.ts";
import { assertUniqueNames, type BaseAgent } from "./base-agent.ts";

/** Whether runs that were cut off may be taken up again where they stopped. */
export interface ResumabilityConfig {
  readonly isResumable: boolean;
}

/** An agent application: a tree of agents under a name, the plugins that watch all its runs, and what holds for all its sessions. */
export interface App {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins: readonly Plugin[];
  /** Absent: sessions keep all their events in prompts. */
  readonly eventsCompaction?: EventsCompactionConfig;
  /** Absent: prompts are sent whole each time. */
  readonly contextCache?: ContextCacheConfig;
  readonly resumability?: ResumabilityConfig;
}

export interface AppOptions {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins?: readonly Plugin[];
  readonly eventsCompaction?: EventsCompactionConfig;
  /** What is left out has its default. */
  readonly contextCache?: Partial<ContextCacheConfig>;
  readonly resumability?: ResumabilityConfig;
}

/**
 * Throws `INVALID_IDENTIFIER` for the name, `DUPLICATE_NAME` when two agents of the tree share one, and `INVALID_FIELD` for a
 * setting out of range.
 */
export function createApp(options: AppOptions): App {
  const { name, rootAgent, plugins = [], eventsCompaction, contextCache, resumability } = options;
  assertIdentifier("name", name);
  assertUniqueNames(rootAgent);
  return {
    name,
    rootAgent,
    plugins,
    ...(eventsCompaction !== undefined && { eventsCompaction: createEventsCompactionConfig(eventsCompaction) }),
    ...(contextCache !== undefined && { contextCache: createContextCacheConfig(contextCache) }),
    ...(resumability !== undefined && { resumability }),
  };
}
