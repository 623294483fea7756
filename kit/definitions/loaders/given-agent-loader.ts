import { type App, createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type AgentLoader, appNotFound, type LoadedApp } from "./agent-loader.ts";

type Answer<Value> = Value | Promise<Value>;

/** A loader of agents that a program writes itself. Every `AgentLoader` is one. */
export interface GivenAgentLoader {
  /** Names of the apps. */
  listAgents(): Answer<readonly string[]>;
  /**
   * The agent or app of that name, the same object until it is reloaded; undefined if there is none. A loader that
   * counts its reloads returns a `LoadedApp`.
   */
  loadAgent(name: string): Answer<BaseAgent | App | LoadedApp | undefined>;
  /** The next three have the meaning of the members of `AgentLoader`. */
  findRevision?(name: string, agentRevision: string): Answer<LoadedApp | undefined>;
  keeps?(app: App): boolean;
  refresh?(): Answer<void>;
  /** Ends what the loader does on its own. Agents are closed by the runners that run them. */
  close?(): Answer<void>;
}

/**
 * The loader as servers use it. `loadAgent` throws `APP_NOT_FOUND` for an app that the given loader does not have, and
 * `INVALID_FIELD` if it returns anything else.
 */
export function toAgentLoader(given: GivenAgentLoader): AgentLoader {
  // One app for each object, because runners keep what they make for an app.
  const known = new WeakMap<object, LoadedApp>();
  return {
    listAgents: async () => [...(await given.listAgents())].sort(),
    loadAgent: async (name) => {
      const answer = await given.loadAgent(name);
      if (answer === undefined || answer === null) throw appNotFound(name);
      // Plain JavaScript can return anything.
      if (typeof answer !== "object") throw wrongAnswer(name);
      const loaded = known.get(answer);
      if (loaded?.name === name) return loaded;
      const made = toLoadedApp(name, answer);
      known.set(answer, made);
      return made;
    },
    findRevision: async (name, agentRevision) => given.findRevision?.(name, agentRevision),
    keeps: (app) => given.keeps?.(app) === true,
    refresh: async () => given.refresh?.(),
    close: async () => given.close?.(),
  };
}

/** Whether the value is an agent or an app of this kit. */
export function isAgentOrApp(value: unknown): value is BaseAgent | App {
  return value instanceof BaseAgent || Object(value).rootAgent instanceof BaseAgent;
}

function toLoadedApp(name: string, answer: BaseAgent | App | LoadedApp): LoadedApp {
  if (answer instanceof BaseAgent) return toLoadedApp(name, createApp({ name, rootAgent: answer }));
  if ("app" in answer && isAgentOrApp(answer.app) && answer.app.name === name) return answer;
  if ("rootAgent" in answer && isAgentOrApp(answer) && answer.name === name)
    return { name, app: answer, language: "typescript", version: 1 };
  throw wrongAnswer(name);
}

function wrongAnswer(name: string): PlatformError {
  return new PlatformError(
    "INVALID_FIELD",
    `agentLoader.loadAgent("${name}") returned neither an agent nor an app named "${name}" of this kit.`,
    { details: { field: "agentLoader" } },
  );
}
