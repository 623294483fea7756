import { join } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertEvalSetId, isEvalSetId } from "#kit/evaluation/eval-ids.ts";
import { parseEvalSet, parseEvalSetResult, toEvalSetJson } from "#kit/evaluation/eval-json.ts";
import { type EvalSetResult, evalSetResultName } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import {
  caseIds,
  checkedResult,
  evalSetAlreadyExists,
  evalSetNotFound,
  findCase,
  newEvalSet,
  withCase,
  withCaseReplaced,
  withoutCase,
} from "#kit/evaluation/eval-set-changes.ts";
import type { CreateEvalSetRequest, EvalCaseKey, EvalSetKey, EvalStore } from "#kit/evaluation/eval-store.ts";
import { type AppScope, assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import {
  claimName,
  listNames,
  makeFolder,
  readIfPresent,
  removeIfPresent,
  replaceFile,
  syncFolder,
  TemporaryNames,
  writeTemporary,
} from "./durable-files.ts";
import { fromFileSegment, isHashedSegment, toFileSegment } from "./file-segment.ts";
import { tenantFolder } from "./tenant-folder.ts";

const SET_SUFFIX = ".evalset.json";
const RESULT_SUFFIX = ".evalset_result.json";
/** Names that other ADK servers use for the same data stay unchanged. Must not match a hashed segment. */
const PLAIN_NAME = /^(?!_[0-9a-f]{64}$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Evaluation data in ADK's JSON files: `{folder}/{app}/{set}.evalset.json` and
 * `{folder}/{app}/.adk/eval_history/{result}.evalset_result.json`, for tenants other than `default` below
 * `{folder}/.tenants/{tenant}`. Files are read on each call, because other tools may
 * write or change them.
 */
export class FileEvalStore implements EvalStore {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #temporary: TemporaryNames;
  readonly #mutex = new KeyedMutex();

  constructor(options: { readonly folder: string; readonly clock: Clock }) {
    this.#folder = options.folder;
    this.#clock = options.clock;
    this.#temporary = new TemporaryNames(join(options.folder, ".tmp"));
  }

  async createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet> {
    assertKey(request);
    const set = newEvalSet(request, this.#clock.now());
    const temporary = await this.#writeTemporary(toEvalSetJson(set));
    const folder = this.#appFolder(request);
    await makeFolder(folder);
    if (!(await claimName(temporary, this.#setPath(request)))) {
      await removeIfPresent(temporary);
      throw evalSetAlreadyExists(request);
    }
    await syncFolder(folder);
    return set;
  }

  async listEvalSets(app: AppScope): Promise<readonly string[]> {
    assertAppScope(app);
    const ids = stemsOf(await listNames(this.#appFolder(app)), SET_SUFFIX);
    return ids.filter(isEvalSetId).sort();
  }

  async getEvalSet(key: EvalSetKey): Promise<EvalSet | undefined> {
    assertKey(key);
    const bytes = await readIfPresent(this.#setPath(key));
    return bytes === undefined ? undefined : read(bytes, `Evaluation set ${key.evalSetId}`, parseEvalSet);
  }

  async deleteEvalSet(key: EvalSetKey): Promise<void> {
    assertKey(key);
    await this.#mutex.run(this.#setPath(key), async () => {
      if (!(await removeIfPresent(this.#setPath(key)))) throw evalSetNotFound(key);
      await syncFolder(this.#appFolder(key));
    });
  }

  async listEvalCases(key: EvalSetKey): Promise<readonly string[]> {
    return caseIds(await this.#existing(key));
  }

  async getEvalCase(key: EvalCaseKey): Promise<EvalCase | undefined> {
    assertIdentifier("evalId", key.evalId);
    const set = await this.getEvalSet(key);
    return set === undefined ? undefined : findCase(set, key.evalId);
  }

  async addEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    await this.#change(key, (set) => withCase(set, evalCase));
  }

  async updateEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    await this.#change(key, (set) => withCaseReplaced(set, evalCase));
  }

  async deleteEvalCase(key: EvalCaseKey): Promise<void> {
    assertIdentifier("evalId", key.evalId);
    await this.#change(key, (set) => withoutCase(set, key.evalId));
  }

  async saveEvalSetResult(app: AppScope, result: EvalSetResult): Promise<void> {
    assertAppScope(app);
    const checked = checkedResult(result);
    const temporary = await this.#writeTemporary(checked);
    await makeFolder(this.#historyFolder(app));
    await replaceFile(temporary, this.#resultPath(app, checked.evalSetResultName));
    await syncFolder(this.#historyFolder(app));
  }

  async listEvalSetResults(app: AppScope): Promise<readonly string[]> {
    assertAppScope(app);
    const folder = this.#historyFolder(app);
    const stems = stemsOf(await listNames(folder), RESULT_SUFFIX);
    const names = await Promise.all(stems.map((stem) => resultName(folder, stem)));
    return names.filter((name) => name !== undefined).sort();
  }

  async getEvalSetResult(app: AppScope, nameOrId: string): Promise<EvalSetResult | undefined> {
    assertAppScope(app);
    const bytes = await readIfPresent(this.#resultPath(app, nameOrId));
    return bytes === undefined ? undefined : read(bytes, `Evaluation result ${nameOrId}`, parseEvalSetResult);
  }

  /** Changes one set at a time, and only after the change was validated. */
  async #change(key: EvalSetKey, change: (set: EvalSet) => EvalSet): Promise<void> {
    assertKey(key);
    await this.#mutex.run(this.#setPath(key), async () => {
      const changed = change(await this.#existing(key));
      await replaceFile(await this.#writeTemporary(toEvalSetJson(changed)), this.#setPath(key));
      await syncFolder(this.#appFolder(key));
    });
  }

  async #existing(key: EvalSetKey): Promise<EvalSet> {
    const set = await this.getEvalSet(key);
    if (set === undefined) throw evalSetNotFound(key);
    return set;
  }

  async #writeTemporary(value: object): Promise<string> {
    const path = await this.#temporary.next();
    await writeTemporary(path, `${JSON.stringify(value, undefined, 2)}\n`);
    return path;
  }

  #appFolder(app: AppScope): string {
    return join(tenantFolder(this.#folder, app), toPlainSegment(app.appName));
  }

  #historyFolder(app: AppScope): string {
    return join(this.#appFolder(app), ".adk", "eval_history");
  }

  #setPath(key: EvalSetKey): string {
    return join(this.#appFolder(key), key.evalSetId + SET_SUFFIX);
  }

  #resultPath(app: AppScope, nameOrId: string): string {
    return join(this.#historyFolder(app), toPlainSegment(evalSetResultName(nameOrId)) + RESULT_SUFFIX);
  }
}

function assertKey(key: EvalSetKey): void {
  assertAppScope(key);
  assertEvalSetId(key.evalSetId);
}

function toPlainSegment(name: string): string {
  return PLAIN_NAME.test(name) ? name : toFileSegment(name);
}

function stemsOf(names: readonly string[], suffix: string): readonly string[] {
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
}

/** A result's name by its file's; undefined for a file that does not belong to this store. */
async function resultName(folder: string, stem: string): Promise<string | undefined> {
  if (PLAIN_NAME.test(stem)) return stem;
  if (!isHashedSegment(stem)) return fromFileSegment(stem);
  try {
    const bytes = await readIfPresent(join(folder, stem + RESULT_SUFFIX));
    return bytes && evalSetResultName(read(bytes, "", parseEvalSetResult).evalSetResultName);
  } catch (error) {
    // The result's name cannot be read, and one broken file must not hide the others.
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

function read<T>(bytes: Buffer, what: string, parse: (value: JsonValue) => T): T {
  try {
    return parse(parseJson(bytes.toString("utf8")));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof PlatformError)) throw error;
    const problem = error instanceof PlatformError ? error.message : "its file is not JSON.";
    throw new PlatformError("EVAL_DATA_BROKEN", `${what} cannot be read: ${problem} Repair or delete it.`, {
      cause: error,
    });
  }
}

/** Old servers encoded results twice. */
function parseJson(text: string): JsonValue {
  // JSON.parse returns JSON values only.
  const value = JSON.parse(text) as JsonValue;
  return typeof value === "string" ? (JSON.parse(value) as JsonValue) : value;
}
