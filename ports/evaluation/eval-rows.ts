import type { AppScope } from "#kit/names/app-scope.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { keyDigest, keyPart } from "../rows/row-table.ts";
import type { DataOwner } from "../tenants/data-owner.ts";
import type { EvalSetKey } from "./eval-store.ts";

/** The start of the entries of an app's sets, which are in the order of their ids. */
export function setsOf(app: AppScope): string {
  return `set/${tenantOf(app)}/${keyPart(app.appName)}/`;
}

export function setRow(key: EvalSetKey): string {
  return `${setsOf(key)}${keyPart(key.evalSetId)}`;
}

/** The id of a set by its entry. */
export function setOfRow(entry: string): string {
  return entry.slice(entry.lastIndexOf("/") + 1);
}

/** The start of the entries of all results. */
export const RESULTS = "result/";

export function resultsOf(app: AppScope): string {
  return `${RESULTS}${tenantOf(app)}/${keyPart(app.appName)}/`;
}

/** A result's name may be longer than a key. */
const MAX_NAME_PART = 400;

/** In the order of the names, if they are short. */
export function resultRow(app: AppScope, name: string): string {
  const part = keyPart(name);
  return `${resultsOf(app)}${part.length <= MAX_NAME_PART ? part : `long/${keyDigest([name])}`}`;
}

/** The row of the content of a set or result. */
export function contentRow(entry: string): string {
  return `content/${entry}`;
}

/** The starts of an owner's entries. Evaluation data belongs to an app, and so to no user. */
export function entriesOf({ tenantId, userId }: DataOwner): readonly string[] {
  return userId === undefined ? [`set/${tenantId}/`, `${RESULTS}${tenantId}/`] : [];
}

export function placeOfRow(entry: string): {
  readonly kind: string;
  readonly tenantId: string;
  readonly appName: string;
} {
  const [kind = "", tenantId = "", app = ""] = entry.split("/");
  return { kind, tenantId, appName: decodeURIComponent(app) };
}
