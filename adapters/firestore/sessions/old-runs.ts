import { inTenant } from "#kit/names/tenant.ts";
import { APP_NAME_KEY, USER_ID_KEY } from "#kit/sessions/document-keys.ts";
import type { RunName, RunOutline, WalkedRuns, WalkRunsOptions } from "#ports/sessions/old-runs/old-run-tables.ts";
import type { FirestoreDatabase, StoredDocument } from "../database/firestore-database.ts";
import type { OwnedDocuments } from "../database/owned-documents.ts";
import { toOpenStatus } from "./run-document.ts";
import { RUNS_COLLECTION, type SessionPaths } from "./session-paths.ts";

const OUTLINE_FIELDS = [
  ...["runId", "tenantId", APP_NAME_KEY, USER_ID_KEY, "sessionId"],
  ...["status", "finishedTime", "answeredBy", "idempotencyKey", "requestBytes"],
];

/** As `OldRunTables.walk`, in the order of paths: an index of all runs by time would be written at its newest end alone. */
export async function walkRuns(
  documents: OwnedDocuments,
  paths: SessionPaths,
  { endedBefore, after, limit }: WalkRunsOptions,
): Promise<WalkedRuns> {
  const page = await documents.firstOfAll(RUNS_COLLECTION, { after: after?.[0], select: OUTLINE_FIELDS, limit });
  const runs = page.filter(({ path }) => paths.isRun(path)).map(toOutline);
  const last = page.length < limit ? undefined : page.at(-1);
  const ended = runs.filter(({ finishedTime = endedBefore }) => finishedTime < endedBefore);
  return { runs: ended, last: last && [last.path] };
}

/** As `OldRunTables.find`. */
export async function findOutlines(
  database: FirestoreDatabase,
  paths: SessionPaths,
  names: readonly RunName[],
): Promise<readonly RunOutline[]> {
  if (names.length === 0) return [];
  const found = await database.read(
    names.map((name) => paths.run(name.runId, name)),
    OUTLINE_FIELDS,
  );
  return [...found.values()].map(toOutline);
}

function toOutline({ fields }: StoredDocument): RunOutline {
  // Written by `toRunFields` and updated from `toProgressFields` and `toAnswerFields`.
  const { runId, tenantId, appName, userId, sessionId, status, ...rest } = fields as unknown as OutlineFields;
  const { finishedTime, answeredBy, idempotencyKey, requestBytes } = rest;
  const session = { ...inTenant(tenantId), appName, userId, id: sessionId };
  return { runId, session, status: toOpenStatus(status), finishedTime, answeredBy, idempotencyKey, requestBytes };
}

interface OutlineFields extends Omit<RunOutline, "session" | "status"> {
  readonly tenantId?: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly status: Parameters<typeof toOpenStatus>[0];
}
