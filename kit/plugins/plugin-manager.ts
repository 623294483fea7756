import { PlatformError } from "../errors/platform-error.ts";
import { callAll, type Link } from "./compose.ts";
import type { Plugin } from "./plugin.ts";

type Hook = Exclude<keyof Plugin, "name">;
type HookFunction<Name extends Hook> = NonNullable<Plugin[Name]>;
type HookLink<Name extends Hook> =
  HookFunction<Name> extends (...args: infer Args) => infer Result
    ? Link<Args, NonNullable<Exclude<Awaited<Result>, void>>>
    : never;

/** Holds a runner's plugins and the chains they form. */
export class PluginManager {
  readonly #plugins: Plugin[] = [];
  readonly #links = new Map<Hook, readonly Link<readonly never[], unknown>[]>();

  constructor(plugins: readonly Plugin[] = []) {
    for (const plugin of plugins) this.registerPlugin(plugin);
  }

  /** Throws `DUPLICATE_NAME` when a plugin of that name is there. */
  registerPlugin(plugin: Plugin): void {
    if (this.getPlugin(plugin.name) !== undefined) {
      throw new PlatformError(
        "DUPLICATE_NAME",
        `A plugin named "${plugin.name}" is registered already: give each its own name.`,
      );
    }
    this.#plugins.push(plugin);
    this.#links.clear();
  }

  getPlugins(): readonly Plugin[] {
    return this.#plugins;
  }

  getPlugin(name: string): Plugin | undefined {
    return this.#plugins.find((plugin) => plugin.name === name);
  }

  /** The chain of one hook: the plugins that have it, in order. */
  links<Name extends Hook>(hook: Name): readonly HookLink<Name>[] {
    const known = this.#links.get(hook) ?? this.#collect(hook);
    // The map's value type forgets which hook a chain belongs to; #collect made this one for this hook.
    return known as unknown as readonly HookLink<Name>[];
  }

  /** Closes all plugins; returns what was thrown. */
  async close(): Promise<readonly unknown[]> {
    return callAll("close", this.links("close"));
  }

  #collect(hook: Hook): readonly Link<readonly never[], unknown>[] {
    const links: Link<readonly never[], unknown>[] = [];
    for (const plugin of this.#plugins) {
      const method: ((...args: readonly never[]) => unknown) | undefined = plugin[hook];
      if (method !== undefined) links.push({ owner: `Plugin "${plugin.name}"`, call: method.bind(plugin) });
    }
    this.#links.set(hook, links);
    return links;
  }
}
