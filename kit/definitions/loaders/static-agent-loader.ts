import { type App, createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type AgentLoader, appNotFound, type LoadedApp } from "./agent-loader.ts";

/** Serves agents or apps that the program created itself, under their own names. */
export class StaticAgentLoader implements AgentLoader {
  readonly #apps = new Map<string, LoadedApp>();

  /** Throws `DUPLICATE_NAME`. */
  constructor(agents: readonly (BaseAgent | App)[]) {
    for (const given of agents) {
      const app = given instanceof BaseAgent ? createApp({ name: given.name, rootAgent: given }) : given;
      if (this.#apps.has(app.name))
        throw new PlatformError("DUPLICATE_NAME", `Two apps are named "${app.name}": give each its own name.`);
      this.#apps.set(app.name, { name: app.name, app, language: "typescript", version: 1 });
    }
  }

  async listAgents(): Promise<readonly string[]> {
    return [...this.#apps.keys()].sort();
  }

  async loadAgent(name: string): Promise<LoadedApp> {
    const app = this.#apps.get(name);
    if (app === undefined) throw appNotFound(name);
    return app;
  }

  async close(): Promise<void> {}
}
