import { EVALUATION_SESSION_PREFIX } from "#kit/events/state-prefixes.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { APP_NAME_KEY, ID_KEY, STATE_KEY, UPDATE_TIME_KEY, USER_ID_KEY } from "#kit/sessions/document-keys.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import { type JournalHead, type RunningRun, toRunningRun } from "#kit/sessions/journal-head.ts";
import type { Lease, RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { AwaitingRun } from "#ports/sessions/awaiting-runs.ts";
import { type NetworkHead, type SessionChange, UNREAD_REQUEST } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { StorageScope } from "#ports/storage-limits/storage-limits.ts";
import type { DocumentVersion, DocumentWrite, StoredDocument } from "../database/firestore-database.ts";
import { type DocumentValue, fieldPath } from "../database/firestore-values.ts";
import { fromOpenRunFields, toOpenRunFields } from "./run-document.ts";
import { type StateFields, toStateScope } from "./state-fields.ts";

/** Whether lists include the session: not those of evaluations, nor those being deleted. */
export const LISTED_FIELD = "listed";
/** Set when a session's deletion has begun: callers no longer see it, while its documents are being removed. */
const DELETED_FIELD = "deleted";

export type FirestoreHead = NetworkHead<DocumentVersion>;

export function isTombstone({ fields }: StoredDocument): boolean {
  return fields[DELETED_FIELD] === true;
}

/** `requestOf` returns the requests of runs whose documents were read too. */
export function fromHeadDocument(
  document: StoredDocument,
  content: SessionContent,
  requestOf: (runId: string, session: SessionKey) => RunRequest | undefined = () => undefined,
): FirestoreHead {
  // Written by the functions below.
  const fields = document.fields as unknown as HeadFields;
  const key = {
    ...inTenant(fields.tenantId),
    appName: fields[APP_NAME_KEY],
    userId: fields[USER_ID_KEY],
    id: fields[ID_KEY],
  };
  const runOf = (run: OpenRunFields) => fromOpenRunFields(run, key, requestOf(run.runId, key) ?? UNREAD_REQUEST);
  const { active } = fields;
  const run = active === null ? undefined : runOf(active.run);
  return {
    key,
    version: document.version,
    incarnation: fields.incarnation,
    revision: fields.revision,
    lastUpdateTime: fields[UPDATE_TIME_KEY],
    closedTime: fields.closedTime,
    epoch: fields.epoch,
    active: run && { run, lease: toLease(run, active?.expiresAt ?? 0) },
    pending: fields.pending.map(runOf),
    awaiting: fields.awaiting,
    historyStart: fields.historyStart,
    agentRevision: fields.agentRevision,
    storedBytes: fields.storedBytes,
    countedIn: fields.countedIn ?? [],
    openState: () => toStateScope(fields[STATE_KEY], (name, text) => content.openState(key, text, name)),
  };
}

/** The fields that `toJournalHead` reads. */
export const JOURNAL_HEAD_FIELDS: readonly string[] = ["incarnation", "revision", "active.run", DELETED_FIELD];

/** Undefined if the session is deleted. */
export function toJournalHead(document: StoredDocument): JournalHead | undefined {
  if (isTombstone(document)) return undefined;
  // Written by the functions below.
  const { incarnation, revision, active } = document.fields as unknown as HeadFields;
  // Written by toOpenRunFields.
  const run = active?.run as unknown as RunningRun | undefined;
  return { incarnation, revision, run: run && toRunningRun(run) };
}

function toLease({ runId, session, holder = "", epoch }: RunRecord, expiresAt: number): Lease {
  return { runId, session, holder, epoch, expiresAt };
}

export function createHeadWrite(path: string, head: SessionHead, { values }: StateFields): DocumentWrite {
  const { tenantId, appName, userId, id } = head.key;
  const fields = {
    ...inTenant(tenantId),
    [ID_KEY]: id,
    [APP_NAME_KEY]: appName,
    [USER_ID_KEY]: userId,
    [STATE_KEY]: values,
    [LISTED_FIELD]: !id.startsWith(EVALUATION_SESSION_PREFIX),
    incarnation: head.incarnation,
    ...changingFields(head),
  };
  return { kind: "create", path, fields };
}

/** Writes the differences to the head as read, under the condition that the document has not changed since. */
export function updateHeadWrite(
  path: string,
  { head, before }: Pick<SessionChange<DocumentVersion>, "head" | "before">,
  state: StateFields,
): DocumentWrite {
  const { version, active, pending } = head;
  const mask = ["revision", UPDATE_TIME_KEY, "closedTime", "epoch", "storedBytes", ...state.mask];
  const sameRun = active !== undefined && active.run === before?.active?.run;
  if (sameRun) mask.push(fieldPath("active", "expiresAt"));
  else mask.push("active");
  if (pending !== before?.pending) mask.push("pending");
  if (head.awaiting !== before?.awaiting) mask.push("awaiting");
  if (head.historyStart !== before?.historyStart) mask.push("historyStart");
  if (head.agentRevision !== before?.agentRevision) mask.push("agentRevision");
  if (head.countedIn !== before?.countedIn) mask.push("countedIn");
  return { kind: "update", path, fields: maskedFields(head, state, mask), mask, expect: version };
}

/** Hides the session from readers and writers immediately; its documents are removed afterwards. */
export function tombstoneWrite(path: string, version: DocumentVersion | undefined): DocumentWrite {
  return {
    kind: "update",
    path,
    fields: { [DELETED_FIELD]: true, [LISTED_FIELD]: false, active: null, pending: [] },
    mask: [DELETED_FIELD, LISTED_FIELD, "active", "pending", STATE_KEY],
    expect: version ?? "exists",
  };
}

/** Changes nothing, and fails its commit unless the deleted session's head still has this version. */
export function tombstoneCheck(path: string, version: DocumentVersion): DocumentWrite {
  return { kind: "update", path, fields: { [DELETED_FIELD]: true }, mask: [DELETED_FIELD], expect: version };
}

/**
 * The head of a session that is not visible yet: if it is never published, its remains are removed like those of a
 * deleted one.
 */
export function stagedHeadWrite(path: string, { key, incarnation }: SessionHead): DocumentWrite {
  const fields = {
    ...inTenant(key.tenantId),
    [ID_KEY]: key.id,
    [APP_NAME_KEY]: key.appName,
    [USER_ID_KEY]: key.userId,
    [DELETED_FIELD]: true,
    [LISTED_FIELD]: false,
    incarnation,
  };
  return { kind: "create", path, fields };
}

/** Makes a staged session visible, with all fields that its head would have been created with. */
export function publishHeadWrite(created: DocumentWrite, version: DocumentVersion): DocumentWrite {
  const fields = "fields" in created ? created.fields : {};
  return { kind: "update", path: created.path, fields, mask: [...Object.keys(fields), DELETED_FIELD], expect: version };
}

function maskedFields(head: SessionHead, state: StateFields, mask: readonly string[]) {
  const fields = changingFields(head);
  return {
    ...fields,
    ...(state.mask.length > 0 && { [STATE_KEY]: state.values }),
    ...(!mask.includes("active") && { active: { expiresAt: head.active?.lease.expiresAt ?? 0 } }),
    ...(!mask.includes("pending") && { pending: undefined }),
    ...(!mask.includes("awaiting") && { awaiting: undefined }),
    ...(!mask.includes("historyStart") && { historyStart: undefined }),
    ...(!mask.includes("agentRevision") && { agentRevision: undefined }),
    ...(!mask.includes("countedIn") && { countedIn: undefined }),
  };
}

function changingFields(head: SessionHead) {
  const { revision, lastUpdateTime, closedTime, epoch, active, pending, awaiting, historyStart, storedBytes } = head;
  return {
    revision,
    [UPDATE_TIME_KEY]: lastUpdateTime,
    closedTime,
    epoch,
    active: active === undefined ? null : { expiresAt: active.lease.expiresAt, run: toOpenRunFields(active.run) },
    pending: pending.map(toOpenRunFields),
    awaiting: awaiting.map(({ runId, invocationId }) => ({ runId, invocationId })),
    historyStart: historyStart && { from: historyStart.from, earlier: historyStart.earlier },
    agentRevision: head.agentRevision,
    storedBytes,
    countedIn: head.countedIn.length === 0 ? undefined : [...head.countedIn],
  };
}

type OpenRunFields = { readonly [name: string]: DocumentValue; readonly runId: string };

interface HeadFields {
  readonly tenantId?: string;
  readonly [ID_KEY]: string;
  readonly [APP_NAME_KEY]: string;
  readonly [USER_ID_KEY]: string;
  readonly [UPDATE_TIME_KEY]: number;
  readonly [STATE_KEY]: DocumentValue;
  readonly incarnation: string;
  readonly revision: number;
  readonly closedTime?: number;
  readonly epoch: number;
  readonly active: { readonly expiresAt: number; readonly run: OpenRunFields } | null;
  readonly pending: readonly OpenRunFields[];
  readonly awaiting: readonly AwaitingRun[];
  readonly historyStart?: HistoryStart;
  readonly agentRevision?: string;
  readonly storedBytes: number;
  /** Absent if no count includes the session. */
  readonly countedIn?: readonly StorageScope[];
}
