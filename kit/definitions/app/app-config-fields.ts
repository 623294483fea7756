import { createEventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import { type AppSchedule, assertAppSchedules, type OnDisconnect, type ResumabilityConfig } from "#kit/core/app.ts";
import { type AppInbox, assertAppInbox, ON_EXPIRY } from "#kit/core/app-settings/app-inbox.ts";
import { type AppWebhook, assertAppWebhooks, WEBHOOK_EVENTS } from "#kit/core/app-settings/app-webhooks.ts";
import { instanceRef, registered } from "#kit/definitions/yaml/agent-config-fields.ts";
import {
  flag,
  freeMap,
  integer,
  listOf,
  oneOf,
  publishedSchema,
  record,
  text,
} from "#kit/definitions/yaml/config-shapes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type ContextCacheConfig, createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type CheckProblem, Type } from "#kit/schema/shape.ts";
import { CONCURRENCY_POLICIES } from "#kit/sessions/run-record.ts";
import type { AppConfig, EventsCompactionFields } from "./app-config.ts";

const ON_DISCONNECT: readonly OnDisconnect[] = ["continue", "cancel"];

const eventsCompaction = record<EventsCompactionFields>(
  "When and how long histories are summarized in prompts.",
  Type.Partial({
    compactionInterval: integer(
      "After a run, history is summarized once this many turns have followed the last summary. Requires overlapSize.",
      1,
    ),
    overlapSize: integer(
      "With compactionInterval: already summarized turns that the summarizer gets again as context.",
      0,
    ),
    tokenThreshold: integer(
      "Before a model call, history is summarized if the prompt has at least this many tokens. Requires eventRetentionSize.",
      1,
    ),
    eventRetentionSize: integer("With tokenThreshold: how many of the newest events are never summarized.", 0),
    summarizer: instanceRef("Writes the summaries instead of the agent's own model."),
  }),
  { check: checkedBy(({ summarizer: _, ...numbers }) => createEventsCompactionConfig(numbers)) },
);

const contextCache = record<Partial<ContextCacheConfig>>(
  "How the model's provider caches the constant start of prompts.",
  Type.Partial({
    maxInvocations: integer("Turns that one cache serves before it is replaced; 10 by default.", 1),
    ttlSeconds: integer("Time to live of a cache in seconds; 1800 by default.", 1),
    minTokens: integer("Prompts with fewer tokens are not cached; 0 by default.", 0),
  }),
  { check: checkedBy(createContextCacheConfig) },
);

const schedule = record<AppSchedule>(
  "A run of the app that starts at times.",
  {
    name: text("Unique within the app."),
    userId: text("The user for whom the runs start."),
    cron: Type.Optional(text("Minute, hour, day of the month, month and weekday, such as 0 9 * * MON-FRI.")),
    timeZone: Type.Optional(text("The zone of cron, such as Europe/Berlin; UTC if left out.")),
    at: Type.Optional(text("In place of cron: one time with its offset, such as 2027-01-31T09:00:00+01:00.")),
    text: text("The message of each run."),
    sessionId: Type.Optional(text("The session of all runs; a new one for each if left out.")),
    stateDelta: Type.Optional(freeMap("State to set before each run.")),
    overlap: Type.Optional(oneOf(["skip", "queue", "allow"], "A tick while a run has not ended; skip if left out.")),
    catchUp: Type.Optional(oneOf(["none", "one", "all"], "Late ticks that start; one if left out.")),
  },
  { check: checkedBy((one: AppSchedule) => assertAppSchedules([one])) },
);

const webhook = record<AppWebhook>(
  "An address that hears of the app's events.",
  {
    name: text("Unique within the app."),
    url: text("The address of its receiver."),
    events: Type.Optional(listOf("The types to send; all if left out.", oneOf(WEBHOOK_EVENTS))),
    userId: Type.Optional(text("The user to hear of; all users of the tenant default if left out.")),
    secret: Type.Optional(text("The name of the secret in WEBHOOK_SECRETS_FILE; the server makes one if left out.")),
  },
  { check: checkedBy((one: AppWebhook) => assertAppWebhooks([one])) },
);

const inbox = record<AppInbox>(
  "How long questions of the app's runs wait for people, on a server that keeps their times.",
  {
    expiresAfterSeconds: integer("How long a run waits for its answer, such as 86400 for a day; at most 90 days.", 1),
    onExpiry: Type.Optional(
      oneOf(
        ON_EXPIRY,
        "When the time is over: reject declines (the default), approve gives confirmations, fail ends the run.",
      ),
    ),
  },
  { check: checkedBy(assertAppInbox) },
);

/** The fields of `app.yaml`: every setting of `createApp`, or this does not compile. */
export const APP_FIELDS = record<AppConfig>(
  "",
  Type.Partial({
    plugins: listOf(
      "Plugins of all runs of the app; their hooks run in this order.",
      registered("A plugin.", "Arguments of the plugin; each plugin defines its own."),
    ),
    eventsCompaction,
    contextCache,
    resumability: record<ResumabilityConfig>("How interrupted runs are handled.", {
      isResumable: flag("Interrupted runs are recovered (the default). If false, they end as interrupted."),
    }),
    concurrencyPolicy: oneOf(
      CONCURRENCY_POLICIES,
      "The policy for a message to a busy session if its request names none; the server's default if left out.",
    ),
    schedules: listOf("Runs that start at times, on a server that keeps schedules.", schedule),
    webhooks: listOf("Addresses that hear of the app's events, on a server that keeps webhooks.", webhook),
    inbox,
    onDisconnect: oneOf(
      ON_DISCONNECT,
      "The policy for a run whose client disconnects if its request names none; the server's default if left out.",
    ),
    examples: listOf(
      "Messages that the app answers well, for people who try it; the server's API description uses the first.",
      text("A message."),
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

/**
 * JSON Schema of `app.yaml`, for editors: `# yaml-language-server: $schema=…`. Built from the shape that the file is
 * read by.
 */
export function appConfigSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Fairlead app settings",
    ...publishedSchema(APP_FIELDS),
  };
}
