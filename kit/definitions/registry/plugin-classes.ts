import { oneOf } from "#kit/definitions/yaml/config-shapes.ts";
import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { ContentFormatter } from "#kit/plugins/analytics/analytics-config.ts";
import { AnalyticsPlugin } from "#kit/plugins/analytics/analytics-plugin.ts";
import { ANALYTICS_EVENTS } from "#kit/plugins/analytics/analytics-row.ts";
import { type ContextFilter, ContextFilterPlugin } from "#kit/plugins/context-filter-plugin.ts";
import { GlobalInstructionPlugin } from "#kit/plugins/global-instruction-plugin.ts";
import { LoggingPlugin } from "#kit/plugins/logging-plugin.ts";
import { ReflectAndRetryToolPlugin, RetryScope } from "#kit/plugins/reflect-and-retry-tool-plugin.ts";
import { SaveFilesAsArtifactsPlugin } from "#kit/plugins/save-files-as-artifacts-plugin.ts";
import { ToolCallIntegrityPlugin } from "#kit/plugins/tool-call-integrity-plugin.ts";
import { Type } from "#kit/schema/shape.ts";
import type { PluginClass, PluginParts } from "./component-registry.ts";

const logging: PluginClass = {
  fromConfig: (args) => new LoggingPlugin(readArgs(args, { name: Type.String(), content: Type.Boolean() })),
};

/** `customFilter` names a function of the registry. */
const contextFilter: PluginClass = {
  fromConfig: (args, parts) => {
    const types = {
      name: Type.String(),
      numInvocationsToKeep: Type.Integer({ minimum: 1 }),
      customFilter: Type.String(),
    };
    const { customFilter, ...options } = readArgs(args, types);
    if (customFilter === undefined) return new ContextFilterPlugin(options);
    return new ContextFilterPlugin({ ...options, customFilter: functionOf("customFilter", customFilter, parts) });
  },
};

const globalInstruction: PluginClass = {
  fromConfig: (args) => {
    const { globalInstruction: text, ...options } = readArgs(args, {
      name: Type.String(),
      globalInstruction: Type.String(),
    });
    if (text === undefined) throw new ConfigurationException('"globalInstruction" is missing: the text to tell.');
    return new GlobalInstructionPlugin({ ...options, globalInstruction: text });
  },
};

const RETRY_ARGS = {
  name: Type.String(),
  maxRetries: Type.Integer({ minimum: 0 }),
  throwIfRetriesExceeded: Type.Boolean(),
  scope: oneOf(Object.values(RetryScope)),
};

const reflectAndRetryTool: PluginClass = {
  fromConfig: (args) => new ReflectAndRetryToolPlugin(readArgs(args, RETRY_ARGS)),
};

const saveFilesAsArtifacts: PluginClass = {
  fromConfig: (args) => new SaveFilesAsArtifactsPlugin(readArgs(args, { name: Type.String() })),
};

const toolCallIntegrity: PluginClass = {
  fromConfig: (args) => new ToolCallIntegrityPlugin(readArgs(args, { name: Type.String(), logOnly: Type.Boolean() })),
};

const EVENT_LIST = Type.Array(oneOf(ANALYTICS_EVENTS));

/** `contentFormatter` names a function of the registry. */
const analytics: PluginClass = {
  fromConfig: (args, parts) => {
    const { contentFormatter, ...options } = readArgs(args, {
      name: Type.String(),
      enabled: Type.Boolean(),
      directory: Type.String(),
      tableName: Type.String(),
      maxFileBytes: Type.Integer(),
      maxFiles: Type.Integer(),
      batchSize: Type.Integer(),
      batchFlushInterval: Type.Integer(),
      queueMaxSize: Type.Integer(),
      shutdownTimeout: Type.Integer(),
      retryConfig: Type.Object({
        maxRetries: Type.Optional(Type.Integer()),
        initialDelay: Type.Optional(Type.Integer()),
        multiplier: Type.Optional(Type.Number()),
        maxDelay: Type.Optional(Type.Integer()),
      }),
      eventAllowlist: EVENT_LIST,
      eventDenylist: EVENT_LIST,
      contentFormatter: Type.String(),
      maxContentLength: Type.Integer(),
      logMultiModalContent: Type.Boolean(),
      logSessionMetadata: Type.Boolean(),
      customTags: Type.Map(Type.String()),
      createViews: Type.Boolean(),
      viewPrefix: Type.String(),
    });
    if (contentFormatter === undefined) return new AnalyticsPlugin(options);
    return new AnalyticsPlugin({
      ...options,
      contentFormatter: functionOf("contentFormatter", contentFormatter, parts),
    });
  },
};

/** The plugins of the kit that an app's file may name. */
export const PLUGIN_CLASSES: Readonly<Record<string, PluginClass>> = {
  LoggingPlugin: logging,
  AnalyticsPlugin: analytics,
  ContextFilterPlugin: contextFilter,
  GlobalInstructionPlugin: globalInstruction,
  ReflectAndRetryToolPlugin: reflectAndRetryTool,
  SaveFilesAsArtifactsPlugin: saveFilesAsArtifacts,
  ToolCallIntegrityPlugin: toolCallIntegrity,
};

/** A registered function. Its parameters cannot be checked: the caller that registers it is responsible for them. */
function functionOf<Callback extends ContextFilter | ContentFormatter>(
  field: string,
  name: string,
  parts: PluginParts,
): Callback {
  const callback = parts.instance(name);
  // Nothing is known of a function's parameters.
  if (typeof callback === "function") return callback as Callback;
  throw new ConfigurationException(`"${field}" should name a registered function, and "${name}" is none.`);
}
