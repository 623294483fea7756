import { tenantOf } from "#kit/names/tenant.ts";
import { APP_NAME_KEY, USER_ID_KEY } from "#kit/sessions/document-keys.ts";
import type { RunRecord, RunStatus } from "#kit/sessions/run-record.ts";
import { findAbandoned } from "#ports/sessions/run-rules.ts";
import type {
  AbandonedOptions,
  NumberedRun,
  NumberedRuns,
  RunFilter,
  RunsPlace,
} from "#ports/sessions/session-tables.ts";
import { skipUndecryptable } from "#ports/sessions/skip-undecryptable-runs.ts";
import { DOCUMENT_NAME, type FieldFilter, type FirestoreDatabase } from "../database/firestore-database.ts";
import { toWireValue, type WireValue } from "../database/firestore-values.ts";
import { fromHeadDocument, isTombstone } from "./head-document.ts";
import { fromRunFields, RUN_SESSION_FIELD } from "./run-document.ts";
import { RUNS_COLLECTION, type SessionPaths } from "./session-paths.ts";
import type { SessionPlaces } from "./session-writes.ts";

/** Runs that are read together, as long as the size of a page is limited. */
const DOCUMENTS_OF_PAGE = 50;

/** Newest first by the store's clock; runs of one millisecond by their ids, which are sorted by time too. */
export async function listRuns(
  database: FirestoreDatabase,
  { paths, content }: SessionPlaces,
  filter: RunFilter,
  { before, limit: pageSize, maxCharacters }: RunsPlace,
): Promise<NumberedRuns> {
  const where = filters(paths, filter);
  if (where === undefined) return { page: [], hasMore: false };
  const most = pageSize === undefined ? Number.POSITIVE_INFINITY : pageSize + 1;
  const together = maxCharacters === undefined ? most : DOCUMENTS_OF_PAGE;
  const runs: RunRecord[] = [];
  let startAfter = before && [toWireValue(before.number), database.reference(paths.run(before.id, filter))];
  let left = maxCharacters ?? Number.POSITIVE_INFINITY;
  while (left > 0 && runs.length < most) {
    const limit = Math.min(together, most - runs.length);
    const documents = await database.query({
      parent: paths.runsParent(filter),
      collection: RUNS_COLLECTION,
      where,
      orderBy: [
        ["createdTime", "DESCENDING"],
        [DOCUMENT_NAME, "DESCENDING"],
      ],
      startAfter,
      limit: Number.isFinite(limit) ? limit : undefined,
    });
    for (const { fields } of documents) {
      const run = fromRunFields(fields, content);
      runs.push(run);
      if (maxCharacters !== undefined) left -= JSON.stringify(run.request).length;
    }
    const last = documents.at(-1);
    if (last === undefined || documents.length < limit) return { page: runs.map(numbered), hasMore: false };
    startAfter = [toWireValue(last.fields["createdTime"] ?? 0), database.reference(last.path)];
  }
  // A page that is full by its size may be the last one: the next one is empty then.
  return { page: runs.slice(0, pageSize).map(numbered), hasMore: true };
}

function numbered(run: RunRecord): NumberedRun {
  return { number: run.createdTime, run };
}

/** Undefined if nothing can match. */
function filters(paths: SessionPaths, request: RunFilter): FieldFilter[] | undefined {
  const { session, appName, userId, statuses } = request;
  if (statuses?.length === 0) return undefined;
  if (session !== undefined && tenantOf(session) !== tenantOf(request)) return undefined;
  if (session !== undefined && appName !== undefined && session.appName !== appName) return undefined;
  if (session !== undefined && userId !== undefined && session.userId !== userId) return undefined;
  const where: FieldFilter[] = [];
  if (session !== undefined) {
    where.push({ field: RUN_SESSION_FIELD, op: "EQUAL", value: toWireValue(paths.head(session)) });
  } else {
    if (appName !== undefined) where.push({ field: APP_NAME_KEY, op: "EQUAL", value: toWireValue(appName) });
    if (userId !== undefined) where.push({ field: USER_ID_KEY, op: "EQUAL", value: toWireValue(userId) });
  }
  if (statuses !== undefined) where.push({ field: "status", op: "IN", value: toWireValue(statuses) });
  return where;
}

const ABANDONED_PAGE_SIZE = 200;

/**
 * Leases are in the heads of sessions and not indexed: each append would write to the index, always at its newest end.
 * Therefore the open runs that are older than a lease are examined; the runs of ordinary turns end earlier. One query
 * finds those of all tenants.
 */
export async function listAbandonedRuns(
  database: FirestoreDatabase,
  places: SessionPlaces,
  options: AbandonedOptions,
): Promise<readonly RunRecord[]> {
  const { paths, content } = places;
  const { holder, limit } = options;
  const found: RunRecord[] = [];
  const isOld = {
    field: "createdTime",
    op: "LESS_THAN_OR_EQUAL",
    value: toWireValue(options.recordedUntil),
  } as const;
  let after: readonly WireValue[] | undefined;
  for (;;) {
    const documents = await database.query({
      parent: "",
      collection: RUNS_COLLECTION,
      allDescendants: true,
      where: [
        { field: "status", op: "IN", value: toWireValue(OPEN_STATUSES) },
        // A holder's own runs may be younger: all open runs are examined then.
        ...(holder === undefined ? [isOld] : []),
      ],
      orderBy: [
        ["createdTime", "DESCENDING"],
        [DOCUMENT_NAME, "DESCENDING"],
      ],
      startAfter: after,
      limit: ABANDONED_PAGE_SIZE,
    });
    const ofRuns = documents.filter(({ path }) => paths.isRun(path));
    const runs = skipUndecryptable(ofRuns, ({ fields }) => fromRunFields(fields, content));
    found.push(...(await onlyAbandoned(database, places, runs, options)));
    const last = documents.at(-1);
    if (last === undefined || documents.length < ABANDONED_PAGE_SIZE) break;
    after = [toWireValue(last.fields["createdTime"] ?? 0), database.reference(last.path)];
  }
  return found.reverse().slice(0, limit);
}

const OPEN_STATUSES: readonly RunStatus[] = ["running", "pending"];

async function onlyAbandoned(
  database: FirestoreDatabase,
  { paths, content }: SessionPlaces,
  runs: readonly RunRecord[],
  { now, recordedUntil, holder }: AbandonedOptions,
): Promise<readonly RunRecord[]> {
  const headPaths = [...new Set(runs.map(({ session }) => paths.head(session)))];
  if (headPaths.length === 0) return [];
  const heads = await database.read(headPaths);
  const turns = new Set<string>();
  for (const document of heads.values()) {
    if (isTombstone(document)) continue;
    const abandoned = findAbandoned(fromHeadDocument(document, content), now, holder);
    if (abandoned === undefined) continue;
    const isOwn = holder !== undefined && abandoned.holder === holder;
    if (isOwn || abandoned.createdTime <= recordedUntil) turns.add(paths.run(abandoned.runId, abandoned.session));
  }
  return runs.filter(({ runId, session }) => turns.has(paths.run(runId, session)));
}
