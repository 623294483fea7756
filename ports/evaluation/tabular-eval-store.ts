import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertEvalSetId } from "#kit/evaluation/eval-ids.ts";
import { parseEvalSet, parseEvalSetResult, toEvalSetJson } from "#kit/evaluation/eval-json.ts";
import { type EvalSetResult, evalSetResultName } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import { type AppScope, assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { NAMES_OF_PAGE, pageOfNames } from "#kit/names/name-pages.ts";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageCount, StorageLimits, StorageOwner } from "#ports/storage-limits/storage-limits.ts";
import { changeRows } from "../rows/change-rows.ts";
import { deleteOwned, eachOwned } from "../rows/owned-rows.ts";
import { type Counted, RowCounts } from "../rows/row-counts.ts";
import { MAX_COMMIT_ROWS, type Row, type RowTable, type RowWrite } from "../rows/row-table.ts";
import { eachRow } from "../rows/walk-rows.ts";
import { assertDataOwner, type DataOwner } from "../tenants/data-owner.ts";
import { type PlacedItem, readDataPage } from "../tenants/data-pages.ts";
import {
  assertOldItems,
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
  oldPage,
  oldRange,
} from "../tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "../tenants/tenant-data.ts";
import { evalResultItem, evalSetItem } from "./eval-items.ts";
import * as keys from "./eval-rows.ts";
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

export interface TabularEvalStoreOptions {
  readonly table: RowTable;
  readonly clock: Clock;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

/** How many items one step of a deletion removes: two rows each, and their counts. */
const MAX_DELETED = 30;

/** What a change of an item decides: its new content, or its removal. */
interface Item {
  readonly name: string;
  readonly content: JsonObject;
  /** When a result was created, in milliseconds since the epoch. */
  readonly timeMs?: number;
}

/**
 * Evaluation sets and results over a table of rows. Each has two rows: an entry with its name and size, from which it is
 * listed, counted, and refused if it is too large to read; and its content. A change of a case writes the whole set.
 */
export class TabularEvalStore implements EvalStore, MeteredStore, TenantData, OldData {
  readonly #table: RowTable;
  readonly #clock: Clock;
  readonly #counts: RowCounts;
  /** Writers of this process wait for each other, and do not repeat their work. */
  readonly #writers = new KeyedMutex();

  constructor({ table, clock, storage }: TabularEvalStoreOptions) {
    this.#table = table;
    this.#clock = clock;
    this.#counts = new RowCounts({ table, kind: "evaluations", limits: storage });
  }

  async createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet> {
    const entry = entryOf(request);
    const set = newEvalSet(request, this.#clock.now());
    await this.#change(request, entry, (rows) => {
      if (rows.has(entry)) throw evalSetAlreadyExists(request);
      return { name: request.evalSetId, content: toEvalSetJson(set) };
    });
    return structuredClone(set);
  }

