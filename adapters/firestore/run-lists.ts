import { assertSessionKey } from "#kit/platform/identifiers.ts";
import { APP_NAME_KEY } from "#kit/sessions/document-keys.ts";
import { assertPageSize, cutPage, decodePageToken } from "#kit/sessions/page-token.ts";
import type { ListRunsRequest, ListRunsResponse } from "#kit/sessions/run-journal.ts";
import { DOCUMENT_NAME, type FieldFilter, type FirestoreDatabase } from "./firestore-database.ts";
import { toWireValue } from "./firestore-values.ts";
import { fromRunFields, RUN_SESSION_FIELD } from "./run-document.ts";
import { RUNS_COLLECTION, type SessionPaths } from "./session-paths.ts";

/** Newest first by the store's clock; runs of one millisecond by their ids, which sort by time too. */
export async function listRuns(
  database: FirestoreDatabase,
  paths: SessionPaths,
  request: ListRunsRequest,
): Promise<ListRunsResponse> {
  const { session, pageSize, pageToken } = request;
  if (session !== undefined) assertSessionKey(session);
  assertPageSize(pageSize);
  const after = pageToken === undefined ? undefined : decodePageToken("runs", pageToken);
  const where = filters(paths, request);
  if (where === undefined) return { runs: [] };
  const documents = await database.query({
    parent: paths.runsParent,
    collection: RUNS_COLLECTION,
    where,
    orderBy: [
      ["createdTime", "DESCENDING"],
      [DOCUMENT_NAME, "DESCENDING"],
    ],
    ...(after !== undefined && {
      startAfter: [toWireValue(after.number), database.reference(paths.run(after.id))],
    }),
    ...(pageSize !== undefined && { limit: pageSize + 1 }),
  });
  const runs = documents.map(({ fields }) => fromRunFields(fields));
  const { items, ...rest } = cutPage(runs, pageSize, "runs", (run) => ({ number: run.createdTime, id: run.runId }));
  return { runs: items, ...rest };
}

/** Undefined when nothing can match. */
function filters(paths: SessionPaths, { session, appName, statuses }: ListRunsRequest): FieldFilter[] | undefined {
  if (statuses?.length === 0) return undefined;
  if (session !== undefined && appName !== undefined && session.appName !== appName) return undefined;
  const where: FieldFilter[] = [];
  if (session !== undefined) {
    where.push({ field: RUN_SESSION_FIELD, op: "EQUAL", value: toWireValue(paths.head(session)) });
  } else if (appName !== undefined) {
    where.push({ field: APP_NAME_KEY, op: "EQUAL", value: toWireValue(appName) });
  }
  if (statuses !== undefined) where.push({ field: "status", op: "IN", value: toWireValue(statuses) });
  return where;
}
