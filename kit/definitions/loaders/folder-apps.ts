import { join, relative, resolve } from "node:path";
import type { App } from "#kit/core/app.ts";
import { agentRevisionOf, sourcesOfModule } from "#kit/definitions/revisions/agent-revision.ts";
import { DefinitionFolder, type FileStamp, stampOf } from "#kit/definitions/yaml/definition-folder.ts";
import { DefinitionException, type DefinitionProblem } from "#kit/definitions/yaml/definition-problem.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { codeOf, isAbsent } from "#kit/platform/file-errors.ts";
import { isInside } from "#kit/platform/file-paths.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { type AgentLoader, appNotFound, type LoadedApp } from "./agent-loader.ts";
import type { AppFolder, FoundApps, UnreadableFolder } from "./app-folder.ts";
import { FolderWatch, type FolderWatchOptions } from "./folder-watch.ts";
import { COMPONENT_FILES } from "./register-app-components.ts";

export interface FolderAppsOptions {
  readonly root: string;
  readonly find: () => Promise<FoundApps>;
  /** Loads an app; files read through the folder are watched from then on. Throws if the app is broken. */
  readonly load: (appFolder: AppFolder, folder: DefinitionFolder) => Promise<App>;
  readonly hotReload: boolean;
  readonly logger: Logger;
  readonly watch?: Pick<FolderWatchOptions, "debounceMs" | "pollMs" | "notices">;
  /**
   * The shortest pause between checks that requests cause, so that requests for missing names do not keep the disk
   * busy.
   */
  readonly lookPauseMs?: number;
  /** Part of the agent revision of each app, in addition to its sources. */
  readonly revisionSalt?: string;
}

/** How many replaced versions of an app stay loaded, for the runs that began on them. */
const MAX_OLDER = 4;
const README = "README.md";

interface Entry {
  readonly folder: AppFolder;
  /** The stamps of the files that the newest attempt read. */
  stamps: ReadonlyMap<string, FileStamp>;
  attempt: Promise<void> | undefined;
  good: LoadedApp | undefined;
  /** Replaced versions with other agent revisions, the newest first. */
  older: readonly LoadedApp[];
  failure: PlatformError | undefined;
  /**
   * The newest attempt failed for a temporary reason, so the next check tries again even if the files are unchanged.
   */
  isToRetry: boolean;
}

const DEFAULT_LOOK_PAUSE_MS = 100;

/**
 * Apps in folders, each loaded at its first use. With hot reload, new folders are found and changed files are loaded
 * again; while they are broken, the last valid version is served.
 */
export class FolderApps implements AgentLoader {
  readonly #options: FolderAppsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #versions = new Map<string, number>();
  #first: Promise<void> | undefined;
  #scans: Promise<void> = Promise.resolve();
  /** The folders that the newest check could not read. */
  #unreadable: readonly UnreadableFolder[] = [];
  #look: Promise<void> | undefined;
  #pause: Promise<void> = Promise.resolve();
  #watch: FolderWatch | undefined;

  constructor(options: FolderAppsOptions) {
    this.#options = options;
  }

  /**
   * With hot reload, the folder is checked first, so that the list includes apps that another process has just saved.
   */
  async listAgents(): Promise<readonly string[]> {
    await this.#found();
    if (this.#mayHaveMore) await this.#lookNow();
    if (this.#entries.size === 0) this.#assertRootReadable();
    return [...this.#entries.keys()].sort();
  }

  async loadAgent(name: string): Promise<LoadedApp> {
    await this.#found();
    const entry = this.#entries.get(name) ?? (await this.#lookFor(name));
    if (entry.good !== undefined) return entry.good;
    await this.#attempt(entry);
    if (entry.good !== undefined) return entry.good;
    throw entry.failure ?? appNotFound(name);
  }

  async findRevision(name: string, agentRevision: string): Promise<LoadedApp | undefined> {
    const { good, older = [] } = this.#entries.get(name) ?? {};
    return [...(good === undefined ? [] : [good]), ...older].find((app) => app.agentRevision === agentRevision);
  }

  keeps(app: App): boolean {
    const { good, older = [] } = this.#entries.get(app.name) ?? {};
    return good?.app === app || older.some((kept) => kept.app === app);
  }

  /** Checks for changes now; resolves when the changed apps are loaded. */
  refresh(): Promise<void> {
    // A failed check is logged and does not stop later ones.
    this.#scans = this.#scans.then(() => this.#found()).then(() => this.#scan());
    this.#scans = this.#scans.catch((error: unknown) => {
      this.#options.logger.error({ error }, "The folder of agents could not be looked through.");
    });
    return this.#scans;
  }

  async close(): Promise<void> {
    await this.#first;
    this.#watch?.close();
    await this.#scans;
  }

  get #mayHaveMore(): boolean {
    return this.#options.hotReload || this.#unreadable.length > 0;
  }

