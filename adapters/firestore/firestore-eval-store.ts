import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertEvalSetId } from "#kit/evaluation/eval-ids.ts";
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
import { type AppScope, assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { DocumentWrite, FirestoreDatabase, StoredDocument } from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { appPath, DEFAULT_ROOT_COLLECTION } from "./database/user-paths.ts";
import {
  caseReplacement,
  EVAL_CASES_COLLECTION,
  EVAL_RESULTS_COLLECTION,
  evalCasePath,
  evalResultPath,
  evalResultWrite,
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
import { MAX_EVENT_BYTES_PER_COMMIT, splitBySize } from "./sessions/session-commits.ts";

export interface FirestoreEvalStoreOptions {
  readonly database: FirestoreDatabase;
  readonly clock: Clock;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
  readonly sleep?: Sleep | undefined;
}

const MAX_ATTEMPTS = 30;
const MAX_PAUSE_MS = 100;

/**
 * Evaluation data in Firestore: `{root}/{app}/eval-sets/{set}` with one document for each case below it, and
 * `{root}/{app}/eval-results`. The number of cases is not limited, and a change of a case reads and writes only that
 * case.
 */
export class FirestoreEvalStore implements EvalStore {
  readonly #database: FirestoreDatabase;
  readonly #clock: Clock;
  readonly #root: string;
  readonly #sleep: Sleep;

  constructor(options: FirestoreEvalStoreOptions) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#root = options.root ?? DEFAULT_ROOT_COLLECTION;
    this.#sleep = options.sleep ?? sleep;
  }

  async createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet> {
    const path = this.#pathOf(request);
    const set = newEvalSet(request, this.#clock.now());
    const writes = evalSetWrites(path, set);
    assertOneCommit(writes);
    try {
      await this.#database.commit(writes);
    } catch (error) {
      if (error instanceof LostPreconditionError) throw evalSetAlreadyExists(request);
      throw error;
    }
    return structuredClone(set);
  }

  async listEvalSets(app: AppScope): Promise<readonly string[]> {
    assertAppScope(app);
    const parent = appPath(this.#root, app);
    const documents = await this.#database.query({ parent, collection: "eval-sets", select: ["next"] });
    // The characters of a set's id need no escape.
    return documents.map(({ path }) => lastSegment(path)).sort();
  }

  async getEvalSet(key: EvalSetKey): Promise<EvalSet | undefined> {
    const path = this.#pathOf(key);
    const [set, cases] = await Promise.all([this.#read(path), this.#cases(path)]);
    return set === undefined ? undefined : toEvalSet(set, cases, key.evalSetId);
  }

  async deleteEvalSet(key: EvalSetKey): Promise<void> {
    const path = this.#pathOf(key);
    await this.#decide(async () => {
      const set = await this.#existing(path, key);
      const cases = (await this.#cases(path, [POSITION_FIELD])).map(deletion);
      // The set itself is deleted with the last of its cases, so that an interrupted deletion can be repeated.
      const parts = splitBySize([...cases, { ...deletion(set), expect: set.version }], jsonBytes);
      for (const part of parts) await this.#database.commit(part);
    });
  }

  async listEvalCases(key: EvalSetKey): Promise<readonly string[]> {
    const set = await this.getEvalSet(key);
    if (set === undefined) throw evalSetNotFound(key);
    return caseIds(set);
  }

  async getEvalCase(key: EvalCaseKey): Promise<EvalCase | undefined> {
    assertIdentifier("evalId", key.evalId);
    const document = await this.#read(evalCasePath(this.#pathOf(key), key.evalId));
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
    await this.#database.commit([evalResultWrite(path, checked)]);
  }

  async listEvalSetResults(app: AppScope): Promise<readonly string[]> {
    assertAppScope(app);
    const parent = appPath(this.#root, app);
    const select = [NAME_FIELD];
    const documents = await this.#database.query({ parent, collection: EVAL_RESULTS_COLLECTION, select });
    return documents.map(({ fields }) => String(fields[NAME_FIELD])).sort();
  }

  async getEvalSetResult(app: AppScope, nameOrId: string): Promise<EvalSetResult | undefined> {
    assertAppScope(app);
    const document = await this.#read(evalResultPath(this.#root, app, nameOrId));
    return document === undefined ? undefined : toEvalResult(document);
  }

  /** Decides on the part of the set that concerns one case: with that case alone, or with none if it does not exist. */
  async #changeCase(
    key: EvalSetKey,
    evalId: string,
    change: (set: StoredDocument, known: EvalSet) => readonly DocumentWrite[],
  ): Promise<void> {
    const path = this.#pathOf(key);
    // A malformed case has no id to look up; the change refuses it.
    const casePath = typeof evalId === "string" && evalId !== "" ? evalCasePath(path, evalId) : undefined;
    await this.#decide(async () => {
      const found = await this.#database.read(casePath === undefined ? [path] : [path, casePath]);
      const set = found.get(path);
      if (set === undefined) throw evalSetNotFound(key);
      const existing = casePath === undefined ? undefined : found.get(casePath);
      await this.#database.commit(change(set, toEvalSet(set, existing === undefined ? [] : [existing], key.evalSetId)));
    });
  }

  /** Reads, decides and writes; repeats that if another writer changed the set in between. */
  async #decide(attempt: () => Promise<void>): Promise<void> {
    for (let count = 1; count <= MAX_ATTEMPTS; count += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof LostPreconditionError)) throw error;
        await this.#sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** count));
      }
    }
    throw new PlatformError("STORE_UNAVAILABLE", "Too many concurrent writers changed this evaluation set. Try again.");
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
