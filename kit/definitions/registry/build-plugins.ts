import type { Plugin } from "#kit/core/plugin.ts";
import type { PluginConfig } from "#kit/definitions/app/app-config.ts";
import type { Reading } from "#kit/definitions/yaml/reading.ts";
import { ToolArgsConfig } from "#kit/definitions/yaml/tool-args-config.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { ComponentRegistry } from "./component-registry.ts";

/** The plugins that an app names, in order. Those that cannot be built are problems of the reading. */
export async function buildPlugins(
  configs: readonly PluginConfig[],
  registry: ComponentRegistry,
  reading: Reading,
): Promise<readonly Plugin[]> {
  const plugins = new Map<string, Plugin>();
  for (const config of configs) {
    // A missing or invalid name is a problem already.
    const plugin = config.name === undefined ? undefined : await buildPlugin(config, registry, reading);
    if (plugin === undefined) continue;
    if (plugins.has(plugin.name)) {
      const fix = 'give each its own name, with "args: { name: … }" where it takes one';
      refuse(reading, config, `Two plugins are named "${plugin.name}": ${fix}.`);
    }
    plugins.set(plugin.name, plugin);
  }
  return [...plugins.values()];
}

/** A registered plugin comes first, then a class of plugins that is built from arguments. */
async function buildPlugin(
  config: PluginConfig,
  registry: ComponentRegistry,
  reading: Reading,
): Promise<Plugin | undefined> {
  const { name, args = new ToolArgsConfig() } = config;
  const { instances, pluginClasses, pluginInstances } = registry;
  const ready = pluginInstances.get(name);
  if (ready !== undefined) {
    if (args.isEmpty()) return ready;
    return refuse(reading, config, `The plugin "${name}" takes no args here.`);
  }
  const pluginClass = pluginClasses.get(name);
  if (pluginClass === undefined) {
    const hint = suggestion(name, [...pluginInstances.names(), ...pluginClasses.names()]) || ".";
    return refuse(reading, config, `No plugin "${name}" is registered${hint}`, "name");
  }
  try {
    return await pluginClass.fromConfig(args, { instance: (key) => instances.get(key) });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return refuse(reading, config, `The plugin "${name}" cannot be built: ${error.message}`);
  }
}

function refuse(reading: Reading, config: PluginConfig, message: string, field = "args"): undefined {
  const place = config.args === undefined ? "name" : field;
  reading.problems.add(message, reading.placeOf(config, place));
  return undefined;
}
