import { type AppScope, assertAppScope } from "../names/app-scope.ts";
import { assertIdentifier } from "../names/identifiers.ts";
import { pageOfNames } from "../names/name-pages.ts";
import { inTenant, tenantOf } from "../names/tenant.ts";
import type { Clock } from "../platform/clock.ts";
import { type MeteredAmounts, type MeteredStore, negative, sumOf } from "../storage/metered-amounts.ts";
import { ProcessStorageMeter } from "../storage/process-storage-meter.ts";
import type { StorageCount, StorageLimits } from "../storage/storage-limits.ts";
import { assertDataOwner, type DataOwner, isOwned } from "../tenants/data-owner.ts";
import { inOrderOfPlaces, type PlacedItem, readDataPageNow } from "../tenants/data-pages.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "../tenants/tenant-data.ts";
import { assertEvalSetId } from "./eval-ids.ts";
import { evalResultItem, evalSetItem } from "./eval-items.ts";
import { type EvalSetResult, evalSetResultName } from "./eval-result.ts";
import type { EvalCase, EvalSet } from "./eval-set.ts";
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
} from "./eval-set-changes.ts";
import type { CreateEvalSetRequest, EvalCaseKey, EvalSetKey, EvalStore } from "./eval-store.ts";
import { assertSize, type SizeLimit } from "./size-limit.ts";

function copyOf<Value extends object>(stored: Value | undefined, limit: SizeLimit | undefined): Value | undefined {
  if (stored !== undefined) assertSizeOf(stored, limit);
  return structuredClone(stored);
}

/** Measured only for a read with a limit. */
function assertSizeOf(stored: object, limit: SizeLimit | undefined): void {
  if (limit?.maxBytes !== undefined) assertSize("The data", Buffer.byteLength(JSON.stringify(stored)), limit);
}

interface App {
  readonly sets: Map<string, EvalSet>;
  readonly results: Map<string, EvalSetResult>;
}

export class InMemoryEvalStore implements EvalStore, MeteredStore, TenantData {
  readonly #clock: Clock;
  readonly #apps = new Map<string, App>();
  readonly #meter: ProcessStorageMeter;

