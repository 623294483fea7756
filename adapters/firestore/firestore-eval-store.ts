import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertEvalSetId } from "#kit/evaluation/eval-ids.ts";
import { evalResultItem, evalSetItem } from "#kit/evaluation/eval-items.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import {
  caseIds,
  checkedResult,
  evalSetAlreadyExists,
  evalSetNotFound,
  newEvalSet,
  withCase,
  withCaseReplaced,
  withoutCase,
} from "#kit/evaluation/eval-set-changes.ts";
import type { CreateEvalSetRequest, EvalCaseKey, EvalSetKey, EvalStore } from "#kit/evaluation/eval-store.ts";
import { assertSize, type SizeLimit } from "#kit/evaluation/size-limit.ts";
import { type AppScope, assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier, unescapeSegment } from "#kit/names/identifiers.ts";
import { pageOfNames } from "#kit/names/name-pages.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import type { MeteredAmounts, MeteredStore } from "#kit/storage/metered-amounts.ts";
import type { StorageCount, StorageLimits } from "#kit/storage/storage-limits.ts";
import { assertDataOwner, type DataOwner } from "#kit/tenants/data-owner.ts";
import { type PlacedItem, readDataPage } from "#kit/tenants/data-pages.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#kit/tenants/tenant-data.ts";
import { MAX_CONTENT_BYTES } from "./database/document-size.ts";
import type { DocumentWrite, FirestoreDatabase, StoredDocument } from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { toWireValue } from "./database/firestore-values.ts";
import { OwnedDocuments } from "./database/owned-documents.ts";
import { appPath, DEFAULT_ROOT_COLLECTION, tenantRoot } from "./database/user-paths.ts";
import {
  caseReplacement,
  EVAL_CASES_COLLECTION,
  EVAL_RESULTS_COLLECTION,
  EVAL_SETS_COLLECTION,
  evalCasePath,
  evalResultPath,
  evalResultWrites,
  evalSetPath,
  evalSetWrites,
  jsonBytes,
  NAME_FIELD,
  newCaseWrite,
  nextPosition,
  POSITION_FIELD,
  setTouch,
  toEvalCase,
  toEvalResult,
  toEvalSet,
} from "./eval-documents.ts";
import { FirestoreStorageCounts } from "./firestore-storage-counts.ts";
import { partPaths, textBytes } from "./long-text.ts";
import { MAX_EVENT_BYTES_PER_COMMIT, splitBySize } from "./sessions/session-commits.ts";

export interface FirestoreEvalStoreOptions {
  readonly database: FirestoreDatabase;
  readonly clock: Clock;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
  readonly sleep?: Sleep | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

/** The store allows 500 writes in a commit. */
const MAX_DELETIONS = 400;
/** Cases that are read together, as long as the size of a set is limited. */
const CASES_OF_PAGE = 20;
/** Content that is counted is read before it is deleted. */
const MAX_COUNTED_DELETIONS = 50;

/**
 * Evaluation data in Firestore: `{root}/{app}/eval-sets/{set}` with one document for each case below it, and
 * `{root}/{app}/eval-results`. The number of cases is not limited, and a change of a case reads and writes only that
 * case.
 */
export class FirestoreEvalStore implements EvalStore, MeteredStore, TenantData {
  readonly #database: FirestoreDatabase;
  readonly #clock: Clock;
  readonly #root: string;
  readonly #counts: FirestoreStorageCounts;
  readonly #documents: OwnedDocuments;

