import { assertIdentifier } from "../names/identifiers.ts";
import type { Clock } from "../platform/clock.ts";
import { assertEvalSetId } from "./eval-ids.ts";
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

interface App {
  readonly sets: Map<string, EvalSet>;
  readonly results: Map<string, EvalSetResult>;
}

export class InMemoryEvalStore implements EvalStore {
  readonly #clock: Clock;
  readonly #apps = new Map<string, App>();

  constructor(options: { readonly clock: Clock }) {
    this.#clock = options.clock;
  }

  async createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet> {
    const app = this.#appOf(request);
    if (app.sets.has(request.evalSetId)) throw evalSetAlreadyExists(request);
    const set = structuredClone(newEvalSet(request, this.#clock.now()));
    this.#apps.set(request.appName, app);
    app.sets.set(request.evalSetId, set);
    return structuredClone(set);
  }

  async listEvalSets(appName: string): Promise<readonly string[]> {
    assertIdentifier("appName", appName);
    return [...(this.#apps.get(appName)?.sets.keys() ?? [])].sort();
  }

  async getEvalSet(key: EvalSetKey): Promise<EvalSet | undefined> {
    return structuredClone(this.#appOf(key).sets.get(key.evalSetId));
  }

  async deleteEvalSet(key: EvalSetKey): Promise<void> {
    if (!this.#appOf(key).sets.delete(key.evalSetId)) throw evalSetNotFound(key);
  }

  async listEvalCases(key: EvalSetKey): Promise<readonly string[]> {
    return caseIds(this.#setOf(key));
  }

  async getEvalCase(key: EvalCaseKey): Promise<EvalCase | undefined> {
    assertIdentifier("evalId", key.evalId);
    const set = this.#appOf(key).sets.get(key.evalSetId);
    return structuredClone(set === undefined ? undefined : findCase(set, key.evalId));
  }

  async addEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    this.#change(key, (set) => withCase(set, structuredClone(evalCase)));
  }

  async updateEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void> {
    this.#change(key, (set) => withCaseReplaced(set, structuredClone(evalCase)));
  }

  async deleteEvalCase(key: EvalCaseKey): Promise<void> {
    assertIdentifier("evalId", key.evalId);
    this.#change(key, (set) => withoutCase(set, key.evalId));
  }

  async saveEvalSetResult(appName: string, result: EvalSetResult): Promise<void> {
    assertIdentifier("appName", appName);
    const checked = structuredClone(checkedResult(result));
    const app = this.#apps.get(appName) ?? { sets: new Map(), results: new Map() };
    this.#apps.set(appName, app);
    app.results.set(evalSetResultName(checked.evalSetResultName), checked);
  }

  async listEvalSetResults(appName: string): Promise<readonly string[]> {
    assertIdentifier("appName", appName);
    return [...(this.#apps.get(appName)?.results.keys() ?? [])].sort();
  }

  async getEvalSetResult(appName: string, nameOrId: string): Promise<EvalSetResult | undefined> {
    assertIdentifier("appName", appName);
    return structuredClone(this.#apps.get(appName)?.results.get(evalSetResultName(nameOrId)));
  }

  #change(key: EvalSetKey, change: (set: EvalSet) => EvalSet): void {
    const changed = change(this.#setOf(key));
    this.#appOf(key).sets.set(key.evalSetId, changed);
  }

  #setOf(key: EvalSetKey): EvalSet {
    const set = this.#appOf(key).sets.get(key.evalSetId);
    if (set === undefined) throw evalSetNotFound(key);
    return set;
  }

  /** The app's data; for a new app an object that is not stored yet. */
  #appOf({ appName, evalSetId }: EvalSetKey): App {
    assertIdentifier("appName", appName);
    assertEvalSetId(evalSetId);
    return this.#apps.get(appName) ?? { sets: new Map(), results: new Map() };
  }
}
