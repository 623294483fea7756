import { PlatformError } from "#kit/errors/platform-error.ts";
import { type BasePlugin, toPlugin } from "./base-plugin.ts";
import { callAll } from "./compose.ts";
import type { Awaitable, Link, PluginChains } from "./context/plugin-chains.ts";
import type { Plugin } from "./plugin.ts";

type Hook = Exclude<keyof Plugin, "name" | "isObserver" | "closeTimeoutMs">;
type HookFunction<Name extends Hook> = NonNullable<Plugin[Name]>;
type HookLink<Name extends Hook> =
  HookFunction<Name> extends (...args: infer Args) => infer Result
    ? Link<Args, NonNullable<Exclude<Awaited<Result>, void>>>
    : never;

/** A plugin that cannot reach its backend must not keep a server from stopping. */
const CLOSE_TIMEOUT_MS = 5000;

/**
 * The chain of one hook among a run's plugins, in order of their registration; with `withoutObservers` only
 * the plugins that may change something.
 */
export function pluginLinks<Name extends Hook>(
  { pluginManager }: { readonly pluginManager: PluginChains },
  hook: Name,
  withoutObservers = false,
): readonly HookLink<Name>[] {
  // `PluginChains` has no hook types, because the hooks' types refer to the context. Only `PluginManager` implements
  // it, so the link has the type of its hook.
  return pluginManager.links(hook, withoutObservers) as unknown as readonly HookLink<Name>[];
}

/** Holds a runner's plugins and their callback chains. */
export class PluginManager implements PluginChains {
  readonly #plugins: Plugin[] = [];
  readonly #links = new Map<Hook, readonly Link<readonly never[], unknown>[]>();
  readonly #activeLinks = new Map<Hook, readonly Link<readonly never[], unknown>[]>();

  constructor(plugins: readonly (Plugin | BasePlugin)[] = []) {
    for (const plugin of plugins) this.registerPlugin(plugin);
  }

  /** Throws `DUPLICATE_NAME` if a plugin of that name is registered. */
  registerPlugin(plugin: Plugin | BasePlugin): void {
    if (this.getPlugin(plugin.name) !== undefined) {
      throw new PlatformError(
        "DUPLICATE_NAME",
        `A plugin named "${plugin.name}" is registered already: give each its own name.`,
      );
    }
    this.#plugins.push(toPlugin(plugin));
    this.#links.clear();
    this.#activeLinks.clear();
  }

  getPlugins(): readonly Plugin[] {
    return this.#plugins;
  }

  getPlugin(name: string): Plugin | undefined {
    return this.#plugins.find((plugin) => plugin.name === name);
  }

  /** The chain of one hook: the plugins that have it, in order. */
  links(hook: Hook, withoutObservers = false): readonly Link<readonly never[], unknown>[] {
    return (withoutObservers ? this.#activeLinks : this.#links).get(hook) ?? this.#collect(hook, withoutObservers);
  }

  /** Closes all plugins, each within the time given; returns the thrown errors, timeouts included. */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<readonly unknown[]> {
    const links = this.#plugins.flatMap((plugin) => {
      const owner = ownerOf(plugin);
      const limitMs = plugin.closeTimeoutMs ?? timeoutMs;
      return plugin.close === undefined ? [] : [{ owner, call: () => inTime(owner, plugin.close?.(), limitMs) }];
    });
    return callAll("close", links);
  }

  #collect(hook: Hook, withoutObservers: boolean): readonly Link<readonly never[], unknown>[] {
    const links: Link<readonly never[], unknown>[] = [];
    for (const plugin of this.#plugins) {
      const method: ((...args: readonly never[]) => unknown) | undefined = plugin[hook];
      if (method === undefined || (withoutObservers && plugin.isObserver === true)) continue;
      links.push({ owner: ownerOf(plugin), call: method.bind(plugin) });
    }
    (withoutObservers ? this.#activeLinks : this.#links).set(hook, links);
    return links;
  }
}

function ownerOf({ name }: Plugin): string {
  return `Plugin "${name}"`;
}

async function inTime(owner: string, closing: Awaitable<void> | undefined, timeoutMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new PlatformError("CALLBACK_FAILED", `${owner} did not close within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  try {
    await Promise.race([closing, promise]);
  } finally {
    clearTimeout(timer);
  }
}