  constructor(options: FirestoreEvalStoreOptions) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#root = options.root ?? DEFAULT_ROOT_COLLECTION;
    this.#counts = new FirestoreStorageCounts({
      database: options.database,
      root: options.root,
      kind: "evaluations",
      limits: options.storage,
      bytesOf: textBytes,
      sleep: options.sleep,
    });
    this.#documents = new OwnedDocuments(options.database, this.#root);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => this.#owned(request, place));
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const { isCounting } = this.#counts;
    const most = Math.min(limit, isCounting ? MAX_COUNTED_DELETIONS : MAX_DELETIONS);
    const options = isCounting ? { pageSize: most } : { select: [NAME_FIELD] };
    let page: StoredDocument[] = [];
    await this.#counts.decide(async () => {
      page = [];
      for (const collection of [EVAL_CASES_COLLECTION, EVAL_SETS_COLLECTION, EVAL_RESULTS_COLLECTION]) {
        // Evaluation data belongs to no user, so there is nothing to delete.
        if (owner.userId !== undefined) break;
        for await (const document of this.#documents.inCollections(owner, collection, options)) {
          if (page.length < most) page.push(document);
          else break;
        }
      }
      if (isCounting) await this.#counts.delete(page, (document) => this.#ownerAt(owner, document));
      else await this.#documents.delete(page);
    });
    return { deleted: page.length, isDone: page.length < most };
  }

  /** The app of a document, by its path. */
  #ownerAt({ tenantId }: DataOwner, { path }: StoredDocument) {
    const app = path.slice(tenantRoot(this.#root, tenantId).length + 1).split("/", 1)[0] ?? "";
    return { ...inTenant(tenantId), appName: unescapeSegment(app) ?? "" };
  }

  async *#owned(owner: DataOwner, [phase = "1", after]: readonly string[] = []): AsyncGenerator<PlacedItem> {
    if (owner.userId !== undefined) return;
    const select = [NAME_FIELD];
    const appOf = (document: StoredDocument) => this.#ownerAt(owner, document).appName;
    if (phase === "1") {
      for await (const set of this.#documents.inCollections(owner, EVAL_SETS_COLLECTION, { after, select }))
        yield { item: evalSetItem(appOf(set), lastSegment(set.path)), place: ["1", set.path] };
    }
    const from = phase === "2" ? { after } : {};
    for await (const result of this.#documents.inCollections(owner, EVAL_RESULTS_COLLECTION, { ...from, select }))
      yield { item: evalResultItem(appOf(result), String(result.fields[NAME_FIELD])), place: ["2", result.path] };
  }

  async createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet> {
    const path = this.#pathOf(request);
    const set = newEvalSet(request, this.#clock.now());
    const writes = evalSetWrites(path, set);
    assertOneCommit(writes);
    await this.#counts.decide(async () => {
      // With counts, the lost precondition may be that of a count, so the set is looked up.
      const existing = this.#counts.isCounting ? await this.#read(path) : undefined;
      if (existing !== undefined) throw evalSetAlreadyExists(request);
      try {
        await this.#commit(request, writes, []);
      } catch (error) {
        if (!(error instanceof LostPreconditionError) || this.#counts.isCounting) throw error;
        throw evalSetAlreadyExists(request);
      }
    });
    return structuredClone(set);
  }

  async listEvalSets(app: AppScope, after?: string): Promise<readonly string[]> {
    assertAppScope(app);
    const parent = appPath(this.#root, app);
    const documents = await this.#database.query({ parent, collection: "eval-sets", select: ["next"] });
    // The characters of a set's id need no escape.
    return pageOfNames(
      documents.map(({ path }) => lastSegment(path)),
      after,
    );
  }

  async getEvalSet(key: EvalSetKey, limit?: SizeLimit): Promise<EvalSet | undefined> {
    const path = this.#pathOf(key);
    const [set, cases] = await Promise.all([this.#read(path), this.#casesWithin(path, limit)]);
    if (set === undefined) return undefined;
    // The cases have been counted as they were read; a set without any has a size too.
    const head = JSON.stringify(toEvalSet(set, [], key.evalSetId));
    assertSize("The evaluation set", Buffer.byteLength(head), limit);
    return toEvalSet(set, cases, key.evalSetId);
  }

  async deleteEvalSet(key: EvalSetKey): Promise<void> {
    const path = this.#pathOf(key);
    await this.#counts.decide(async () => {
      const set = await this.#existing(path, key);
      const stored = await this.#cases(path, this.#counts.isCounting ? undefined : [POSITION_FIELD]);
      const documents = new Map([...stored, set].map((document) => [document.path, document]));
      // A case that is deleted in between is released once only.
      const cases = stored.map((each) =>
        this.#counts.isCounting ? { ...deletion(each), expect: each.version } : deletion(each),
      );
      // The set itself is deleted with the last of its cases, so that an interrupted deletion can be repeated.
      const parts = splitBySize([...cases, { ...deletion(set), expect: set.version }], jsonBytes);
      for (const part of parts) {
        const deleted = part.flatMap((write) => documents.get(write.path) ?? []);
        await this.#commit(key, part, deleted);
      }
    });
  }

  async listEvalCases(key: EvalSetKey, limit?: SizeLimit): Promise<readonly string[]> {
    const set = await this.getEvalSet(key, limit);
    if (set === undefined) throw evalSetNotFound(key);
    return caseIds(set);
  }

  async getEvalCase(key: EvalCaseKey, limit?: SizeLimit): Promise<EvalCase | undefined> {
    assertIdentifier("evalId", key.evalId);
    const document = await this.#read(evalCasePath(this.#pathOf(key), key.evalId));
    if (document !== undefined) assertSize("The case", textBytes(document.fields) ?? 0, limit);
    return document === undefined ? undefined : toEvalCase(document, key.evalSetId);
  }

  async addEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    const path = this.#pathOf(key);
    await this.#changeCase(key, evalCase.evalId, (set, known) => {
      const added = withCase(known, evalCase).evalCases.at(-1) ?? evalCase;
      const position = nextPosition(set);
      return [setTouch(set, position + 1), newCaseWrite(path, added, position)];
    });
  }

  async updateEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    const path = this.#pathOf(key);
    await this.#changeCase(key, evalCase.evalId, (set, known) => {
      const [replaced = evalCase] = withCaseReplaced(known, evalCase).evalCases;
      return [setTouch(set), caseReplacement(path, replaced)];
    });
  }

  async deleteEvalCase(key: EvalCaseKey): Promise<void> {
    assertIdentifier("evalId", key.evalId);
    const path = this.#pathOf(key);
    await this.#changeCase(key, key.evalId, (set, known) => {
      withoutCase(known, key.evalId);
      return [setTouch(set), { kind: "delete", path: evalCasePath(path, key.evalId) }];
    });
  }

  async saveEvalSetResult(app: AppScope, result: EvalSetResult): Promise<void> {
    assertAppScope(app);
    const checked = checkedResult(result);
    const path = evalResultPath(this.#root, app, checked.evalSetResultName);
    const { document, parts } = evalResultWrites(path, checked);
    // The other parts of a long result are written before the document that names them. The parts of an earlier result
    // are kept until then.
    for (const some of splitBySize(parts, jsonBytes)) await this.#database.commit(some);
    let former: StoredDocument | undefined;
    await this.#counts.decide(async () => {
      former = await this.#read(path);
      const expected = { ...document, expect: former?.version ?? ("missing" as const) };
      await this.#commit(app, [this.#counts.isCounting ? expected : document], former === undefined ? [] : [former]);
    });
    const kept = new Set(parts.map((part) => part.path));
    const old = (former === undefined ? [] : partPaths(former)).filter((each) => !kept.has(each));
    if (old.length > 0) await this.#database.commit(old.map((each) => ({ kind: "delete", path: each })));
  }

  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    return this.#counts.readStored(counts);
  }

  async listEvalSetResults(app: AppScope, after?: string): Promise<readonly string[]> {
    assertAppScope(app);
    const parent = appPath(this.#root, app);
    const select = [NAME_FIELD];
    const documents = await this.#database.query({ parent, collection: EVAL_RESULTS_COLLECTION, select });
    return pageOfNames(
      documents.map(({ fields }) => String(fields[NAME_FIELD])),
      after,
    );
  }

  async getEvalSetResult(app: AppScope, nameOrId: string, limit?: SizeLimit): Promise<EvalSetResult | undefined> {
    assertAppScope(app);
    const document = await this.#read(evalResultPath(this.#root, app, nameOrId));
    if (document === undefined) return undefined;
    const paths = partPaths(document);
    // Each part fills a document.
    assertSize(
      `Evaluation result ${nameOrId}`,
      (textBytes(document.fields) ?? 0) + paths.length * MAX_CONTENT_BYTES,
      limit,
    );
    return toEvalResult(document, paths.length === 0 ? new Map() : await this.#database.read(paths));
  }

  /** Decides on the part of the set that concerns one case: with only that case, or with none if it does not exist. */
  async #changeCase(
    key: EvalSetKey,
    evalId: string,
    change: (set: StoredDocument, known: EvalSet) => readonly DocumentWrite[],
  ): Promise<void> {
    const path = this.#pathOf(key);
    // A malformed case has no id to look up; the change refuses it.
    const casePath = typeof evalId === "string" && evalId !== "" ? evalCasePath(path, evalId) : undefined;
    await this.#counts.decide(async () => {
      const found = await this.#database.read(casePath === undefined ? [path] : [path, casePath]);
      const set = found.get(path);
      if (set === undefined) throw evalSetNotFound(key);
      const existing = casePath === undefined ? undefined : found.get(casePath);
      const known = existing === undefined ? [] : [existing];
      // Only the version of the set's document changes, and not its content.
      await this.#commit(key, change(set, toEvalSet(set, known, key.evalSetId)), known);
    });
  }

  async #commit(app: AppScope, writes: readonly DocumentWrite[], replaced: readonly StoredDocument[]): Promise<void> {
    const owner = { appName: app.appName, ...inTenant(app.tenantId) };
    await this.#database.commit(await this.#counts.counted({ owner, writes, replaced }));
  }

  async #existing(path: string, key: EvalSetKey): Promise<StoredDocument> {
    const set = await this.#read(path);
    if (set === undefined) throw evalSetNotFound(key);
    return set;
  }

  async #read(path: string): Promise<StoredDocument | undefined> {
    return (await this.#database.read([path])).get(path);
  }

  #cases(parent: string, select?: readonly string[]): Promise<readonly StoredDocument[]> {
    const orderBy = [[POSITION_FIELD, "ASCENDING"]] as const;
    return this.#database.query({ parent, collection: EVAL_CASES_COLLECTION, orderBy, select });
  }

  /** The size of a set is not known, so that a limit refuses it when its cases have reached it. */
  async #casesWithin(parent: string, limit: SizeLimit = {}): Promise<readonly StoredDocument[]> {
    const { maxBytes } = limit;
    if (maxBytes === undefined) return this.#cases(parent);
    const found: StoredDocument[] = [];
    let bytes = 0;
    for (;;) {
      const last = found.at(-1);
      const page = await this.#database.query({
        parent,
        collection: EVAL_CASES_COLLECTION,
        orderBy: [[POSITION_FIELD, "ASCENDING"]],
        startAfter: last && [toWireValue(last.fields[POSITION_FIELD] ?? 0)],
        limit: CASES_OF_PAGE,
      });
      found.push(...page);
      for (const document of page) bytes += textBytes(document.fields) ?? 0;
      if (bytes > maxBytes) assertSize("The evaluation set", 4 * bytes, limit);
      if (page.length < CASES_OF_PAGE) return found;
    }
  }

  #pathOf(key: EvalSetKey): string {
    assertAppScope(key);
    assertEvalSetId(key.evalSetId);
    return evalSetPath(this.#root, key);
  }
}

function deletion({ path }: StoredDocument): DocumentWrite & { readonly kind: "delete" } {
  return { kind: "delete", path };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A set is created in one commit or not at all. Throws `EVENT_TOO_LARGE`. */
function assertOneCommit(writes: readonly DocumentWrite[]): void {
  if (splitBySize(writes, jsonBytes).length <= 1) return;
  throw new PlatformError(
    "EVENT_TOO_LARGE",
    `An evaluation set may be created with at most ${MAX_EVENT_BYTES_PER_COMMIT} bytes and 490 cases. Create it with fewer and add the others.`,
  );
}
