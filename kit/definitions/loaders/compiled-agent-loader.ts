import { resolve } from "node:path";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type { AgentLoader, LoadedApp } from "./agent-loader.ts";
import { BUILT_FILES, type FoundApps, findAppFolders, MODULE_FILES } from "./app-folder.ts";
import { FolderApps } from "./folder-apps.ts";
import { resolveKitImports } from "./kit-resolution.ts";
import { loadModuleApp } from "./load-module-app.ts";

export interface AgentLoadingProperties {
  /** Folder of agents: `<folder>/agent.ts` or `index.ts`, or their compiled forms, exporting `rootAgent` or `app`. */
  readonly sourceDir: string;
  /** The output folders of a compiler, relative to `sourceDir`; searched first. */
  readonly buildOutputDirs: readonly string[];
}

/**
 * Serves the agents of TypeScript and JavaScript modules, under their folders' names. A changed module needs a restart.
 */
export class CompiledAgentLoader implements AgentLoader {
  readonly #apps: FolderApps;
  readonly #endResolution: () => void;

  constructor({ sourceDir, buildOutputDirs }: AgentLoadingProperties, logger: Logger = silentLogger) {
    this.#endResolution = resolveKitImports();
    const outputs = buildOutputDirs.map((directory) => resolve(sourceDir, directory));
    this.#apps = new FolderApps({
      root: sourceDir,
      find: () => findModuleApps(sourceDir, outputs),
      load: loadModuleApp,
      hotReload: false,
      logger,
    });
  }

  listAgents(): Promise<readonly string[]> {
    return this.#apps.listAgents();
  }

  loadAgent(name: string): Promise<LoadedApp> {
    return this.#apps.loadAgent(name);
  }

  async close(): Promise<void> {
    await this.#apps.close();
    this.#endResolution();
  }
}

/** Earlier folders take precedence. */
async function findModuleApps(sourceDir: string, outputs: readonly string[]): Promise<FoundApps> {
  const found = await Promise.all([
    ...outputs.map((root) => findAppFolders({ root, files: BUILT_FILES })),
    findAppFolders({ root: sourceDir, files: MODULE_FILES, except: outputs }),
  ]);
  return {
    apps: new Map(found.toReversed().flatMap(({ apps }) => [...apps])),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}
