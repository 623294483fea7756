import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, posix, resolve } from "node:path";
import { PlatformError } from "../errors/platform-error.ts";
import { type IdGenerator, UuidV7Generator } from "../platform/id-generator.ts";
import { MODULE_FILES } from "./app-folder.ts";
import type { ConfigNode } from "./config-node.ts";
import { DefinitionFolder, isInside } from "./definition-folder.ts";
import { DefinitionException, ProblemList } from "./definition-problem.ts";
import { parseDefinition } from "./parse-definition.ts";

const DRAFT_FOLDER = "tmp";
const DEFAULT_FILE = "root_agent.yaml";

/**
 * The YAML editor's view of a folder of agents. Reads and writes `.yaml` and `.yml` files of apps that are definitions, and nothing else;
 * refusals are `INVALID_FIELD`. Drafts lie in `<app>/tmp/<app>/` until they are saved for good or dropped.
 */
export class DirectoryAgentFiles {
  readonly #root: string;
  readonly #ids: IdGenerator;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(directory: string, ids: IdGenerator = new UuidV7Generator()) {
    this.#root = resolve(directory);
    this.#ids = ids;
  }

  /** Text of the file (default `root_agent.yaml`), or undefined. A draft that was never made reads as the file itself. */
  async read(
    appName: string,
    { filePath = DEFAULT_FILE, temporary }: { readonly filePath?: string; readonly temporary: boolean },
  ): Promise<string | undefined> {
    const app = await this.#app(appName);
    assertDefinitionPath(filePath);
    if (app.isModule) return undefined;
    for (const folder of temporary ? [app.draft, app.directory] : [app.directory]) {
      const read = await new DefinitionFolder(folder, "").read(filePath);
      if (read.ok) return read.text;
    }
    return undefined;
  }

  /** Writes all files or, when one is refused, none. Saving for good takes up the draft first. */
  save(
    appName: string,
    files: ReadonlyMap<string, string>,
    { temporary }: { readonly temporary: boolean },
  ): Promise<boolean> {
    return this.#inTurn(async () => {
      const app = await this.#app(appName);
      if (app.isModule) throw refusal(appName, "is an app in code, which this editor does not change");
      for (const [path, text] of files) await assertDefinition(path, text);
      if (temporary) {
        await this.#write(app.draft, files);
        return true;
      }
      await this.#write(app.directory, new Map([...(await draftOf(app.draft)), ...files]));
      await rm(join(app.directory, DRAFT_FOLDER), { recursive: true, force: true });
      return true;
    });
  }

  /** Drops the draft. */
  cancel(appName: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const app = await this.#app(appName);
      await rm(app.draft, { recursive: true, force: true });
      return true;
    });
  }

  async #app(appName: string): Promise<{ directory: string; draft: string; isModule: boolean }> {
    const names = appName.split(".");
    if (!names.every((name) => /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name)) || names.includes(DRAFT_FOLDER))
      throw refusal(appName, "is no app name: use letters, digits, _ and -");
    const directory = join(this.#root, ...names);
    const isModule = (await Promise.all(MODULE_FILES.map((file) => isFile(join(directory, file))))).includes(true);
    return { directory, draft: join(directory, DRAFT_FOLDER, ...names), isModule };
  }

  /** All files are written beside their places before the first takes its place. */
  async #write(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
    const staged: { from: string; to: string }[] = [];
    await mkdir(folder, { recursive: true });
    try {
      for (const [path, text] of files) {
        const to = join(folder, path);
        await mkdir(dirname(to), { recursive: true });
        if (!isInside(await realpath(folder), await realpath(dirname(to))))
          throw refusal(path, "leaves the app's folder through a link");
        const from = join(dirname(to), `.${this.#ids.next()}.part`);
        staged.push({ from, to });
        await writeFile(from, text, { flag: "wx", flush: true });
      }
      for (const { from, to } of staged) await rename(from, to);
    } finally {
      for (const { from } of staged) await rm(from, { force: true });
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

async function draftOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const source = new DefinitionFolder(folder, "");
  for (const path of await readdir(folder, { recursive: true }).catch(() => [])) {
    const read = isDefinitionPath(path) ? await source.read(path) : undefined;
    if (read?.ok === true) files.set(path, read.text);
  }
  return files;
}

function isDefinitionPath(path: string): boolean {
  const parts = path.split("/");
  return (
    /\.ya?ml$/i.test(path) &&
    posix.normalize(path) === path &&
    !posix.isAbsolute(path) &&
    parts.every((part) => /^[^.\\:\u0000-\u001f][^\\:\u0000-\u001f]*$/.test(part)) &&
    parts[0] !== DRAFT_FOLDER
  );
}

function assertDefinitionPath(path: string): void {
  if (!isDefinitionPath(path)) throw refusal(path, "is no .yaml or .yml file inside the app's folder");
}

async function assertDefinition(path: string, text: string): Promise<void> {
  assertDefinitionPath(path);
  const problems = new ProblemList(path);
  const node = await parseDefinition(text, problems);
  if (node !== undefined) refuseArgs(node, problems);
  try {
    problems.throwIfAny();
  } catch (error) {
    if (!(error instanceof DefinitionException)) throw error;
    throw new PlatformError("INVALID_FIELD", error.message, { details: { field: "files" }, cause: error });
  }
}

/** Arguments decide what a tool may reach: they are written where the app is deployed from, not over HTTP. */
function refuseArgs(node: ConfigNode, problems: ProblemList): void {
  if (node.kind === "list") for (const item of node.items) refuseArgs(item, problems);
  if (node.kind !== "map") return;
  for (const { key, at, value } of node.entries) {
    if (key === "args") problems.add('The key "args" cannot be saved over HTTP.', at);
    else refuseArgs(value, problems);
  }
}

function refusal(value: string, why: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `"${value.slice(0, 200)}" ${why}.`, { details: { field: "files" } });
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
