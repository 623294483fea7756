import { assertIdentifier } from "../platform/identifiers.ts";
import type { Plugin } from "../plugins/plugin.ts";
import { assertUniqueNames, type BaseAgent } from "./base-agent.ts";

/** An agent application: a tree of agents under a name, and the plugins that watch all its runs. */
export interface App {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins: readonly Plugin[];
}

export interface AppOptions {
  readonly name: string;
  readonly rootAgent: BaseAgent;
  readonly plugins?: readonly Plugin[];
}

/** Throws `INVALID_IDENTIFIER` for the name and `DUPLICATE_NAME` when two agents of the tree share one. */
export function createApp({ name, rootAgent, plugins = [] }: AppOptions): App {
  assertIdentifier("name", name);
  assertUniqueNames(rootAgent);
  return { name, rootAgent, plugins };
}
