import { oneOf } from "#kit/definitions/yaml/config-shapes.ts";
import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
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
    return new ContextFilterPlugin({ ...options, customFilter: filterOf(customFilter, parts) });
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

/** The plugins of the kit that an app's file may name. */
export const PLUGIN_CLASSES: Readonly<Record<string, PluginClass>> = {
  LoggingPlugin: logging,
  ContextFilterPlugin: contextFilter,
  GlobalInstructionPlugin: globalInstruction,
  ReflectAndRetryToolPlugin: reflectAndRetryTool,
  SaveFilesAsArtifactsPlugin: saveFilesAsArtifacts,
  ToolCallIntegrityPlugin: toolCallIntegrity,
};

function filterOf(name: string, parts: PluginParts): ContextFilter {
  const filter = parts.instance(name);
  if (isFilter(filter)) return filter;
  throw new ConfigurationException(`"customFilter" should name a registered function, and "${name}" is none.`);
}

/** A function's parameters cannot be checked: the caller that registers it is responsible for them. */
function isFilter(value: unknown): value is ContextFilter {
  return typeof value === "function";
}
