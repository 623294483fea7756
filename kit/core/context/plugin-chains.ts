export type Awaitable<Value> = Value | Promise<Value>;

/** The result of a callback: a value ends the chain, undefined lets the next callback run. */
export type Answer<Value> = Awaitable<Value | undefined | void>;

/** One callback of a chain, and the name of its owner for errors. */
export interface Link<Args extends readonly unknown[], Value> {
  readonly owner: string;
  readonly call: (...args: Args) => Answer<Value>;
}

/** A run's plugins as chains of callbacks, one for each hook. `pluginLinks` returns a chain with its types. */
export interface PluginChains {
  links(hook: string, withoutObservers?: boolean): readonly Link<readonly never[], unknown>[];
}
