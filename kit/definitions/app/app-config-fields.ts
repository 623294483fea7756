import { createEventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import type { OnDisconnect, ResumabilityConfig } from "#kit/core/app.ts";
import { instanceRef, registered } from "#kit/definitions/yaml/agent-config-fields.ts";
import { flag, integer, listOf, oneOf, record } from "#kit/definitions/yaml/config-shapes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type ContextCacheConfig, createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { type CheckProblem, Type } from "#kit/schema/shape.ts";
import { CONCURRENCY_POLICIES } from "#kit/sessions/run-record.ts";
import type { AppConfig, EventsCompactionFields } from "./app-config.ts";

const ON_DISCONNECT: readonly OnDisconnect[] = ["continue", "cancel"];

const eventsCompaction = record<EventsCompactionFields>(
  "When a long conversation becomes a summary in prompts.",
  Type.Partial({
    compactionInterval: integer("After a run: turns since the last summary that make the next one due.", 1),
    overlapSize: integer("Goes with compactionInterval: turns before them that the summarizer sees once more.", 0),
    tokenThreshold: integer("Before a model call: tokens of the prompt from which on history is summarized.", 1),
    eventRetentionSize: integer("Goes with tokenThreshold: newest events that are never summarized.", 0),
    summarizer: instanceRef("Makes the summaries, in place of the agent's own model."),
  }),
  { check: checkedBy(({ summarizer: _, ...numbers }) => createEventsCompactionConfig(numbers)) },
);

const contextCache = record<Partial<ContextCacheConfig>>(
  "How the unchanging start of prompts is kept by the model's provider.",
  Type.Partial({
    maxInvocations: integer("Turns that one cache serves before it is made anew; 10 when left out.", 1),
    ttlSeconds: integer("How long a cache is kept; 1800 when left out.", 1),
    minTokens: integer("Shorter prompts are not cached; 0 when left out.", 0),
  }),
  { check: checkedBy(createContextCacheConfig) },
);

/** The fields of `app.yaml`: every setting of `createApp`, or this does not compile. */
export const APP_FIELDS = record<AppConfig>(
  "",
  Type.Partial({
    plugins: listOf(
      "Plugins that watch all runs of the app, in this order.",
      registered("A plugin.", "Arguments for the plugin; which, the plugin says."),
    ),
    eventsCompaction,
    contextCache,
    resumability: record<ResumabilityConfig>("What becomes of runs that were cut off.", {
      isResumable: flag("Interrupted runs are recovered (the default). If false, they end as interrupted."),
    }),
    concurrencyPolicy: oneOf(
      CONCURRENCY_POLICIES,
      "What happens to a message for a busy session when its request does not say; when left out, as the server has it.",
    ),
    onDisconnect: oneOf(
      ON_DISCONNECT,
      "What becomes of a run whose client leaves when its request does not say; when left out, as the server has it.",
    ),
  }),
);

/** A check of the kit for apps in code. */
function checkedBy<Config>(create: (config: Config) => unknown): (config: Config) => CheckProblem | undefined {
  return (config) => {
    try {
      create(config);
      return undefined;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { message: error.message, field: error.details["field"]?.split(".").at(-1) };
    }
  };
}
