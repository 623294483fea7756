import type { App } from "../agents/app.ts";
import { ConfigurationException } from "../errors/kit-errors.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { Logger } from "../platform/logger.ts";
import type { AgentLoader, LoadedApp } from "./agent-loader.ts";
import type { AppFolder } from "./app-folder.ts";
import { appNotFound } from "./app-not-found.ts";
import { DefinitionFolder, type FileStamp, stampOf } from "./definition-folder.ts";
import { DefinitionException } from "./definition-problem.ts";
import { FolderWatch, type FolderWatchOptions } from "./folder-watch.ts";

export interface FolderAppsOptions {
  readonly root: string;
  readonly find: () => Promise<ReadonlyMap<string, AppFolder>>;
  /** Loads an app; files read through the folder are watched from then on. Throws when the app is broken. */
  readonly load: (appFolder: AppFolder, folder: DefinitionFolder) => Promise<App>;
  readonly hotReload: boolean;
  readonly logger: Logger;
  readonly watch?: Pick<FolderWatchOptions, "debounceMs" | "pollMs" | "notices">;
}

interface Entry {
  readonly folder: AppFolder;
  /** The files the newest attempt looked at, as they were. */
  stamps: ReadonlyMap<string, FileStamp>;
  attempt: Promise<void> | undefined;
  good: LoadedApp | undefined;
  failure: PlatformError | undefined;
}

/**
 * Apps in folders, each loaded at its first use. With hot reload, new folders are found, and files that changed are loaded again; while
 * they are broken the last good version stays.
 */
export class FolderApps implements AgentLoader {
  readonly #options: FolderAppsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #versions = new Map<string, number>();
  #first: Promise<void> | undefined;
  #scans: Promise<void> = Promise.resolve();
  #watch: FolderWatch | undefined;

  constructor(options: FolderAppsOptions) {
    this.#options = options;
  }

  async listAgents(): Promise<readonly string[]> {
    await this.#found();
    return [...this.#entries.keys()].sort();
  }

  async loadAgent(name: string): Promise<LoadedApp> {
    await this.#found();
    const entry = this.#entries.get(name);
    if (entry === undefined) throw appNotFound(name);
    if (entry.good !== undefined) return entry.good;
    await this.#attempt(entry);
    if (entry.good !== undefined) return entry.good;
    throw entry.failure ?? appNotFound(name);
  }

  /** Looks for changes now; settles when what changed is loaded. */
  refresh(): Promise<void> {
    this.#scans = this.#scans.then(() => this.#found()).then(() => this.#scan());
    return this.#scans;
  }

  async close(): Promise<void> {
    await this.#first;
    this.#watch?.close();
    await this.#scans;
  }

  #found(): Promise<void> {
    this.#first ??= this.#firstScan();
    return this.#first;
  }

  async #firstScan(): Promise<void> {
    const { root, hotReload, watch, logger } = this.#options;
    for (const folder of (await this.#options.find()).values()) this.#entries.set(folder.name, newEntry(folder));
    if (this.#entries.size === 0) logger.warn({}, "No agents were found in the folder of agents.");
    if (hotReload) this.#watch = new FolderWatch({ path: root, onChange: () => this.refresh(), ...watch });
  }

  async #scan(): Promise<void> {
    const folders = await this.#options.find();
    for (const name of this.#entries.keys()) {
      if (folders.has(name)) continue;
      this.#entries.delete(name);
      this.#options.logger.info({ appName: name }, "The app's folder is gone; the app is no longer served.");
    }
    await Promise.all([...folders.values()].map((folder) => this.#rescan(folder)));
  }

  async #rescan(folder: AppFolder): Promise<void> {
    const known = this.#entries.get(folder.name);
    if (known === undefined || known.folder.file !== folder.file) {
      const entry = { ...newEntry(folder), good: known?.good };
      this.#entries.set(folder.name, entry);
      this.#options.logger.info({ appName: folder.name }, "A new app was found.");
      await this.#attempt(entry);
    } else if (known.attempt !== undefined && (await hasChanged(known))) {
      known.attempt = undefined;
      await this.#attempt(known);
    }
  }

  #attempt(entry: Entry): Promise<void> {
    entry.attempt ??= this.#load(entry);
    return entry.attempt;
  }

  async #load(entry: Entry): Promise<void> {
    const { name, directory, language } = entry.folder;
    const folder = new DefinitionFolder(directory, name);
    try {
      const app = await this.#options.load(entry.folder, folder);
      const readme = await folder.read("README.md");
      const version = (this.#versions.get(name) ?? 0) + 1;
      this.#versions.set(name, version);
      entry.good = { name, app, language, version, ...(readme.ok && { readme: readme.text }) };
      entry.failure = undefined;
      if (version > 1) this.#options.logger.info({ appName: name, version }, "The app was loaded again.");
    } catch (error) {
      entry.failure = toFailure(name, error);
      this.#report(entry, entry.failure);
    }
    // A module that was imported stays as it is until the process ends.
    if (language === "yaml") entry.stamps = folder.stamps;
  }

  #report({ folder, good }: Entry, failure: PlatformError): void {
    const serving = good === undefined ? {} : { servingVersion: good.version };
    const problems = failure instanceof DefinitionException ? failure.problems : [{ message: failure.message }];
    for (const { message, ...place } of problems) {
      const fields = { appName: folder.name, reason: failure.reason, ...place, ...serving };
      this.#options.logger.error(fields, `The app "${folder.name}" is broken: ${message}`);
    }
  }
}

function newEntry(folder: AppFolder): Entry {
  return { folder, stamps: new Map(), attempt: undefined, good: undefined, failure: undefined };
}

async function hasChanged({ stamps, attempt }: Entry): Promise<boolean> {
  await attempt;
  for (const [path, stamp] of stamps) if ((await stampOf(path)) !== stamp) return true;
  return false;
}

function toFailure(name: string, error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return new ConfigurationException(`The app "${name}" cannot be loaded.`, error);
}
