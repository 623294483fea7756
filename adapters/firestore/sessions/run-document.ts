import type { UsageMetadata } from "#kit/events/content.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { APP_NAME_KEY, USER_ID_KEY } from "#kit/sessions/document-keys.ts";
import type { RunError, RunRecord, RunRequest, RunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { DocumentFields, DocumentValue } from "../database/firestore-values.ts";

/** The path of the session's head, which all runs of one session share. */
export const RUN_SESSION_FIELD = "session";

/**
 * The stored status of an answered run, so that the index by status finds only runs that still wait. Never returned by
 * the adapter.
 */
const ANSWERED_STATUS = "answered";

/** The status of a run, as it is stored. */
type StoredStatus = RunStatus | typeof ANSWERED_STATUS;

/** The run's own status, whether it was answered or not. */
export function toOpenStatus(status: StoredStatus): RunStatus {
  return status === ANSWERED_STATUS ? "awaiting_input" : status;
}

/** The fields that change when a run is answered. */
export const RUN_ANSWER_FIELDS = ["status", "answeredBy"] as const;

/** The values for `RUN_ANSWER_FIELDS`. */
export function toAnswerFields(answeredBy: string): DocumentFields {
  return { status: ANSWERED_STATUS, answeredBy };
}

/** The fields that change while a run executes. */
export const RUN_PROGRESS_FIELDS = [
  "status",
  "attempts",
  "handovers",
  "agentRevision",
  "epoch",
  "holder",
  "startedTime",
  "finishedTime",
  "cancelRequested",
  "baseRevision",
  "usage",
  "error",
] as const;

export function toRunFields(run: RunRecord, headPath: string, content: SessionContent): DocumentFields {
  const { session } = run;
  const request = JSON.stringify(run.request);
  return {
    ...toOpenRunFields(run),
    ...toProgressFields(run, content),
    [RUN_SESSION_FIELD]: headPath,
    ...inTenant(session.tenantId),
    [APP_NAME_KEY]: session.appName,
    [USER_ID_KEY]: session.userId,
    sessionId: session.id,
    requestBytes: Buffer.byteLength(request),
    request: content.sealOfRun(session, run.runId, "request", request),
  };
}

/** The values for `RUN_PROGRESS_FIELDS`. */
export function toProgressFields(run: RunRecord, content: SessionContent): DocumentFields {
  const { status, attempts, handovers, agentRevision, epoch, holder, startedTime, finishedTime } = run;
  const { cancelRequested, baseRevision, usage, error } = run;
  return {
    status,
    attempts,
    handovers,
    agentRevision,
    epoch,
    holder,
    startedTime,
    finishedTime,
    cancelRequested,
    baseRevision,
    usage: usage && JSON.stringify(usage),
    error: error && content.sealOfRun(run.session, run.runId, "error", JSON.stringify(error)),
  };
}

/** Returns the fields of an open run as a session's head stores them: without session and request. */
export function toOpenRunFields(run: RunRecord): Record<string, DocumentValue> {
  const { session: _session, request: _request, usage: _usage, error: _error, ...rest } = run;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}

export function fromOpenRunFields(fields: DocumentValue, session: SessionKey, request: RunRequest): RunRecord {
  // Written by toOpenRunFields.
  return { ...(fields as unknown as Omit<RunRecord, "session" | "request">), session, request };
}

export function fromRunFields(fields: DocumentFields, content: SessionContent): RunRecord {
  // Written by toRunFields and updated from toProgressFields and toAnswerFields.
  const {
    session: _,
    tenantId,
    appName,
    userId,
    sessionId,
    status,
    requestBytes: _bytes,
    request,
    usage,
    error,
    ...rest
  } = fields as unknown as RunFields;
  const session = { ...inTenant(tenantId), appName, userId, id: sessionId };
  const open = (member: "request" | "error", text: string) => content.openOfRun(session, rest.runId, member, text);
  return {
    ...rest,
    status: toOpenStatus(status),
    session,
    // The three texts were written by JSON.stringify from members of a run.
    request: JSON.parse(open("request", request)) as RunRequest,
    usage: usage === undefined ? undefined : (JSON.parse(usage) as UsageMetadata),
    error: error === undefined ? undefined : (JSON.parse(open("error", error)) as RunError),
  };
}

interface RunFields extends Omit<RunRecord, "session" | "status" | "request" | "usage" | "error"> {
  readonly session: string;
  readonly tenantId?: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly status: StoredStatus;
  readonly requestBytes: number;
  readonly request: string;
  readonly usage?: string;
  readonly error?: string;
}
