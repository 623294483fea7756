import { createEventsCompactionConfig, type EventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import { type ContextCacheConfig, createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { assertIdentifier } from "#kit/platform/identifiers.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import { assertUniqueNames, type BaseAgent } from "./base-agent.ts";
import type { Plugin } from "./plugin.ts";

/**
 * Whether a run that stopped unfinished after its message was stored is recovered from where it stopped; otherwise it
 * ends as interrupted.
 */
export interface ResumabilityConfig {
  readonly isResumable: boolean;
}

/** Whether a run continues or is cancelled when its client disconnects before the end. */
export type OnDisconnect = "continue" | "cancel";

/**
 * An agent application: a tree of agents under a name, the plugins of all its runs, and the settings of all its
 * sessions.
 */
export interface App {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins: readonly Plugin[];
  /** Absent: prompts contain all events of the session. */
  readonly eventsCompaction?: EventsCompactionConfig;
  /** Absent: each request sends the whole prompt. */
  readonly contextCache?: ContextCacheConfig;
  /** Absent: runs are recovered. */
  readonly resumability?: ResumabilityConfig;
  /** The policy for a message to a busy session if its request names none. Absent: the server's default. */
  readonly concurrencyPolicy?: ConcurrencyPolicy;
  /** The policy for a client that disconnects if its request names none. Absent: the server's default. */
  readonly onDisconnect?: OnDisconnect;
}

export interface AppOptions {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins?: readonly Plugin[];
  readonly eventsCompaction?: EventsCompactionConfig;
  /** Members that are left out have their defaults. */
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
