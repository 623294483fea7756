import { dirname, join } from "node:path";
import { assertEvalSetId, isEvalSetId } from "#kit/evaluation/eval-ids.ts";
import { parseEvalSet, parseEvalSetResult, toEvalSetJson } from "#kit/evaluation/eval-json.ts";
import { type EvalSetResult, evalSetResultName } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import { type AppScope, assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { pageOfNames } from "#kit/names/name-pages.ts";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import { evalResultItem, evalSetItem } from "#ports/evaluation/eval-items.ts";
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
} from "#ports/evaluation/eval-set-changes.ts";
import type { CreateEvalSetRequest, EvalCaseKey, EvalSetKey, EvalStore } from "#ports/evaluation/eval-store.ts";
import { assertSize, type SizeLimit } from "#ports/evaluation/size-limit.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { ProcessStorageMeter } from "#ports/storage-limits/process-storage-meter.ts";
import type { StorageCount, StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner, type DataOwner } from "#ports/tenants/data-owner.ts";
import { isAfter, type PlacedItem, readDataPage } from "#ports/tenants/data-pages.ts";
import {
  assertOldItems,
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
  oldPage,
  oldRange,
} from "#ports/tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import {
  claimName,
  listNames,
  makeFolder,
  readIfPresent,
  removeIfPresent,
  replaceFile,
  sizeIfPresent,
  syncFolder,
  TemporaryNames,
  writeTemporary,
} from "./durable-files.ts";
import {
  HISTORY,
  PLAIN_NAME,
  RESULT_SUFFIX,
  readEvalFile,
  resultName,
  SET_SUFFIX,
  stemsOf,
  toPlainSegment,
} from "./eval-files.ts";
import { storedEvaluations } from "./eval-sizes.ts";
import { fromFileSegment } from "./file-segment.ts";
import { timeOfResult, walkResults } from "./old-eval-results.ts";
import { appFolders, tenantFolder } from "./tenant-folder.ts";

/** How many results one page of a walk reads. */
const MAX_FILES_OF_PAGE = 100;

interface OwnedFile {
  /** The name of the app's folder. */
  readonly app: string;
  /** `1` for sets and `2` for results: sets are listed first. */
  readonly phase: "1" | "2";
  readonly file: string;
  readonly path: string;
}

/**
 * Evaluation data in ADK's JSON files: `{folder}/{app}/{set}.evalset.json` and
 * `{folder}/{app}/.adk/eval_history/{result}.evalset_result.json`, for tenants other than `default` below
 * `{folder}/.tenants/{tenant}`. Files are read on each call, because other tools may
 * write or change them.
 */
export class FileEvalStore implements EvalStore, MeteredStore, TenantData, OldData {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #temporary: TemporaryNames;
  readonly #mutex = new KeyedMutex();
  readonly #meter: ProcessStorageMeter;

