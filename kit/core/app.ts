import { createEventsCompactionConfig, type EventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import { type AppInbox, assertAppInbox } from "#kit/core/app-settings/app-inbox.ts";
import { type AppWebhook, assertAppWebhooks } from "#kit/core/app-settings/app-webhooks.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type ContextCacheConfig, createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import { assertUniqueNames, type BaseAgent } from "./base-agent.ts";
import { type BasePlugin, toPlugin } from "./base-plugin.ts";
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
 * A run of the app that starts at times, on a server that keeps schedules (`SCHEDULES`): by `cron` in `timeZone`, or once
 * `at` a time. Servers without schedules ignore it.
 *
 * @example
 * ```ts
 * const morning: AppSchedule = {
 *   name: "morning",
 *   userId: "newsroom",
 *   cron: "0 9 * * MON-FRI",
 *   timeZone: "Europe/Paris",
 *   text: "What is new?",
 * };
 * ```
 */
export interface AppSchedule {
  /** Unique within the app. */
  readonly name: string;
  /** The user for whom the runs start. */
  readonly userId: string;
  /** Minute, hour, day of the month, month and weekday. */
  readonly cron?: string;
  /** The zone of `cron`, such as Europe/Berlin; UTC if absent. */
  readonly timeZone?: string;
  /** In place of `cron`: one time with its offset, such as 2027-01-31T09:00:00+01:00. */
  readonly at?: string;
  /** The message of each run. */
  readonly text: string;
  /** The session of all runs; a new one for each if absent. */
  readonly sessionId?: string;
  /** State to set before each run. */
  readonly stateDelta?: JsonObject;
  /** The treatment of a tick while a run of the schedule has not ended: `skip` if absent. */
  readonly overlap?: "skip" | "queue" | "allow";
  /** Which ticks start late that no server could start in time: `one` if absent. */
  readonly catchUp?: "none" | "one" | "all";
}

/** What `createApp` takes: the root agent, and the settings of all runs of the app. */
export interface AppOptions {
  /** An identifier, which requests and sessions name the app by; not `user`. */
  readonly name: string;
  /** The agent that answers first. */
  readonly rootAgent: BaseAgent;
  /** Hooks for all agents, models and tools of the app, in their order. */
  readonly plugins?: readonly (Plugin | BasePlugin)[];
  /** Replaces old events in prompts by summaries; off if absent. */
  readonly eventsCompaction?: EventsCompactionConfig;
  /** Members that are left out have their defaults. */
  readonly contextCache?: Partial<ContextCacheConfig>;
  /** Whether a run that stopped unfinished is recovered from where it stopped; it is if absent. */
  readonly resumability?: ResumabilityConfig;
  /** The same as `resumability`, by the name that ADK gives it. */
  readonly resumabilityConfig?: ResumabilityConfig;
  /** The effect of a message while another run of its session is active, where the request names none. */
  readonly concurrencyPolicy?: ConcurrencyPolicy;
  /** Whether a run continues when its caller is gone, where the request does not say it. */
  readonly onDisconnect?: OnDisconnect;
  /** Messages that the app answers well, for people who try it; the API's description of a server uses the first. At most 20 of 1000 characters. */
  readonly examples?: readonly string[];
  /** Runs of the app that start at times, on a server that keeps schedules. */
  readonly schedules?: readonly AppSchedule[];
  /** Addresses that hear of the app's events, on a server that keeps webhooks. */
  readonly webhooks?: readonly AppWebhook[];
  /** How long questions of the app's runs wait for people, on a server that keeps their times. */
  readonly inbox?: AppInbox;
}

const MAX_EXAMPLES = 20;
const MAX_EXAMPLE_LENGTH = 1000;

/** Throws `INVALID_FIELD` unless these can be an app's `examples`. */
export function assertExamples(examples: readonly string[]): void {
  const isText = (text: unknown): boolean =>
    typeof text === "string" && text.trim() !== "" && text.length <= MAX_EXAMPLE_LENGTH;
  if (Array.isArray(examples) && examples.length <= MAX_EXAMPLES && examples.every(isText)) return;
  throw new PlatformError(
    "INVALID_FIELD",
    `examples must be a list of at most ${MAX_EXAMPLES} messages, each of 1 to ${MAX_EXAMPLE_LENGTH} characters.`,
    { details: { field: "examples" } },
  );
}

/**
 * An agent application: a tree of agents under a name, the plugins of all its runs, and the settings of all its
 * sessions. `createApp(options)` is the same as `new App(options)`.
 */
export class App {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins: readonly Plugin[];
  /** Absent: prompts contain all events of the session. */
  declare readonly eventsCompaction?: EventsCompactionConfig;
  /** Absent: each request sends the whole prompt. */
  declare readonly contextCache?: ContextCacheConfig;
  /** Absent: runs are recovered. */
  declare readonly resumability?: ResumabilityConfig;
  /** The policy for a message to a busy session if its request names none. Absent: the server's default. */
  declare readonly concurrencyPolicy?: ConcurrencyPolicy;
  /** The policy for a client that disconnects if its request names none. Absent: the server's default. */
  declare readonly onDisconnect?: OnDisconnect;
  /** Messages for people who try the app. Absent: none are known. */
  declare readonly examples?: readonly string[];
  /** Absent: runs start by themselves only where users have schedules. */
  declare readonly schedules?: readonly AppSchedule[];
  /** Absent: only webhooks of users hear of the app. */
  declare readonly webhooks?: readonly AppWebhook[];
  /** Absent: a question waits until somebody answers it. */
  declare readonly inbox?: AppInbox;

  /**
   * Throws `INVALID_IDENTIFIER` for the name, `DUPLICATE_NAME` when two agents of the tree share one, and
   * `INVALID_FIELD` for a setting out of range.
   */
  constructor(options: AppOptions) {
    const { name, rootAgent, plugins = [], eventsCompaction, contextCache, concurrencyPolicy, onDisconnect } = options;
    const resumability = options.resumability ?? options.resumabilityConfig;
    assertIdentifier("name", name);
    assertUniqueNames(rootAgent);
    this.name = name;
    this.rootAgent = rootAgent;
    this.plugins = plugins.map(toPlugin);
    if (eventsCompaction !== undefined) this.eventsCompaction = createEventsCompactionConfig(eventsCompaction);
    if (contextCache !== undefined) this.contextCache = createContextCacheConfig(contextCache);
    if (resumability !== undefined) this.resumability = resumability;
    if (concurrencyPolicy !== undefined) this.concurrencyPolicy = concurrencyPolicy;
    if (onDisconnect !== undefined) this.onDisconnect = onDisconnect;
    if (options.schedules !== undefined) {
      assertAppSchedules(options.schedules);
      this.schedules = options.schedules;
    }
    if (options.webhooks !== undefined) {
      assertAppWebhooks(options.webhooks);
      this.webhooks = options.webhooks;
    }
    if (options.inbox !== undefined) {
      assertAppInbox(options.inbox);
      this.inbox = options.inbox;
    }
    if (options.examples === undefined) return;
    assertExamples(options.examples);
    this.examples = [...options.examples];
  }
}

/**
 * The same as `new App(options)`.
 *
 * @example
 * ```ts
 * import { createApp } from "fairlead/adk";
import { LlmAgent } from "fairlead/kit";
import { LoggingPlugin } from "fairlead/plugins";
 *
 * const rootAgent = new LlmAgent({ name: "greeter", model: "demo/chat", instruction: "Greet the user." });
 *
 * export const app = createApp({ name: "desk", rootAgent, plugins: [new LoggingPlugin()] });
 * ```
 */
export function createApp(options: AppOptions): App {
  return new App(options);
}

/** The most schedules of one app. */
const MAX_APP_SCHEDULES = 100;

/** Throws `INVALID_FIELD` and `INVALID_IDENTIFIER` for schedules that no server can use. Servers check the times. */
export function assertAppSchedules(schedules: readonly AppSchedule[]): void {
  if (schedules.length > MAX_APP_SCHEDULES)
    throw invalid(
      "schedules",
      `An app has at most ${MAX_APP_SCHEDULES} schedules, and this one has ${schedules.length}.`,
    );
  const names = new Set<string>();
  for (const { name, userId, cron, at, text } of schedules) {
    assertIdentifier("schedules.name", name);
    assertIdentifier("schedules.userId", userId);
    const place = `The schedule "${name}"`;
    if (names.has(name)) throw invalid("schedules.name", `${place} is there twice: names are unique within an app.`);
    names.add(name);
    if ((cron === undefined) === (at === undefined))
      throw invalid("schedules.cron", `${place} needs either \`cron\` or \`at\`.`);
    if (typeof text !== "string" || text.trim() === "")
      throw invalid("schedules.text", `${place} needs \`text\`, the message of its runs.`);
  }
}

function invalid(field: string, message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message, { details: { field } });
}
