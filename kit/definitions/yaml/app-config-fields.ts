import { createEventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import type { OnDisconnect, ResumabilityConfig } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type ContextCacheConfig, createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { CONCURRENCY_POLICIES } from "#kit/sessions/run-record.ts";
import { instanceRef, registered } from "./agent-config-fields.ts";
import type { AppConfig, EventsCompactionFields, PluginConfig } from "./app-config.ts";
import type { ConfigField, ConfigFields } from "./config-field.ts";
import { flag, integer, listOf, oneOf, record, required } from "./config-fields.ts";

const ON_DISCONNECT: readonly OnDisconnect[] = ["continue", "cancel"];

const compactionFields: ConfigFields<EventsCompactionFields> = {
  compactionInterval: integer("After a run: turns since the last summary that make the next one due.", 1),
  overlapSize: integer("Goes with compactionInterval: turns before them that the summarizer sees once more.", 0),
  tokenThreshold: integer("Before a model call: tokens of the prompt from which on history is summarized.", 1),
  eventRetentionSize: integer("Goes with tokenThreshold: newest events that are never summarized.", 0),
  summarizer: instanceRef("Makes the summaries, in place of the agent's own model."),
};

const cacheFields: ConfigFields<Partial<ContextCacheConfig>> = {
  maxInvocations: integer("Turns that one cache serves before it is made anew; 10 when left out.", 1),
  ttlSeconds: integer("How long a cache is kept; 1800 when left out.", 1),
  minTokens: integer("Shorter prompts are not cached; 0 when left out.", 0),
};

/** The fields of `app.yaml`: every setting of `createApp`, or this does not compile. */
export const APP_FIELDS: ConfigFields<AppConfig> = {
  plugins: listOf(
    "Plugins that watch all runs of the app, in this order.",
    record<PluginConfig>("A plugin.", registered("Arguments for the plugin; which, the plugin says.")),
  ),
  eventsCompaction: checkedRecord(
    "When a long conversation becomes a summary in prompts.",
    compactionFields,
    ({ summarizer: _, ...numbers }) => createEventsCompactionConfig(numbers),
  ),
  contextCache: checkedRecord(
    "How the unchanging start of prompts is kept by the model's provider.",
    cacheFields,
    createContextCacheConfig,
  ),
  resumability: record<ResumabilityConfig>("What becomes of runs that were cut off.", {
    isResumable: required(
      flag("They are taken up again where they stopped, as without this; else they end as interrupted."),
    ),
  }),
  concurrencyPolicy: oneOf(
    "What happens to a message for a busy session when its request does not say; when left out, as the server has it.",
    CONCURRENCY_POLICIES,
  ),
  onDisconnect: oneOf(
    "What becomes of a run whose client leaves when its request does not say; when left out, as the server has it.",
    ON_DISCONNECT,
  ),
};

/** A map that the kit also checks as a whole, as for apps in code, if each field is valid by itself. */
function checkedRecord<Config extends object>(
  description: string,
  fields: ConfigFields<Config>,
  check: (config: Config) => unknown,
): ConfigField<Config> {
  const { schema, read } = record(description, fields);
  return {
    schema,
    read: (node, reading) => {
      const before = reading.problems.count;
      const config = read(node, reading);
      if (config === undefined || reading.problems.count > before) return config;
      try {
        check(config);
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        const field = error.details["field"]?.split(".").at(-1);
        reading.problems.add(error.message, reading.placeOf(config, field));
      }
      return config;
    },
  };
}
