import type { App } from "#kit/core/app.ts";
import type { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import { componentRegistry } from "#kit/definitions/registry/core-components.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type { AgentLoader, LoadedApp } from "./agent-loader.ts";
import { DEFINITION_FILES, findAppFolders } from "./app-folder.ts";
import { FolderApps, type FolderAppsOptions } from "./folder-apps.ts";

export interface ConfigAgentLoaderOptions {
  /** The components that definitions may name. */
  readonly registry?: ComponentRegistry;
  /** The same as the option of `DirectoryAgentLoader`. */
  readonly draftFolder?: string;
  readonly logger?: Logger;
  readonly watch?: FolderAppsOptions["watch"];
  readonly revisionSalt?: FolderAppsOptions["revisionSalt"];
}

/** Serves the agents whose folders contain a `root_agent.yaml` (or `.yml`, `.json`), under their folders' names. */
export class ConfigAgentLoader implements AgentLoader {
  readonly #apps: FolderApps;

  /** `hotReload` loads changed and new files while the program runs. */
  constructor(directory: string, hotReload = true, options: ConfigAgentLoaderOptions = {}) {
    const { registry = componentRegistry, draftFolder, logger = silentLogger, watch, revisionSalt } = options;
    this.#apps = new FolderApps({
      root: directory,
      find: () => findAppFolders({ root: directory, files: DEFINITION_FILES, draftFolder }),
      load: async (appFolder, folder) => {
        // Every agent loads the kit, and few read definitions.
        const { loadConfigApp } = await import("./load-config-app.ts");
        return loadConfigApp(appFolder, folder, registry);
      },
      hotReload,
      logger,
      watch,
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

  /** Checks for changes now; resolves when the changed apps are loaded. */
  refresh(): Promise<void> {
    return this.#apps.refresh();
  }

  close(): Promise<void> {
    return this.#apps.close();
  }
}