  constructor(options: {
    readonly folder: string;
    readonly clock: Clock;
    readonly storage?: StorageLimits | undefined;
  }) {
    this.#folder = options.folder;
    this.#meter = new ProcessStorageMeter({
      kind: "evaluations",
      limits: options.storage,
      load: (tenant) => storedEvaluations(tenantFolder(options.folder, tenant)),
      nameOf: toPlainSegment,
    });
    this.#clock = options.clock;
    this.#temporary = new TemporaryNames(join(options.folder, ".tmp"));
  }

  async createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet> {
    assertKey(request);
    const set = newEvalSet(request, this.#clock.now());
    const text = fileText(toEvalSetJson(set));
    const folder = this.#appFolder(request);
    const path = this.#setPath(request);
    await this.#mutex.run(path, () =>
      this.#counted(request, { path, bytes: Buffer.byteLength(text) }, async () => {
        const temporary = await this.#writeTemporary(text);
        await makeFolder(folder);
        if (!(await claimName(temporary, path))) {
          await removeIfPresent(temporary);
          throw evalSetAlreadyExists(request);
        }
        await syncFolder(folder);
      }),
    );
    return set;
  }

  async listEvalSets(app: AppScope, after?: string): Promise<readonly string[]> {
    assertAppScope(app);
    const ids = stemsOf(await listNames(this.#appFolder(app)), SET_SUFFIX);
    return pageOfNames(ids.filter(isEvalSetId), after);
  }

  async getEvalSet(key: EvalSetKey, limit?: SizeLimit): Promise<EvalSet | undefined> {
    assertKey(key);
    return this.#read(this.#setPath(key), `Evaluation set ${key.evalSetId}`, parseEvalSet, limit);
  }

  async deleteEvalSet(key: EvalSetKey): Promise<void> {
    assertKey(key);
    const path = this.#setPath(key);
    await this.#mutex.run(path, () =>
      this.#counted(key, { path, bytes: 0 }, async () => {
        if (!(await removeIfPresent(path))) throw evalSetNotFound(key);
        await syncFolder(this.#appFolder(key));
      }),
    );
  }

  async listEvalCases(key: EvalSetKey, limit?: SizeLimit): Promise<readonly string[]> {
    return caseIds(await this.#existing(key, limit));
  }

  async getEvalCase(key: EvalCaseKey, limit?: SizeLimit): Promise<EvalCase | undefined> {
    assertIdentifier("evalId", key.evalId);
    const set = await this.getEvalSet(key, limit);
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
    const text = fileText(checked);
    const path = this.#resultPath(app, checked.evalSetResultName);
    await this.#mutex.run(path, () =>
      this.#counted(app, { path, bytes: Buffer.byteLength(text) }, async () => {
        const temporary = await this.#writeTemporary(text);
        await makeFolder(this.#historyFolder(app));
        await replaceFile(temporary, path);
        await syncFolder(this.#historyFolder(app));
      }),
    );
  }

  async listEvalSetResults(app: AppScope, after?: string): Promise<readonly string[]> {
    assertAppScope(app);
    const folder = this.#historyFolder(app);
    const stems = stemsOf(await listNames(folder), RESULT_SUFFIX);
    const names = await Promise.all(stems.map((stem) => resultName(folder, stem)));
    return pageOfNames(
      names.filter((name) => name !== undefined),
      after,
    );
  }

  async getEvalSetResult(app: AppScope, nameOrId: string, limit?: SizeLimit): Promise<EvalSetResult | undefined> {
    assertAppScope(app);
    return this.#read(this.#resultPath(app, nameOrId), `Evaluation result ${nameOrId}`, parseEvalSetResult, limit);
  }

  async #read<Value>(
    path: string,
    what: string,
    parse: (value: JsonValue) => Value,
    limit?: SizeLimit,
  ): Promise<Value | undefined> {
    if (limit?.maxBytes !== undefined) assertSize(what, (await sizeIfPresent(path)) ?? 0, limit);
    const bytes = await readIfPresent(path);
    return bytes === undefined ? undefined : readEvalFile(bytes, what, parse);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => this.#owned(request, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const tenant = inTenant(request.tenantId);
    await this.#meter.ready(tenant);
    let deleted = 0;
    for await (const { app, path } of this.#ownedFiles(request)) {
      if (deleted === request.limit) return { deleted, isDone: false };
      await this.#mutex.run(path, () => this.#remove(tenant, app, path));
      deleted += 1;
    }
    return { deleted, isDone: true };
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const { items, last } = await walkResults(this.#folder, oldRange(request, MAX_FILES_OF_PAGE));
    return oldPage(request, items, last);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    assertAppScope(request);
    assertOldItems(request);
    const { items, before, ...app } = request;
    await this.#meter.ready(app);
    let deleted = 0;
    for (const { id } of items) {
      const path = this.#resultPath(app, id);
      await this.#mutex.run(path, async () => {
        const timeMs = await timeOfResult(path);
        if (timeMs === undefined || timeMs >= before) return;
        await this.#remove(app, toPlainSegment(app.appName), path);
        deleted += 1;
      });
    }
    return deleted;
  }

  /** Removes a file of an app's folder. The caller has the file's mutex. */
  async #remove({ tenantId }: TenantScoped, folder: string, path: string): Promise<void> {
    const bytes = this.#meter.isMetering ? await sizeIfPresent(path) : undefined;
    const isRemoved = await removeIfPresent(path);
    if (isRemoved && bytes !== undefined)
      this.#meter.releaseStored(inTenant(tenantId), { appName: folder, items: 1, bytes });
    await syncFolder(dirname(path));
  }

  async *#owned(owner: DataOwner, after: readonly string[] | undefined): AsyncGenerator<PlacedItem, void, undefined> {
    for await (const { app, phase, file, path } of this.#ownedFiles(owner)) {
      const place = [app, phase, file];
      if (!isAfter(place, after)) continue;
      const appName = PLAIN_NAME.test(app) ? app : fromFileSegment(app);
      const name =
        phase === "1"
          ? stemsOf([file], SET_SUFFIX)[0]
          : await resultName(dirname(path), file.slice(0, -RESULT_SUFFIX.length));
      if (appName === undefined || name === undefined) yield { item: { kind: "unnamed-files", folder: app }, place };
      else yield { item: phase === "1" ? evalSetItem(appName, name) : evalResultItem(appName, name), place };
    }
  }

  /** Other files of an app's folder are left: it can be a folder of agents. */
  async *#ownedFiles({ tenantId, userId }: DataOwner): AsyncGenerator<OwnedFile, void, undefined> {
    if (userId !== undefined) return;
    const tenant = inTenant(tenantId);
    for (const app of await appFolders(this.#folder, tenant)) {
      const folder = join(tenantFolder(this.#folder, tenant), app);
      const history = join(folder, ...HISTORY);
      const filesIn = async (path: string, suffix: string) =>
        (await listNames(path)).filter((name) => name.endsWith(suffix)).sort();
      for (const file of await filesIn(folder, SET_SUFFIX)) yield { app, phase: "1", file, path: join(folder, file) };
      for (const file of await filesIn(history, RESULT_SUFFIX))
        yield { app, phase: "2", file, path: join(history, file) };
    }
  }

  /** Changes one set at a time, and only after the change was validated. */
  async #change(key: EvalSetKey, change: (set: EvalSet) => EvalSet): Promise<void> {
    assertKey(key);
    await this.#mutex.run(this.#setPath(key), async () => {
      const text = fileText(toEvalSetJson(change(await this.#existing(key))));
      const path = this.#setPath(key);
      await this.#counted(key, { path, bytes: Buffer.byteLength(text) }, async () => {
        await replaceFile(await this.#writeTemporary(text), path);
        await syncFolder(this.#appFolder(key));
      });
    });
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#meter.readStored(counts);
  }

  /** Makes a change after which the file has `bytes` bytes, if there is room. The caller has the file's mutex. */
  async #counted(
    app: AppScope,
    { path, bytes }: { readonly path: string; readonly bytes: number },
    write: () => Promise<void>,
  ): Promise<void> {
    if (!this.#meter.isMetering) return write();
    await this.#meter.ready(app);
    const owner = { appName: app.appName, ...inTenant(app.tenantId) };
    const before = await sizeIfPresent(path);
    const change = { items: Number(bytes > 0) - Number(before !== undefined), bytes: bytes - (before ?? 0) };
    this.#meter.reserve(owner, change);
    try {
      await write();
    } catch (error) {
      // A write can fail after the file has its name. The size on the disk decides; if it is unknown, the size before
      // the write.
      if ((await sizeIfPresent(path).catch(() => before)) === before) this.#meter.release(owner, change);
      throw error;
    }
  }

  async #existing(key: EvalSetKey, limit?: SizeLimit): Promise<EvalSet> {
    const set = await this.getEvalSet(key, limit);
    if (set === undefined) throw evalSetNotFound(key);
    return set;
  }

  async #writeTemporary(text: string): Promise<string> {
    const path = await this.#temporary.next();
    await writeTemporary(path, text);
    return path;
  }

  #appFolder(app: AppScope): string {
    return join(tenantFolder(this.#folder, app), toPlainSegment(app.appName));
  }

  #historyFolder(app: AppScope): string {
    return join(this.#appFolder(app), ...HISTORY);
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

function fileText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
