import type { App } from "#kit/core/app.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type { AgentLoader, LoadedApp } from "./agent-loader.ts";
import { findBuiltApps } from "./built-apps.ts";
import { FolderApps } from "./folder-apps.ts";
import { resolveKitImports } from "./kit-resolution.ts";
import { loadModuleApp } from "./load-module-app.ts";

/** Where a `CompiledAgentLoader` finds agents. */
export interface AgentLoadingProperties {
  /** A project of agents, or a folder of projects: `<agent>/agent.js` or `index.js` in a build output, or as modules. */
  readonly sourceDir: string;
  /** The folders that build tools write in a project, such as `dist`; of two with one agent, the first is served. */
  readonly buildOutputDirs: readonly string[];
  /** Part of the agent revision of each app, in addition to its sources. */
  readonly revisionSalt?: string;
}

/**
 * Serves agents that a build tool has compiled, and modules from which nothing was built, each exporting `rootAgent` or
 * `app`, under the names of their folders: see `findBuiltApps`. A changed module needs a restart.
 */
export class CompiledAgentLoader implements AgentLoader {
  readonly #apps: FolderApps;
  readonly #endResolution: () => void;

  constructor({ sourceDir, buildOutputDirs, revisionSalt }: AgentLoadingProperties, logger: Logger = silentLogger) {
    this.#endResolution = resolveKitImports();
    this.#apps = new FolderApps({
      root: sourceDir,
      find: () => findBuiltApps({ root: sourceDir, outputs: buildOutputDirs }),
      load: loadModuleApp,
      hotReload: false,
      logger,
      revisionSalt,
    });
  }

  listAgents(): Promise<readonly string[]> {
    return this.#apps.listAgents();
  }

  loadAgent(name: string): Promise<LoadedApp> {
    return this.#apps.loadAgent(name);
  }

  findRevision(name: string, agentRevision: string): Promise<LoadedApp | undefined> {
    return this.#apps.findRevision(name, agentRevision);
  }

  keeps(app: App): boolean {
    return this.#apps.keeps(app);
  }

  async close(): Promise<void> {
    await this.#apps.close();
    this.#endResolution();
  }
}
