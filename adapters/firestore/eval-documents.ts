import { createHash } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { parseEvalCase, parseEvalSet, parseEvalSetResult, toEvalSetJson } from "#kit/evaluation/eval-json.ts";
import { type EvalSetResult, evalSetResultName } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import type { EvalSetKey } from "#kit/evaluation/eval-store.ts";
import type { AppScope } from "#kit/names/app-scope.ts";
import { escapeSegment } from "#kit/names/identifiers.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { assertDocumentBytes } from "./database/document-size.ts";
import type { DocumentWrite, StoredDocument } from "./database/firestore-database.ts";
import { appPath } from "./database/user-paths.ts";
import { joinText, PART_FIELDS, splitText, TEXT_FIELD } from "./long-text.ts";

export const EVAL_SETS_COLLECTION = "eval-sets";
export const EVAL_CASES_COLLECTION = "cases";
export const EVAL_RESULTS_COLLECTION = "eval-results";
/** A case's position in its set. */
export const POSITION_FIELD = "position";
/** The name of a result. */
export const NAME_FIELD = "name";
/** In a set: the position of the next case. Each change of the cases writes it, so that concurrent changes conflict. */
const NEXT_FIELD = "next";
const JSON_FIELD: string = TEXT_FIELD;

export function evalSetPath(root: string, key: EvalSetKey): string {
  return `${appPath(root, key)}/${EVAL_SETS_COLLECTION}/${escapeSegment(key.evalSetId)}`;
}

export function evalCasePath(setPath: string, evalId: string): string {
  return `${setPath}/${EVAL_CASES_COLLECTION}/${escapeSegment(evalId)}`;
}

/** A result's name may be longer than the store's limit for a document's name. */
export function evalResultPath(root: string, app: AppScope, nameOrId: string): string {
  const name = createHash("sha256").update(evalSetResultName(nameOrId), "utf8").digest("hex");
  return `${appPath(root, app)}/${EVAL_RESULTS_COLLECTION}/${name}`;
}

/** The set's document and one for each of its cases. */
export function evalSetWrites(path: string, set: EvalSet): readonly DocumentWrite[] {
  const json = sizedJson("The evaluation set", toEvalSetJson({ ...set, evalCases: [] }));
  const fields = { [JSON_FIELD]: json, [NEXT_FIELD]: set.evalCases.length };
  const cases = set.evalCases.map((evalCase, position) => newCaseWrite(path, evalCase, position));
  return [{ kind: "create", path, fields }, ...cases];
}

export function newCaseWrite(setPath: string, evalCase: EvalCase, position: number): DocumentWrite {
  const fields = { [JSON_FIELD]: caseJson(evalCase), [POSITION_FIELD]: position };
  return { kind: "create", path: evalCasePath(setPath, evalCase.evalId), fields };
}

export function caseReplacement(setPath: string, evalCase: EvalCase): DocumentWrite {
  const path = evalCasePath(setPath, evalCase.evalId);
  return { kind: "update", path, fields: { [JSON_FIELD]: caseJson(evalCase) }, mask: [JSON_FIELD], expect: "exists" };
}

export function nextPosition({ fields }: StoredDocument): number {
  return Number(fields[NEXT_FIELD] ?? 0);
}

/** Makes the commit fail if another change of the set came first. */
export function setTouch(set: StoredDocument, next = nextPosition(set)): DocumentWrite {
  return { kind: "update", path: set.path, fields: { [NEXT_FIELD]: next }, mask: [NEXT_FIELD], expect: set.version };
}

/**
 * The write of the result's document, and the writes of its other parts, which come first: a result may be larger than
 * a document.
 */
export function evalResultWrites(path: string, result: EvalSetResult): SplitWrite {
  const { fields: text, parts } = splitText(path, JSON.stringify(result));
  const fields = { ...text, [NAME_FIELD]: result.evalSetResultName };
  return { document: { kind: "update", path, fields, mask: [TEXT_FIELD, ...PART_FIELDS, NAME_FIELD] }, parts };
}

export interface SplitWrite {
  readonly document: DocumentWrite & { readonly kind: "update" };
  readonly parts: readonly DocumentWrite[];
}

/** Throws `EVAL_DATA_BROKEN`. */
export function toEvalSet(set: StoredDocument, cases: readonly StoredDocument[], evalSetId: string): EvalSet {
  const header = read(set, `Evaluation set ${evalSetId}`, parseEvalSet);
  return { ...header, evalCases: cases.map((each) => toEvalCase(each, evalSetId)) };
}

/** Throws `EVAL_DATA_BROKEN`. */
export function toEvalCase(document: StoredDocument, evalSetId: string): EvalCase {
  return read(document, `Evaluation set ${evalSetId}`, parseEvalCase);
}

/** Throws `EVAL_DATA_BROKEN`. */
export function toEvalResult(document: StoredDocument, parts: ReadonlyMap<string, StoredDocument>): EvalSetResult {
  const whole = { ...document, fields: { ...document.fields, [JSON_FIELD]: joinText(document, parts) } };
  return read(whole, `Evaluation result ${String(document.fields[NAME_FIELD])}`, parseEvalSetResult);
}

export function jsonBytes(write: DocumentWrite): number {
  return "fields" in write ? Buffer.byteLength(String(write.fields[JSON_FIELD] ?? "")) : 0;
}

function caseJson(evalCase: EvalCase): string {
  return sizedJson(`Evaluation case ${evalCase.evalId}`, evalCase);
}

function sizedJson(what: string, value: object): string {
  const json = JSON.stringify(value);
  assertDocumentBytes(what, Buffer.byteLength(json));
  return json;
}

function read<T>(document: StoredDocument, what: string, parse: (value: JsonValue) => T): T {
  try {
    // JSON.parse returns JSON values only.
    return parse(JSON.parse(String(document.fields[JSON_FIELD])) as JsonValue);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof PlatformError)) throw error;
    const problem = error instanceof PlatformError ? error.message : "its document holds no JSON.";
    throw new PlatformError("EVAL_DATA_BROKEN", `${what} cannot be read: ${problem} Repair or delete it.`, {
      cause: error,
    });
  }
}
