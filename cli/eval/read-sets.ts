import { access, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DEFINITION_FILES, findAppFolders, MODULE_FILES } from "#kit/definitions/loaders/app-folder.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { EvalSet } from "#kit/evaluation/eval-set.ts";
import { DEFAULT_EVAL_CONFIG, type EvalConfig, parseEvalConfig } from "#kit/evaluation/formats/eval-config.ts";
import { parseEvalSetFile } from "#kit/evaluation/formats/eval-set-file.ts";
import { isAbsent, textOfFile } from "#kit/platform/file-errors.ts";
import { parseJson } from "#kit/schema/read-json.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { UsageError } from "../parse-arguments.ts";

/** A set to evaluate, by its config. */
export interface SetToEvaluate {
  readonly set: EvalSet;
  readonly config: EvalConfig;
  /** The folder in which the config looks for functions. */
  readonly configFolder: string;
}

const SET_FILE = /\.(evalset|test)\.json$/;
const CONFIG_FILE = "test_config.json";

/**
 * The sets that words name: files, or ids of sets in the app's folder, with the ids of some of their cases behind a
 * colon. Without words, all sets of the folder. The config is the given one, or that beside the set. Throws
 * `UsageError` for what does not exist, `PlatformError` for what is not valid.
 */
export async function readSets(
  folder: string,
  words: readonly string[],
  configFile: string | undefined,
): Promise<readonly SetToEvaluate[]> {
  const named = words.length > 0 ? words : await setsOf(folder);
  if (named.length === 0)
    throw new UsageError(`${folder} has no evaluation sets (*.evalset.json, *.test.json): name the files of some.`);
  return Promise.all(named.map((word) => readSet(folder, word, configFile)));
}

/** A folder with more is hardly the one that was meant. */
const MAX_LISTED = 30;

/** The folders of apps beside one that does not exist. */
async function appsBeside(folder: string): Promise<string> {
  const parent = dirname(folder);
  const { apps } = await findAppFolders({ root: resolve(parent), files: [...MODULE_FILES, ...DEFINITION_FILES] });
  const folders = [...apps.keys()].map((name) => join(parent, name.replaceAll(".", "/")));
  if (folders.length === 0 || folders.length > MAX_LISTED) return ": name the folder of an app.";
  return `${suggestion(folder, folders) || "."} Apps: ${folders.join(", ")}.`;
}

async function setsOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(async (error: unknown) => {
    if (isAbsent(error)) throw new UsageError(`There is no folder ${folder}${await appsBeside(folder)}`);
    throw error;
  });
  return names
    .filter((name) => SET_FILE.test(name))
    .sort()
    .map((name) => join(folder, name));
}

async function readSet(folder: string, word: string, configFile: string | undefined): Promise<SetToEvaluate> {
  const { path, ids } = await parseWord(folder, word);
  const set = await withPath(path, async () => parseEvalSetFile(await readText(path), basename(path)));
  const beside = join(dirname(path), CONFIG_FILE);
  const config =
    configFile === undefined ? ((await readConfig(beside)) ?? DEFAULT_EVAL_CONFIG) : await readConfigFile(configFile);
  return { set: withCases(set, ids), config, configFolder: dirname(configFile ?? beside) };
}

interface Word {
  readonly path: string;
  readonly ids: readonly string[];
}

/** A path may contain colons, as those of Windows do. */
async function parseWord(folder: string, word: string): Promise<Word> {
  if (word.endsWith(".json")) return { path: word, ids: [] };
  const end = word.lastIndexOf(".json:");
  if (end !== -1)
    return { path: word.slice(0, end + ".json".length), ids: splitIds(word.slice(end + ".json:".length)) };
  const [id = "", ids] = word.split(":");
  return { path: await fileOf(folder, id), ids: splitIds(ids) };
}

/** The file of the set with the id: one of the names that the folder has. */
async function fileOf(folder: string, id: string): Promise<string> {
  const [first, other] = [join(folder, `${id}.evalset.json`), join(folder, `${id}.test.json`)];
  const isOther = !(await exists(first)) && (await exists(other));
  return isOther ? other : first;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The ids behind a set's colon. */
export function splitIds(ids: string | undefined): readonly string[] {
  return (ids ?? "")
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

function withCases(set: EvalSet, ids: readonly string[]): EvalSet {
  if (ids.length === 0) return set;
  const missing = ids.filter((id) => !set.evalCases.some(({ evalId }) => evalId === id));
  if (missing.length > 0) throw new UsageError(`The set ${set.evalSetId} has no case ${missing.join(", ")}.`);
  return { ...set, evalCases: set.evalCases.filter(({ evalId }) => ids.includes(evalId)) };
}

/** Throws `UsageError` if the file does not exist, `PlatformError` if it is not valid. */
export async function readConfigFile(path: string): Promise<EvalConfig> {
  const config = await readConfig(path);
  if (config === undefined) throw new UsageError(`There is no file ${path}.`);
  return config;
}

async function readConfig(path: string): Promise<EvalConfig | undefined> {
  try {
    return await withPath(path, async () =>
      parseEvalConfig(parseJson(textOfFile(await readFile(path)), basename(path))),
    );
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export async function readText(path: string): Promise<string> {
  try {
    return textOfFile(await readFile(path));
  } catch (error) {
    if (isAbsent(error)) throw new UsageError(`There is no file ${path}.`);
    throw error;
  }
}

/** Names the file in what is wrong with it. */
async function withPath<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.reason, `${path}: ${error.message}`, { details: error.details, cause: error });
  }
}