  constructor(options: { readonly clock: Clock; readonly storage?: StorageLimits | undefined }) {
    this.#clock = options.clock;
    this.#meter = new ProcessStorageMeter({
      kind: "evaluations",
      limits: options.storage,
      load: async (tenant) => this.#storedOf(tenantOf(tenant)),
    });
  }

  async createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet> {
    await this.#meter.ready(request);
    const app = this.#appOfSet(request);
    if (app.sets.has(request.evalSetId)) throw evalSetAlreadyExists(request);
    const set = structuredClone(newEvalSet(request, this.#clock.now()));
    this.#meter.reserve(ownerOf(request), sizeOf(set));
    this.#apps.set(nameOf(request), app);
    app.sets.set(request.evalSetId, set);
    return structuredClone(set);
  }

  async listEvalSets(app: AppScope, after?: string): Promise<readonly string[]> {
    return pageOfNames(this.#appOf(app).sets.keys(), after);
  }

  async getEvalSet(key: EvalSetKey, limit?: SizeLimit): Promise<EvalSet | undefined> {
    return copyOf(this.#appOfSet(key).sets.get(key.evalSetId), limit);
  }

  async deleteEvalSet(key: EvalSetKey): Promise<void> {
    await this.#meter.ready(key);
    const set = this.#setOf(key);
    this.#appOfSet(key).sets.delete(key.evalSetId);
    this.#meter.release(ownerOf(key), sizeOf(set));
  }

  async listEvalCases(key: EvalSetKey, limit?: SizeLimit): Promise<readonly string[]> {
    const set = this.#setOf(key);
    assertSizeOf(set, limit);
    return caseIds(set);
  }

  async getEvalCase(key: EvalCaseKey, limit?: SizeLimit): Promise<EvalCase | undefined> {
    assertIdentifier("evalId", key.evalId);
    const set = this.#appOfSet(key).sets.get(key.evalSetId);
    return copyOf(set && findCase(set, key.evalId), limit);
  }

  async addEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    await this.#change(key, (set) => withCase(set, structuredClone(evalCase)));
  }

  async updateEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    await this.#change(key, (set) => withCaseReplaced(set, structuredClone(evalCase)));
  }

  async deleteEvalCase(key: EvalCaseKey): Promise<void> {
    assertIdentifier("evalId", key.evalId);
    await this.#change(key, (set) => withoutCase(set, key.evalId));
  }

  async saveEvalSetResult(scope: AppScope, result: EvalSetResult): Promise<void> {
    await this.#meter.ready(scope);
    const app = this.#appOf(scope);
    const checked = structuredClone(checkedResult(result));
    const name = evalSetResultName(checked.evalSetResultName);
    this.#meter.reserve(ownerOf(scope), changeOf(app.results.get(name), checked));
    this.#apps.set(nameOf(scope), app);
    app.results.set(name, checked);
  }

  async listEvalSetResults(app: AppScope, after?: string): Promise<readonly string[]> {
    return pageOfNames(this.#appOf(app).results.keys(), after);
  }

  async getEvalSetResult(app: AppScope, nameOrId: string, limit?: SizeLimit): Promise<EvalSetResult | undefined> {
    return copyOf(this.#appOf(app).results.get(evalSetResultName(nameOrId)), limit);
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#meter.readStored(counts);
  }

  #storedOf(tenantId: string) {
    return [...this.#apps].flatMap(([name, { sets, results }]) => {
      const [tenant, appName = ""] = name.split("\n");
      if (tenant !== tenantId) return [];
      return [...sets.values(), ...results.values()].map((value) => ({ appName, ...sizeOf(value) }));
    });
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    const items = this.#owned(request).flatMap(([name, { sets, results }]): PlacedItem[] => {
      const appName = appOf(name);
      const place = (phase: string, id: string) => [appName, phase, id];
      return [
        ...[...sets.keys()].map((id) => ({ item: evalSetItem(appName, id), place: place("1", id) })),
        ...[...results.keys()].map((id) => ({ item: evalResultItem(appName, id), place: place("2", id) })),
      ];
    });
    return readDataPageNow(request, (place) => inOrderOfPlaces(items, place));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const tenant = inTenant(request.tenantId);
    await this.#meter.ready(tenant);
    const apps = this.#owned(request);
    const some = apps.slice(0, request.limit);
    for (const [name, { sets, results }] of some) {
      for (const value of [...sets.values(), ...results.values()])
        this.#meter.release({ ...tenant, appName: appOf(name) }, sizeOf(value));
      this.#apps.delete(name);
    }
    const deleted = some.reduce((sum, [, { sets, results }]) => sum + sets.size + results.size, 0);
    return { deleted, isDone: some.length === apps.length };
  }

  #owned(owner: DataOwner): readonly (readonly [string, App])[] {
    return [...this.#apps].filter(([name]) => isOwned(owner, { tenantId: name.split("\n", 1)[0] ?? "" }));
  }

  async #change(key: EvalSetKey, change: (set: EvalSet) => EvalSet): Promise<void> {
    await this.#meter.ready(key);
    const set = this.#setOf(key);
    const changed = change(set);
    this.#meter.reserve(ownerOf(key), changeOf(set, changed));
    this.#appOfSet(key).sets.set(key.evalSetId, changed);
  }

  #setOf(key: EvalSetKey): EvalSet {
    const set = this.#appOfSet(key).sets.get(key.evalSetId);
    if (set === undefined) throw evalSetNotFound(key);
    return set;
  }

  #appOfSet(key: EvalSetKey): App {
    const app = this.#appOf(key);
    assertEvalSetId(key.evalSetId);
    return app;
  }

  /** The app's data; for a new app an object that is not stored yet. */
  #appOf(app: AppScope): App {
    assertAppScope(app);
    return this.#apps.get(nameOf(app)) ?? { sets: new Map(), results: new Map() };
  }
}

/** Evaluation data belongs to an app and to no user. */
function ownerOf({ appName, tenantId }: AppScope) {
  return { appName, ...inTenant(tenantId) };
}

function sizeOf(value: object): MeteredAmounts {
  return { items: 1, bytes: Buffer.byteLength(JSON.stringify(value)) };
}

function changeOf(before: object | undefined, after: object): MeteredAmounts {
  return before === undefined ? sizeOf(after) : sumOf(sizeOf(after), negative(sizeOf(before)));
}

/** Identifiers have no control characters, so no two apps share a name. */
function nameOf(app: AppScope): string {
  return `${tenantOf(app)}\n${app.appName}`;
}

function appOf(name: string): string {
  return name.slice(name.indexOf("\n") + 1);
}
