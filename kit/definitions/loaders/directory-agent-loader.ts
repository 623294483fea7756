import type { App } from "#kit/core/app.ts";
import type { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import type { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type { AgentLoader, LoadedApp } from "./agent-loader.ts";
import { type AppFolder, DEFINITION_FILES, findAppFolders, MODULE_FILES } from "./app-folder.ts";
import { FolderApps, type FolderAppsOptions } from "./folder-apps.ts";
import { resolveKitImports } from "./kit-resolution.ts";
import { loadModuleApp } from "./load-module-app.ts";

export interface DirectoryAgentLoaderOptions {
  readonly directory: string;
  /** The folder is this app, whatever the folder is called, and not a folder of apps. */
  readonly appName?: string;
  /** Loads changed definitions and new folders while the program runs; on unless false. */
  readonly hotReload?: boolean;
  /** The components that definitions may name, in addition to those that their folder's `components.ts` registers. */
  readonly registry?: ComponentRegistry;
  /**
   * The folder inside an app's folder where an editor keeps what is not saved yet: a new app is served from there until
   * it has a file of its own.
   */
  readonly draftFolder?: string;
  readonly logger?: Logger;
  readonly watch?: FolderAppsOptions["watch"];
  readonly lookPauseMs?: FolderAppsOptions["lookPauseMs"];
  /** Part of the agent revision of each app, in addition to its sources. */
  readonly revisionSalt?: FolderAppsOptions["revisionSalt"];
}

/**
 * Serves a folder of agents of either kind: `<app>/agent.ts` is a module, `<app>/root_agent.yaml` a definition; if both
 * exist, the module is the app. Definitions are reloaded while the program runs, modules with the program.
 */
export class DirectoryAgentLoader implements AgentLoader {
  readonly #apps: FolderApps;
  readonly #registry: ComponentRegistry | undefined;
  readonly #endResolution: () => void;

  constructor(options: DirectoryAgentLoaderOptions) {
    const { directory, appName, hotReload = true, registry, draftFolder, logger = silentLogger } = options;
    const { watch, lookPauseMs, revisionSalt } = options;
    this.#registry = registry;
    this.#endResolution = resolveKitImports();
    this.#apps = new FolderApps({
      root: directory,
      find: () =>
        findAppFolders({ root: directory, appName, files: [...MODULE_FILES, ...DEFINITION_FILES], draftFolder }),
      load: (appFolder, folder) => this.#load(appFolder, folder),
      hotReload,
      logger,
      watch,
      lookPauseMs,
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

  async close(): Promise<void> {
    await this.#apps.close();
    this.#endResolution();
  }

  async #load(appFolder: AppFolder, folder: DefinitionFolder): Promise<App> {
    if (appFolder.language === "typescript") return loadModuleApp(appFolder);
    // The components of definitions are a hundred modules.
    const { loadDefinitionApp } = await import("./load-config-app.ts");
    return loadDefinitionApp(appFolder, folder, this.#registry);
  }
}