  async #lookFor(name: string): Promise<Entry> {
    if (this.#mayHaveMore) await this.#lookNow();
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    this.#assertRootReadable();
    throw appNotFound(name);
  }

  /** A check that begins after the call; concurrent calls share it. */
  #lookNow(): Promise<void> {
    this.#look ??= this.#pause.then(() => {
      this.#look = undefined;
      this.#pause = sleep(this.#options.lookPauseMs ?? DEFAULT_LOOK_PAUSE_MS);
      return this.refresh();
    });
    return this.#look;
  }

  /** Throws `STORE_UNAVAILABLE` if the folder could not be read: that is not the same as an empty folder. */
  #assertRootReadable(): void {
    const root = resolve(this.#options.root);
    const failed = this.#unreadable.find(({ directory }) => directory === root);
    if (failed === undefined) return;
    const { error: cause } = failed;
    throw new PlatformError("STORE_UNAVAILABLE", "The folder of agents cannot be read now.", { cause });
  }

  /** A failure is not kept: the next call looks again. */
  #found(): Promise<void> {
    if (this.#first !== undefined) return this.#first;
    const first = this.#firstScan();
    this.#first = first;
    first.catch(() => {
      this.#first = undefined;
    });
    return first;
  }

  async #firstScan(): Promise<void> {
    const { root, hotReload, watch, logger } = this.#options;
    for (const folder of (await this.#find()).values()) this.#entries.set(folder.name, newEntry(folder));
    if (this.#entries.size === 0) logger.warn({}, "No agents were found in the folder of agents.");
    if (hotReload) this.#watch = new FolderWatch({ path: root, onChange: () => this.refresh(), ...watch });
  }

  async #find(): Promise<ReadonlyMap<string, AppFolder>> {
    const { apps, unreadable } = await this.#options.find();
    const known = new Set(this.#unreadable.map(({ directory }) => directory));
    this.#unreadable = unreadable;
    for (const { directory, error } of unreadable) {
      if (known.has(directory)) continue;
      const fields = { folder: relative(this.#options.root, directory) || ".", code: codeOf(error), error };
      this.#options.logger.error(
        fields,
        "A folder of agents cannot be read. Apps that are known there stay as they are.",
      );
    }
    return apps;
  }

  async #scan(): Promise<void> {
    const folders = await this.#find();
    for (const [name, { folder }] of this.#entries) {
      if (folders.has(name) || this.#unreadable.some(({ directory }) => isInside(directory, folder.directory)))
        continue;
      this.#entries.delete(name);
      this.#options.logger.info({ appName: name }, "The app's folder is gone; the app is no longer served.");
    }
    await Promise.all([...folders.values()].map((folder) => this.#rescan(folder)));
  }

  async #rescan(folder: AppFolder): Promise<void> {
    const known = this.#entries.get(folder.name);
    if (known === undefined || known.folder.file !== folder.file) {
      const entry = { ...newEntry(folder), good: known?.good, older: known?.older ?? [] };
      this.#entries.set(folder.name, entry);
      this.#options.logger.info({ appName: folder.name }, "A new app was found.");
      await this.#attempt(entry);
    } else if (known.attempt !== undefined && (known.isToRetry || (await hasChanged(known)))) {
      known.attempt = undefined;
      await this.#attempt(known);
    }
  }

  #attempt(entry: Entry): Promise<void> {
    if (entry.isToRetry) entry.attempt = undefined;
    entry.isToRetry = false;
    entry.attempt ??= this.#load(entry);
    return entry.attempt;
  }

  async #load(entry: Entry): Promise<void> {
    const { name, directory, language } = entry.folder;
    const folder = new DefinitionFolder(directory, name);
    try {
      const app = await this.#options.load(entry.folder, folder);
      const readme = await folder.read(README);
      const version = (this.#versions.get(name) ?? 0) + 1;
      this.#versions.set(name, version);
      const agentRevision = this.#revisionOf(entry.folder, folder);
      const replaced = entry.good === undefined ? entry.older : [entry.good, ...entry.older];
      entry.older = replaced.filter((older) => older.agentRevision !== agentRevision).slice(0, MAX_OLDER);
      entry.good = { name, app, language, version, agentRevision, readme: readme.ok ? readme.text : undefined };
      entry.failure = undefined;
      if (version > 1)
        this.#options.logger.info({ appName: name, version, agentRevision }, "The app was loaded again.");
    } catch (error) {
      const failure = toFailure(name, error);
      const isKnown = entry.failure?.message === failure.message;
      entry.failure = failure;
      entry.isToRetry = isTemporary(failure);
      if (!isKnown) this.#report(entry, failure);
    }
    // An imported module stays loaded until the process ends.
    if (language === "yaml") entry.stamps = folder.stamps;
  }

  /** The sources of an app: its definitions and its components, or its module. */
  #revisionOf({ directory, file, language }: AppFolder, folder: DefinitionFolder): string {
    const modules = language === "yaml" ? COMPONENT_FILES.map((name) => join(directory, name)) : [file];
    const sources = modules.flatMap((path) => [...(sourcesOfModule(path) ?? [])]);
    // What people read decides nothing.
    const definitions = [...folder.digests].filter(([name]) => name !== README);
    return agentRevisionOf({ sources: [...definitions, ...sources], salt: this.#options.revisionSalt });
  }

  #report({ folder, good }: Entry, failure: PlatformError): void {
    const serving = good === undefined ? {} : { servingVersion: good.version };
    const isKnown = failure instanceof DefinitionException;
    const problems: readonly (Pick<DefinitionProblem, "message" | "logDetail"> & Partial<DefinitionProblem>)[] = isKnown
      ? failure.problems
      : [{ message: failure.message }];
    for (const { message, logDetail, ...place } of problems) {
      const error = isKnown ? {} : { error: failure };
      const fields = { appName: folder.name, reason: failure.reason, ...place, ...serving, ...error };
      const text = logDetail === undefined ? message : `${message} ${logDetail}`;
      this.#options.logger.error(fields, `The app "${folder.name}" is broken: ${text}`);
    }
  }
}

function newEntry(folder: AppFolder): Entry {
  return {
    folder,
    stamps: new Map(),
    attempt: undefined,
    good: undefined,
    older: [],
    failure: undefined,
    isToRetry: false,
  };
}

async function hasChanged({ stamps, attempt }: Entry): Promise<boolean> {
  await attempt;
  try {
    for (const [path, stamp] of stamps) if ((await stampOf(path)) !== stamp) return true;
  } catch {
    // A file that cannot be read now counts as unchanged: the next check follows soon.
  }
  return false;
}

/**
 * Whether a failure is not the fault of the app's files: the system had no descriptors, or the disk did not respond.
 */
function isTemporary(failure: PlatformError): boolean {
  return failure.unavailable || (/^E(?!RR_)/.test(codeOf(failure.cause) ?? "") && !isAbsent(failure.cause));
}

function toFailure(name: string, error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const logDetail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ConfigurationException(`The app "${name}" cannot be loaded.`, error, logDetail);
}
