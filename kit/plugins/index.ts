// The exports of `fairlead/plugins`: the plugins of the kit.

export { ReplayConfigError, ReplayVerificationError } from "#kit/errors/replay-errors.ts";
export type { AnalyticsPluginOptions, ContentFormatter } from "./analytics/analytics-config.ts";
export { type AnalyticsCounts, AnalyticsPlugin } from "./analytics/analytics-plugin.ts";
export {
  ANALYTICS_EVENTS,
  type AnalyticsEvent,
  type AnalyticsRow,
  type ContentPart,
  type OffloadPlace,
  type QueuedRow,
} from "./analytics/analytics-row.ts";
export { type AnalyticsRetryConfig, type AnalyticsSink, RowsRefused } from "./analytics/row-queue.ts";
export { type ContextFilter, ContextFilterPlugin, type ContextFilterPluginOptions } from "./context-filter-plugin.ts";
export { GlobalInstructionPlugin, type GlobalInstructionPluginOptions } from "./global-instruction-plugin.ts";
export { LoggingPlugin, type LoggingPluginOptions } from "./logging-plugin.ts";
export {
  ReflectAndRetryToolPlugin,
  type ReflectAndRetryToolPluginOptions,
  RetryScope,
} from "./reflect-and-retry-tool-plugin.ts";
export { REPLAY_CONFIG_KEY, ReplayPlugin, type ReplayPluginOptions } from "./replay-plugin.ts";
export {
  SaveFilesAsArtifactsPlugin,
  type SaveFilesAsArtifactsPluginOptions,
} from "./save-files-as-artifacts-plugin.ts";
export { ToolCallIntegrityPlugin, type ToolCallIntegrityPluginOptions } from "./tool-call-integrity-plugin.ts";