  async listEvalSets(app: AppScope, after?: string): Promise<readonly string[]> {
    assertAppScope(app);
    const prefix = keys.setsOf(app);
    const last = after === undefined ? undefined : keys.setRow({ ...app, evalSetId: after });
    return (await this.#table.listKeys({ prefix, after: last, limit: NAMES_OF_PAGE })).map(keys.setOfRow);
  }

  async getEvalSet(key: EvalSetKey, limit?: SizeLimit): Promise<EvalSet | undefined> {
    return this.#read(entryOf(key), `Evaluation set ${key.evalSetId}`, parseEvalSet, limit);
  }

  async deleteEvalSet(key: EvalSetKey): Promise<void> {
    const entry = entryOf(key);
    await this.#change(key, entry, (rows) => {
      if (!rows.has(entry)) throw evalSetNotFound(key);
      return undefined;
    });
  }

  async listEvalCases(key: EvalSetKey, limit?: SizeLimit): Promise<readonly string[]> {
    const set = await this.getEvalSet(key, limit);
    if (set === undefined) throw evalSetNotFound(key);
    return caseIds(set);
  }

  async getEvalCase(key: EvalCaseKey, limit?: SizeLimit): Promise<EvalCase | undefined> {
    assertIdentifier("evalId", key.evalId);
    const set = await this.getEvalSet(key, limit);
    return set && findCase(set, key.evalId);
  }

  addEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    return this.#changeSet(key, (set) => withCase(set, evalCase));
  }

  updateEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    return this.#changeSet(key, (set) => withCaseReplaced(set, evalCase));
  }

  async deleteEvalCase(key: EvalCaseKey): Promise<void> {
    assertIdentifier("evalId", key.evalId);
    await this.#changeSet(key, (set) => withoutCase(set, key.evalId));
  }

  async saveEvalSetResult(app: AppScope, result: EvalSetResult): Promise<void> {
    assertAppScope(app);
    const checked = checkedResult(result);
    const name = evalSetResultName(checked.evalSetResultName);
    const timeMs = checked.creationTimestamp > 0 ? checked.creationTimestamp * 1000 : this.#clock.now();
    // A result has the members of JSON alone.
    const content = JSON.parse(JSON.stringify(checked)) as JsonObject;
    await this.#change(app, keys.resultRow(app, name), () => ({ name, content, timeMs }));
  }

  async listEvalSetResults(app: AppScope, after?: string): Promise<readonly string[]> {
    assertAppScope(app);
    const entries = await Array.fromAsync(eachRow(this.#table, { prefix: keys.resultsOf(app) }));
    return pageOfNames(entries.map(nameIn), after);
  }

  async getEvalSetResult(app: AppScope, nameOrId: string, limit?: SizeLimit): Promise<EvalSetResult | undefined> {
    assertAppScope(app);
    const entry = keys.resultRow(app, evalSetResultName(nameOrId));
    return this.#read(entry, `Evaluation result ${nameOrId}`, parseEvalSetResult, limit);
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#counts.readStored(counts);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => this.#items(request, place?.[0]));
  }

  async *#items(owner: DataOwner, after: string | undefined): AsyncGenerator<PlacedItem> {
    for await (const row of eachOwned(this.#table, keys.entriesOf(owner), after)) {
      const { kind, appName } = keys.placeOfRow(row.key);
      const item = kind === "set" ? evalSetItem(appName, nameIn(row)) : evalResultItem(appName, nameIn(row));
      yield { item, place: [row.key] };
    }
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const deletion = { prefixes: keys.entriesOf(owner), limit: Math.min(limit, MAX_DELETED) };
    return deleteOwned(this.#table, deletion, (entries) => this.#deleteAll(owner, entries));
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const { limit, after } = oldRange(request, MAX_COMMIT_ROWS);
    const { rows, hasMore } = await this.#table.list({ prefix: keys.RESULTS, after: after?.[0], limit });
    const items = rows.map((row) => {
      const { tenantId, appName } = keys.placeOfRow(row.key);
      return { ...inTenant(tenantId), appName, id: nameIn(row), timeMs: timeIn(row) };
    });
    const last = hasMore ? rows.at(-1)?.key : undefined;
    return oldPage(request, items, last === undefined ? undefined : [last]);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    assertAppScope(request);
    assertOldItems(request);
    const { items, before } = request;
    const entries = items.map(({ id }) => keys.resultRow(request, evalSetResultName(id)));
    let deleted = 0;
    for (let start = 0; start < entries.length; start += MAX_DELETED) {
      const some = [...new Set(entries.slice(start, start + MAX_DELETED))];
      deleted += await this.#deleteAll(request, some, (row) => timeIn(row) < before);
    }
    return deleted;
  }

  /** Deletes the items that exist and are to be deleted, at most `MAX_DELETED`. Returns how many. */
  async #deleteAll(
    { tenantId }: TenantScoped,
    entries: readonly string[],
    isToDelete: (entry: Row) => boolean = () => true,
  ): Promise<number> {
    const ownerAt = (entry: string) => ({ ...inTenant(tenantId), appName: keys.placeOfRow(entry).appName });
    const counts = new Set(entries.flatMap((entry) => this.#counts.keysOf(ownerAt(entry))));
    let deleted = 0;
    await this.#write({ tenantId }, "", [...entries, ...counts], (rows) => {
      const found = entries.flatMap((entry) => rows.get(entry) ?? []).filter(isToDelete);
      deleted = found.length;
      const changes = found.map((row) => ({ owner: ownerAt(row.key), before: countedIn(row) }));
      return [...found.flatMap(({ key }) => removalOf(key)), ...this.#counts.writes(rows, changes)];
    });
    return deleted;
  }

  async #changeSet(key: EvalSetKey, change: (set: EvalSet) => EvalSet): Promise<void> {
    const entry = entryOf(key);
    const content = keys.contentRow(entry);
    await this.#change(
      key,
      entry,
      (rows) => {
        const row = rows.get(content);
        if (row === undefined) throw evalSetNotFound(key);
        const set = parsed(row, `Evaluation set ${key.evalSetId}`, parseEvalSet);
        return { name: key.evalSetId, content: toEvalSetJson(change(set)) };
      },
      [content],
    );
  }

  /** Writes the item that `decide` returns, or removes it. */
  #change(
    app: AppScope,
    entry: string,
    decide: (rows: ReadonlyMap<string, Row>) => Item | undefined,
    read: readonly string[] = [],
  ): Promise<void> {
    const owner: StorageOwner = { appName: app.appName, ...inTenant(app.tenantId) };
    return this.#write(owner, entry, [entry, ...read, ...this.#counts.keysOf(owner)], (rows) => {
      const item = decide(rows);
      const before = countedIn(rows.get(entry));
      if (item === undefined) return [...removalOf(entry), ...this.#counts.writes(rows, [{ owner, before }])];
      const { content, ...listed } = item;
      const after = this.#counts.counted(owner, Buffer.byteLength(JSON.stringify(content)));
      return [
        { key: entry, value: { ...listed, ...after } },
        { key: keys.contentRow(entry), value: content },
        ...this.#counts.writes(rows, [{ owner, before, after }]),
      ];
    });
  }

  #write(
    tenant: Pick<StorageOwner, "tenantId">,
    entry: string,
    read: readonly string[],
    decide: (rows: ReadonlyMap<string, Row>) => readonly RowWrite[],
  ): Promise<void> {
    const place = this.#counts.isCounting ? `tenant ${tenant.tenantId}` : entry;
    return this.#writers.run(place, () =>
      changeRows<void>(this.#table, read, (rows) => ({ writes: decide(rows), result: undefined })),
    );
  }

  async #read<Value>(
    entry: string,
    what: string,
    parse: (value: JsonObject) => Value,
    limit: SizeLimit = {},
  ): Promise<Value | undefined> {
    if (limit.maxBytes !== undefined) {
      const size = countedIn((await this.#table.read([entry])).get(entry))?.bytes ?? 0;
      assertSize(what, size, limit);
    }
    const content = keys.contentRow(entry);
    const row = (await this.#table.read([content])).get(content);
    return row && parsed(row, what, parse);
  }
}

function entryOf(key: EvalSetKey): string {
  assertAppScope(key);
  assertEvalSetId(key.evalSetId);
  return keys.setRow(key);
}

function removalOf(entry: string): readonly RowWrite[] {
  return [entry, keys.contentRow(entry)].map((key) => ({ key, value: undefined }));
}

function nameIn({ value }: Row): string {
  return String(value["name"]);
}

/** When the result was created. */
function timeIn({ value }: Row): number {
  return Number(value["timeMs"]);
}

function countedIn(entry: Row | undefined): Counted | undefined {
  // Written by `#change`.
  return entry?.value as Counted | undefined;
}

/** Throws `EVAL_DATA_BROKEN`. */
function parsed<Value>({ value }: Row, what: string, parse: (value: JsonObject) => Value): Value {
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const message = `${what} cannot be read: ${error.message} Repair or delete it.`;
    throw new PlatformError("EVAL_DATA_BROKEN", message, { cause: error });
  }
}
