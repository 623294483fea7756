import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { App } from "#kit/core/app.ts";
import {
  type AgentLoader,
  appNotFound,
  type LoadedApp,
  type RevisionShare,
} from "#kit/definitions/loaders/agent-loader.ts";
import { FolderWatch } from "#kit/definitions/loaders/folder-watch.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { type AgentsIndex, heaviest, type IndexedRevision } from "./agents-index.ts";
import { readAgentsIndex } from "./read-agents-index.ts";

export interface IndexedAgentLoaderOptions {
  /** The file that AGENTS_INDEX names. */
  readonly file: string;
  /** Serves the apps that the index does not list. */
  readonly others: AgentLoader;
  /** Serves a folder as this app, and nothing else; a changed file is loaded again. */
  readonly open: (appName: string, folder: string) => AgentLoader;
  readonly logger: Logger;
  /** How often the file is looked at; a second by default. */
  readonly pollMs?: number;
}

const POLL_MS = 1_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Serves the versions of apps that an index lists, side by side, each from a folder of its own, and all other apps by
 * another loader. The index is read again when its file changes; while it is broken, the last valid one is used. A
 * version is loaded at its first use, and forgotten when the index no longer lists it.
 */
export class IndexedAgentLoader implements AgentLoader {
  readonly #options: IndexedAgentLoaderOptions;
  readonly #loaders = new Map<string, AgentLoader>();
  readonly #loaded = new Map<string, Promise<LoadedApp>>();
  readonly #watch: FolderWatch;
  #index: AgentsIndex;
  #stamp: string;
  #failure = "";

  private constructor(options: IndexedAgentLoaderOptions, index: AgentsIndex, stamp: string) {
    this.#options = options;
    this.#index = index;
    this.#stamp = stamp;
    const { pollMs = POLL_MS, file } = options;
    // Clusters replace files by links, and file systems send no notice of that.
    this.#watch = new FolderWatch({ path: dirname(file), onChange: () => this.#reread(), pollMs, notices: false });
  }

  /** Throws `CONFIGURATION` for an index that is missing or not valid. */
  static async open(options: IndexedAgentLoaderOptions): Promise<IndexedAgentLoader> {
    const stamp = await stampOf(options.file);
    return new IndexedAgentLoader(options, await readIndex(options.file), stamp);
  }

  async listAgents(): Promise<readonly string[]> {
    return [...new Set([...this.#index.keys(), ...(await this.#options.others.listAgents())])].sort();
  }

  loadAgent(name: string): Promise<LoadedApp> {
    const revisions = this.#index.get(name);
    if (revisions === undefined) return this.#options.others.loadAgent(name);
    const shown = heaviest(revisions);
    return shown === undefined ? Promise.reject(appNotFound(name)) : this.#load(name, shown);
  }

  async findRevision(name: string, agentRevision: string): Promise<LoadedApp | undefined> {
    const revisions = this.#index.get(name);
    if (revisions === undefined) return this.#options.others.findRevision?.(name, agentRevision);
    const revision = revisions.find((each) => each.agentRevision === agentRevision);
    return revision && this.#load(name, revision);
  }

  sharesOf(name: string): readonly RevisionShare[] | undefined {
    return this.#index.get(name);
  }

  keeps(app: App): boolean {
    for (const loader of this.#loaders.values()) if (loader.keeps?.(app) === true) return true;
    return this.#options.others.keeps?.(app) === true;
  }

  async refresh(): Promise<void> {
    await this.#reread();
    await this.#options.others.refresh?.();
  }

  async close(): Promise<void> {
    this.#watch.close();
    await Promise.all([this.#options.others, ...this.#loaders.values()].map((loader) => loader.close()));
  }

  /** What was loaded stays, whatever becomes of its files. A failure is not kept: the next caller asks the loader again. */
  #load(name: string, { agentRevision, folder }: IndexedRevision): Promise<LoadedApp> {
    const key = keyOf(name, agentRevision, folder);
    const known = this.#loaded.get(key);
    if (known !== undefined) return known;
    const loader = this.#loaders.get(key) ?? this.#options.open(name, folder);
    this.#loaders.set(key, loader);
    const loaded = loader.loadAgent(name).then((app) => {
      if (app.agentRevision === agentRevision) return app;
      const found = `has the agent revision ${app.agentRevision}, and the index says ${agentRevision}`;
      throw new PlatformError("CONFIGURATION", `The folder ${folder} of the app ${name} ${found}.`);
    });
    this.#loaded.set(key, loaded);
    loaded.catch(() => this.#loaded.delete(key));
    return loaded;
  }

  /** Never throws. */
  async #reread(): Promise<void> {
    const { file, logger } = this.#options;
    try {
      const stamp = await stampOf(file);
      if (stamp === this.#stamp) return;
      const index = await readIndex(file);
      this.#stamp = stamp;
      this.#failure = "";
      this.#replace(index);
      logger.info({ file }, "The index of agents was read again.");
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#failure)
        logger.error({ file, error }, `The index of agents cannot be used, and the last one stays: ${problem}`);
      this.#failure = problem;
    }
  }

  #replace(index: AgentsIndex): void {
    const listed = new Set<string>();
    this.#index = new Map(
      [...index].map(([name, revisions]) => {
        for (const { agentRevision, folder } of revisions) listed.add(keyOf(name, agentRevision, folder));
        const known = this.#index.get(name);
        // The same list tells that nothing has changed for the app.
        return [name, known !== undefined && JSON.stringify(known) === JSON.stringify(revisions) ? known : revisions];
      }),
    );
    for (const [key, loader] of this.#loaders) {
      if (listed.has(key)) continue;
      this.#loaders.delete(key);
      this.#loaded.delete(key);
      void loader.close();
    }
  }
}

function keyOf(name: string, agentRevision: string, folder: string): string {
  return JSON.stringify([name, agentRevision, folder]);
}

async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    throw new PlatformError("CONFIGURATION", `AGENTS_INDEX: ${file} cannot be read.`, { cause: error });
  }
}

async function readIndex(file: string): Promise<AgentsIndex> {
  const path = resolve(file);
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new PlatformError("CONFIGURATION", "AGENTS_INDEX: the file is over 1 MiB.");
  const text = await readFile(path, "utf8");
  return readAgentsIndex(await import("yaml"), text, dirname(path));
}
