import { access, mkdir, readdir, realpath, rm, rmdir } from "node:fs/promises";
import { dirname, join, posix, relative, resolve } from "node:path";
import { MODULE_FILES, NEVER_APPS } from "#kit/definitions/loaders/app-folder.ts";
import { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { codeOf, isAbsent, isFull } from "#kit/platform/file-errors.ts";
import { isInside } from "#kit/platform/file-paths.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import { changeFiles, type FileChange } from "./change-files.ts";
import {
  assertAgentPath,
  DRAFT_FOLDER,
  definitionPath,
  isDefinitionPath,
  otherExtension,
  ROOT_FILE,
  refusal,
} from "./definition-path.ts";
import { assertFits, assertRoomForApp, EDITOR_LIMITS, type EditorLimits } from "./editor-limits.ts";
import { withServerModel } from "./new-agent-model.ts";
import { checkDraft, planSave } from "./plan-save.ts";
import { serveDefinition } from "./serve-definition.ts";
import { StoredApp } from "./stored-app.ts";

const MAX_APP_NAME_BYTES = 255;

export interface AgentFilesOptions {
  readonly ids?: IdGenerator;
  readonly limits?: EditorLimits;
  /** The model of new agents, in place of the one that the developer UI writes for every new agent. */
  readonly newModel?: () => string | undefined;
}

interface EditedApp {
  readonly directory: string;
  readonly draft: string;
  /** The reason why it cannot be edited. */
  readonly refused?: string;
}

/**
 * The YAML editor's view of a folder of agents. Reads and writes `.yaml` and `.yml` files of apps that are definitions,
 * and nothing else; refusals are `INVALID_FIELD`. Files are read in ADK's spelling; saving applies only the upload's
 * changes to a stored file. Drafts are stored in `<app>/.draft/` until they are saved permanently or dropped.
 */
export class DirectoryAgentFiles {
  readonly #root: string;
  readonly #ids: IdGenerator;
  readonly #limits: EditorLimits;
  readonly #newModel: () => string | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(directory: string, options: AgentFilesOptions = {}) {
    const { ids = new UuidV7Generator(), limits = EDITOR_LIMITS, newModel = () => undefined } = options;
    this.#root = resolve(directory);
    this.#ids = ids;
    this.#limits = limits;
    this.#newModel = newModel;
  }

  /**
   * The app's definitions by their paths, with the draft's texts in place of stored ones: the root agent and what it
   * refers to, and all of the draft.
   */
  list(appName: string): Promise<ReadonlyMap<string, string>> {
    return translated(async () => {
      const app = await this.#app(appName);
      if (app.refused !== undefined) throw refusal(appName, app.refused);
      return new Map([...(await StoredApp.read(app.directory)).texts, ...(await draftOf(app.draft))]);
    }, "read");
  }

  /**
   * Text of the file (default `root_agent.yaml`), or undefined. A draft that does not exist reads as the file itself.
   */
  read(
    appName: string,
    options: { readonly filePath?: string; readonly temporary: boolean },
  ): Promise<string | undefined> {
    return translated(() => this.#read(appName, options), "read");
  }

  async #read(
    appName: string,
    { filePath = ROOT_FILE, temporary }: { readonly filePath?: string; readonly temporary: boolean },
  ): Promise<string | undefined> {
    const app = await this.#app(appName);
    const path = definitionPath(filePath);
    if (app.refused !== undefined) return undefined;
    for (const folder of temporary ? [app.draft, app.directory] : [app.directory]) {
      for (const file of [path, otherExtension(path)]) {
        const read = await new DefinitionFolder(folder, "").read(file);
        if (read.ok) return serveDefinition(read.text, (ref) => servedPath(file, ref));
      }
    }
    return undefined;
  }

  /** Writes all files, or none if one is refused. A permanent save also applies the draft. */
  async save(
    appName: string,
    given: ReadonlyMap<string, string>,
    { temporary }: { readonly temporary: boolean },
  ): Promise<boolean> {
    const uploads = new Map([...given].map(([path, text]) => [definitionPath(path), text]));
    for (const path of uploads.keys()) assertAgentPath(path);
    return this.#inTurn(async () => {
      const app = await this.#app(appName);
      if (app.refused !== undefined) throw refusal(appName, app.refused);
      if (await isMissing(app.directory)) await assertRoomForApp(this.#root, appName, this.#limits);
      const stored = await StoredApp.read(app.directory);
      const files = await this.#withServerModels(uploads, stored);
      if (temporary) {
        await checkDraft(files, stored);
        await assertFits(app.draft, files, this.#limits);
        await this.#change(app.directory, app.draft, changesTo(app.draft, files));
        return true;
      }
      const draft = await draftOf(app.draft);
      const planned = await planSave(new Map([...draft, ...files]), stored);
      await assertFits(app.directory, planned, this.#limits);
      const removals = [...draft.keys()].map((path) => ({ path: join(app.draft, path), text: undefined }));
      await this.#change(app.directory, app.directory, [...changesTo(app.directory, planned), ...removals]);
      // The save is complete: a folder that cannot be removed is not a failure, and is removed with the next draft.
      const clean = () => removeEmptyFolders(app.draft, draft.keys());
      await clean()
        .catch(clean)
        .catch(() => {});
      return true;
    }, "written");
  }

  /** Drops the draft, and the folder of an app that was never saved. */
  cancel(appName: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const app = await this.#app(appName);
      await removeDraft(app.draft, (await draftOf(app.draft)).keys());
      for (let folder = app.directory; folder !== this.#root && (await removeEmpty(folder)); ) folder = dirname(folder);
      return true;
    }, "removed");
  }

  async #withServerModels(files: ReadonlyMap<string, string>, stored: StoredApp): Promise<ReadonlyMap<string, string>> {
    const model = this.#newModel();
    if (model === undefined) return files;
    const own = new Map<string, string>();
    for (const [path, text] of files)
      own.set(path, (await stored.hasAgent(path)) ? text : await withServerModel(text, model));
    return own;
  }

  async #app(appName: string): Promise<EditedApp> {
    // Checked here, because file systems report a longer folder name with a less clear error.
    if (Buffer.byteLength(appName) > MAX_APP_NAME_BYTES)
      throw refusal(`${appName.slice(0, 20)}…`, `is longer than ${MAX_APP_NAME_BYTES} bytes`);
    const names = appName.split(".");
    if (!names.every((name) => /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name) && !NEVER_APPS.has(name)))
      throw refusal(appName, "is not an app name: use letters, digits, _ and -");
    const directory = join(this.#root, ...names);
    const app = { directory, draft: join(directory, DRAFT_FOLDER) };
    for (const file of MODULE_FILES)
      if (!(await isMissing(join(directory, file))))
        return { ...app, refused: "is an app in code, which this editor does not change" };
    const isYaml =
      !(await isMissing(join(directory, ROOT_FILE))) || !(await isMissing(join(directory, "root_agent.yml")));
    if (!isYaml && !(await isMissing(join(directory, "root_agent.json"))))
      return { ...app, refused: "is an app in JSON, which this editor does not change" };
    return app;
  }

  /** Makes all changes or none. Folders that were created for them are removed after a failure. */
  async #change(base: string, folder: string, changes: readonly FileChange[]): Promise<void> {
    const made: string[] = [];
    try {
      const present = new DefinitionFolder(folder, "");
      const needed: FileChange[] = [];
      for (const change of changes) {
        const { path, text } = change;
        if (text === undefined) {
          needed.push(change);
          continue;
        }
        await makeFolders(this.#root, base, made);
        const name = relative(folder, path);
        await makeFolderInside(base, dirname(path), name, made);
        const read = await present.read(name);
        if (!read.ok || read.text !== text) needed.push(change);
      }
      await changeFiles(needed, this.#ids);
    } catch (error) {
      for (const path of made.reverse()) await rmdir(path).catch(() => {});
      throw error;
    }
  }

  #inTurn<Result>(work: () => Promise<Result>, failure: string): Promise<Result> {
    const result = this.#queue.then(() => translated(work, failure));
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

function changesTo(folder: string, files: ReadonlyMap<string, string>): readonly FileChange[] {
  return [...files].map(([path, text]) => ({ path: join(folder, path), text }));
}

/**
 * The path from the app's folder, with the extension that the UI's editor expects; reading finds a file with either
 * extension.
 */
function servedPath(file: string, ref: string): string {
  return posix.join(posix.dirname(file), ref).replace(/\.yml$/i, ".yaml");
}

/** Creates the folders below the root that lead to a folder, and records those that were missing. */
async function makeFolders(root: string, folder: string, made: string[]): Promise<void> {
  if (folder === root) await mkdir(folder, { recursive: true, mode: 0o700 });
  else {
    await makeFolders(root, dirname(folder), made);
    await makeOne(folder, made);
  }
}

/** Creates the folders on the path from `base` to `folder`. Refuses a link on the path that leads out of `base`. */
async function makeFolderInside(base: string, folder: string, named: string, made: string[]): Promise<void> {
  if (folder !== base) {
    await makeFolderInside(base, dirname(folder), named, made);
    await makeOne(folder, made);
  }
  if (!isInside(await realpath(base), await realpath(folder)))
    throw refusal(named, "leaves the app's folder through a link");
}

async function makeOne(folder: string, made: string[]): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
    made.push(folder);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

async function draftOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const source = new DefinitionFolder(folder, "");
  for (const path of await pathsIn(folder)) {
    const read = isDefinitionPath(path) ? await source.read(path) : undefined;
    if (read?.ok === true) files.set(path, read.text);
  }
  return files;
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Removes the files, and then the empty folders: files of others stay. */
async function removeDraft(folder: string, files: Iterable<string>): Promise<void> {
  const paths = [...files];
  for (const file of paths) await rm(join(folder, file), { force: true });
  await removeEmptyFolders(folder, paths);
}

async function removeEmptyFolders(folder: string, files: Iterable<string>): Promise<void> {
  const folders = new Set([folder]);
  for (const file of files)
    for (let path = dirname(join(folder, file)); path !== folder; path = dirname(path)) folders.add(path);
  for (const path of [...folders].sort((a, b) => b.length - a.length)) await removeEmpty(path);
}

/** Whether the folder no longer exists. */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (isAbsent(error)) return true;
    const code = codeOf(error);
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "EBUSY") return false;
    throw error;
  }
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await access(path);
    return false;
  } catch (error) {
    if (isAbsent(error)) return true;
    throw error;
  }
}

/** A refusal by the file system concerns the operator and is not a fault of the server. */
async function translated<Result>(work: () => Promise<Result>, failure: string): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || error instanceof PlatformError) throw error;
    if (isFull(error))
      throw new PlatformError("STORAGE_FULL", "The disk of the agents' folder is full. Nothing was changed.", {
        cause: error,
      });
    throw new PlatformError("STORE_UNAVAILABLE", `The app's files cannot be ${failure} (${code}). Try again.`, {
      cause: error,
    });
  }
}
