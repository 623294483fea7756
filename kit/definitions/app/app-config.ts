import type { EventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import type { AppOptions } from "#kit/core/app.ts";
import type { InstanceRef } from "#kit/definitions/yaml/agent-config.ts";
import type { ToolArgsConfig } from "#kit/definitions/yaml/tool-args-config.ts";

/** The settings of an app besides its agents. */
export type AppSettings = Omit<AppOptions, "name" | "rootAgent" | "resumabilityConfig">;

/** Refers to a plugin by its name in the component registry. */
export interface PluginConfig {
  readonly name: string;
  readonly args?: ToolArgsConfig;
}

/** `eventsCompaction` of a definition: as in code, with the summarizer by its name. */
export interface EventsCompactionFields extends Omit<EventsCompactionConfig, "summarizer"> {
  readonly summarizer?: InstanceRef;
}

/** An app's own file, `app.yaml` next to its `root_agent.yaml`: the settings of `createApp`, under the same names. */
export interface AppConfig extends Omit<AppSettings, "plugins" | "eventsCompaction"> {
  readonly plugins?: readonly PluginConfig[];
  readonly eventsCompaction?: EventsCompactionFields;
}
