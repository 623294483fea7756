import { artifactPieces, type JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import { allNames } from "#kit/names/name-pages.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { EvalSetKey } from "#ports/evaluation/eval-store.ts";
import type { SizeLimit } from "#ports/evaluation/size-limit.ts";
import { allByIndex } from "#ports/evaluation-jobs/all-by-index.ts";
import type { EvalJobResult } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { DataItem } from "#ports/tenants/tenant-data.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { GatewayDeps } from "../deps.ts";
import { readEvaluation } from "../evaluations/evaluation-answer.ts";
import { toWireKey } from "../identity/keys/wire-key.ts";
import { inTenantOf, type StoreName, type TenantDesk } from "./tenant-desk.ts";

type ExportDeps = Pick<
  GatewayDeps,
  "sessionService" | "runJournal" | "artifactService" | "evalStore" | "evalJobs" | "apiKeys" | "clock"
> & { readonly answers: AnswerReader };

const PLACES = [
  "sessions",
  "artifacts",
  "memory",
  "evaluations",
  "evaluationJobs",
  "schedules",
  "webhooks",
  "keys",
] as const;
type Place = StoreName | "keys";
const ITEMS_OF_PAGE = 50;
const RUNS_OF_PAGE = 10;
const CHARACTERS_OF_PAGE = 128 * 1024;

/**
 * Everything of the owner, as lines of JSON. After each page a line of the kind `cursor` names where an export that was
 * cut off continues; the last line is of the kind `end`. Only one page is in memory.
 */
export async function* exportTenant(
  deps: ExportDeps,
  desk: TenantDesk,
  owner: DataOwner,
  cursor: string | undefined,
): AsyncGenerator<JsonPiece, void, undefined> {
  const start: Start = cursor === undefined ? { place: PLACES[0] } : readCursor(cursor);
  let { pageToken } = start;
  for (const place of PLACES.slice(PLACES.indexOf(start.place))) {
    do {
      const page = await readPage(deps, desk, { owner, place, pageToken });
      for (const item of page.items) for await (const record of contentOf(deps, owner, item)) yield* linePieces(record);
      pageToken = page.nextPageToken;
      if (pageToken !== undefined) yield line({ kind: "cursor", cursor: `${place}.${pageToken}` });
    } while (pageToken !== undefined);
  }
  yield line({ kind: "end" });
}

interface Start {
  readonly place: Place;
  readonly pageToken?: string | undefined;
}

interface PageRequest {
  readonly owner: DataOwner;
  readonly place: Place;
  readonly pageToken: string | undefined;
}

async function readPage(
  { apiKeys, clock }: ExportDeps,
  desk: TenantDesk,
  { owner, place, pageToken }: PageRequest,
): Promise<{ readonly items: readonly object[]; readonly nextPageToken?: string | undefined }> {
  if (place !== "keys") {
    const token = pageToken === undefined ? {} : { pageToken };
    return inTenantOf(owner, () => desk.stores[place].listData({ ...owner, pageSize: ITEMS_OF_PAGE, ...token }));
  }
  const { tenantId, userId } = owner;
  const keys = (await apiKeys?.store.list({ tenantId, after: pageToken, limit: ITEMS_OF_PAGE })) ?? [];
  const own = keys.filter((key) => userId === undefined || key.userId === userId);
  return {
    items: own.map((key) => ({ kind: "api-key", ...toWireKey(key, clock.now()) })),
    nextPageToken: keys.length === ITEMS_OF_PAGE ? keys.at(-1)?.id : undefined,
  };
}

/** The item itself, or what it names. What was deleted since it was listed is left out. */
async function* contentOf(
  deps: ExportDeps,
  owner: DataOwner,
  item: object,
): AsyncGenerator<ExportedRecord, void, undefined> {
  // An API key is exported as it was listed; every other item names data of a store.
  const { kind, ...names } = item as Partial<DataItem>;
  const tenant = inTenant(owner.tenantId);
  switch (kind) {
    case "session":
      yield* sessionOf(deps, owner, { ...tenant, ...(names as Omit<SessionKey, "tenantId">) });
      return;
    case "artifact":
      yield* versionsOf(deps, owner, names as unknown as ArtifactNames);
      return;
    case "eval-set": {
      const key = { ...tenant, ...(names as Omit<EvalSetKey, "tenantId">) };
      yield* evaluationOf(deps, item, "evalSet", (limit) =>
        inTenantOf(owner, () => deps.evalStore.getEvalSet(key, limit)),
      );
      return;
    }
    case "eval-result": {
      const { appName, evalResultId } = names as { readonly appName: string; readonly evalResultId: string };
      const app = { ...tenant, appName };
      yield* evaluationOf(deps, item, "result", async (limit) => {
        const result = await inTenantOf(owner, () => deps.evalStore.getEvalSetResult(app, evalResultId, limit));
        return result && resultOf(result, owner);
      });
      return;
    }
    case "evaluation":
      yield* jobOf(deps, owner, names as { readonly jobId: string });
      return;
    default:
      yield item;
  }
}

/** The item with what is stored of it, in room of the account. */
async function* evaluationOf<Value>(
  { answers }: ExportDeps,
  item: object,
  member: string,
  read: (limit: SizeLimit) => Promise<Value | undefined>,
): AsyncGenerator<ExportedRecord, void, undefined> {
  const { text, room } = await readEvaluation(answers, read, (value) => value ?? null);
  using _ = room;
  if (text !== "null") yield [`${JSON.stringify(item).slice(0, -1)},"${member}":`, text, "}"];
}

/** The result; for a user the cases that ran as that user alone. */
function resultOf(result: EvalSetResult, { userId }: DataOwner): EvalSetResult {
  if (userId === undefined) return result;
  return { ...result, evalCaseResults: result.evalCaseResults.filter((each) => each.userId === userId) };
}

async function* sessionOf(
  { sessionService, runJournal }: ExportDeps,
  owner: DataOwner,
  key: SessionKey,
): AsyncGenerator<ExportedRecord, void, undefined> {
  const session = await inTenantOf(owner, () => sessionService.getSession(key, { numRecentEvents: 0 }));
  if (session === undefined) return;
  const { tenantId: _, events: __, ...head } = session;
  yield { kind: "session", ...head };
  const { appName, userId, id: sessionId } = key;
  const pages = allPages((place) =>
    inTenantOf(owner, () => sessionService.listEventRecords({ ...key, maxCharacters: CHARACTERS_OF_PAGE, ...place })),
  );
  for await (const { events } of pages)
    for (const { json, sequence } of events)
      yield [JSON.stringify({ kind: "event", appName, userId, sessionId, sequence }).slice(0, -1), `,"event":${json}}`];
  const runPages = allPages((place) =>
    inTenantOf(owner, () =>
      runJournal.list({
        ...{ ...inTenant(owner.tenantId), session: key, ...place },
        ...{ pageSize: RUNS_OF_PAGE, maxCharacters: CHARACTERS_OF_PAGE },
      }),
    ),
  );
  for await (const { runs } of runPages)
    for (const { session: ___, ...run } of runs) yield { kind: "run", appName, userId, sessionId, ...run };
}

async function* jobOf(
  { evalJobs }: ExportDeps,
  owner: DataOwner,
  { jobId }: { readonly jobId: string },
): AsyncGenerator<object, void, undefined> {
  const key = { ...inTenant(owner.tenantId), jobId };
  const job = await inTenantOf(owner, () => evalJobs.get(key));
  if (job === undefined) return;
  const { tenantId: _, ...head } = job;
  yield { kind: "evaluation", ...head };
  const results = allByIndex(
    (place) => inTenantOf(owner, () => evalJobs.listResults({ ...key, ...place })).catch(nothingIfDeleted),
    { pageSize: ITEMS_OF_PAGE },
  );
  for await (const one of results) yield { kind: "evaluation-result", jobId, ...one };
}

function nothingIfDeleted(error: unknown): readonly EvalJobResult[] {
  if (toPlatformError(error).reason === "EVAL_JOB_NOT_FOUND") return [];
  throw error;
}

interface ArtifactNames {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId?: string;
  readonly filename: string;
}

async function* versionsOf(
  { artifactService }: ExportDeps,
  owner: DataOwner,
  names: ArtifactNames,
): AsyncGenerator<readonly JsonPiece[], void, undefined> {
  const { appName, userId, sessionId = "-", filename } = names;
  const key = { session: { ...inTenant(owner.tenantId), appName, userId, id: sessionId }, filename };
  const numbers = allNames(async (after?: number) => {
    const { versions } = await inTenantOf(owner, () => artifactService.listVersions(key, after));
    return versions;
  });
  for await (const number of numbers) {
    const version = await inTenantOf(owner, () => artifactService.getArtifactVersion(key, number));
    const described = await inTenantOf(owner, () => artifactService.describeArtifact(key, number));
    if (version === undefined || described === undefined) continue;
    const record = JSON.stringify({ kind: "artifact", ...names, ...version }).slice(0, -1);
    yield [`${record},"artifact":`, ...artifactPieces(key, described), "}"];
  }
}

function readCursor(cursor: string): Start {
  const dot = cursor.indexOf(".");
  const place = PLACES.find((known) => known === cursor.slice(0, dot));
  if (place === undefined)
    throw new PlatformError("INVALID_CURSOR", "cursor is not one that a line of an export had.", {
      details: { field: "cursor" },
    });
  return { place, pageToken: cursor.slice(dot + 1) };
}

/** A record, or its JSON in parts. */
type ExportedRecord = object | readonly JsonPiece[];

function linePieces(record: ExportedRecord): readonly JsonPiece[] {
  return Array.isArray(record) ? [...(record as readonly JsonPiece[]), "\n"] : [line(record)];
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
