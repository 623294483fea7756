import { PlatformError } from "#kit/errors/platform-error.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { StartTurn } from "#kit/evaluation/inference/run-case.ts";
import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { EVALUATION_SESSION_PREFIX } from "#kit/events/state-prefixes.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { assertStateDelta } from "#kit/sessions/session-limits.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { GatewayDeps } from "../deps.ts";
import { checkClientState } from "../requests/state-keys.ts";
import { startRun } from "../runs/start-run.ts";
import { untilEnded } from "../runs/until-ended.ts";
import { refuseAppState } from "../sessions/app-state.ts";

/** The user of cases that name none. */
const TEST_USER = "test_user_id";

export interface CaseSessionOptions {
  readonly appName: string;
  /** The last part of the session's id. The same part names the same session, and its turns the same runs. */
  readonly name: string;
  /** The caller's API key, whose quotas the runs use. */
  readonly keyId: string | undefined;
}

/** The session in which one case is run. */
export interface CaseSession {
  readonly session: SessionKey;
  readonly startTurn: StartTurn;
  /** When the first turn was started, in milliseconds since the epoch; undefined before that. */
  readonly startedMs: () => number | undefined;
  /** What kept the platform from running a turn; undefined for failures of the agent and of the case's own messages. */
  readonly outage: () => unknown;
}

/** Throws what keeps the case from being run at all: `USER_NOT_ALLOWED`, and the errors of state that clients may not write. */
export function assertMayRun({ config }: Pick<GatewayDeps, "config">, { sessionInput }: EvalCase): void {
  const principal = currentCallScope()?.principal;
  if (principal !== undefined && principal.userId === undefined && !principal.scopes.includes(EVERY_USER_SCOPE))
    throw new PlatformError("USER_NOT_ALLOWED", "The caller's credentials name no user for whom cases could be run.");
  checkClientState(sessionInput?.state);
  refuseAppState(config, sessionInput?.state);
  assertStateDelta(sessionInput?.state ?? {}, sessionLimitsOf(config));
}

/**
 * Opens the session of a case, with the case's state. Its turns are runs of the platform under keys that follow from the
 * session's name: a turn that is asked for again is not executed again, whatever became of the process that asked first.
 * Throws as `SessionService.createSession`.
 */
export async function openCaseSession(
  deps: GatewayDeps,
  { sessionInput }: EvalCase,
  { appName, name, keyId }: CaseSessionOptions,
): Promise<CaseSession> {
  const userId = userOf(sessionInput?.userId);
  const session = { appName, userId, id: `${EVALUATION_SESSION_PREFIX}${name}` };
  const state = sessionInput?.state;
  try {
    await deps.sessionService.createSession({ ...session, ...(state !== undefined && { state }) });
  } catch (error) {
    // An earlier request with the same key has opened it.
    if (!(error instanceof PlatformError && error.reason === "SESSION_ALREADY_EXISTS")) throw error;
  }
  let startedMs: number | undefined;
  let outage: unknown;
  let revision = 0;
  const execute: StartTurn = async ({ turn, message, signal }) => {
    const request = { newMessage: message, ...(keyId !== undefined && { keyId }) };
    const timeoutMs = deps.config.RUN_TIMEOUT_MS;
    const start = { session, request, idempotencyKey: `${name}-${turn}`, ...(timeoutMs > 0 && { timeoutMs }) };
    const run = await startRun(deps, start);
    startedMs ??= run.createdTime;
    const done = await ended(deps, run, signal);
    assertDone(done);
    const stored = await eventsAfter(deps, session, revision);
    // In a repeated evaluation the events of later turns may follow.
    const own = stored.filter(({ invocationId }) => invocationId === done.invocationId);
    revision = own.at(-1)?.sequence ?? revision;
    return { events: own.map(fromEventRecord) };
  };
  return {
    session,
    startedMs: () => startedMs,
    outage: () => outage,
    startTurn: async (turn) => {
      try {
        return await execute(turn);
      } catch (error) {
        if (!isOfCase(error)) outage = error;
        throw error;
      }
    },
  };
}

/** Whether the agent failed, or the case has a message that no run accepts. */
function isOfCase(error: unknown): boolean {
  return error instanceof PlatformError && (error.reason === "RUN_FAILED" || error.code === "INVALID_ARGUMENT");
}

/** A caller who reaches one user only evaluates as that user, because the session is the user's. */
function userOf(userId = TEST_USER): string {
  const principal = currentCallScope()?.principal;
  if (principal?.userId === undefined || principal.scopes.includes(EVERY_USER_SCOPE)) return userId;
  return principal.userId;
}

async function ended(deps: GatewayDeps, started: RunRecord, signal: AbortSignal): Promise<RunRecord> {
  let run = started;
  while (!isTerminal(run.status)) {
    signal.throwIfAborted();
    run = await untilEnded(deps, run);
  }
  return run;
}

/** A run that waits for input has done what it does without a user, so its events count. */
function assertDone({ runId, status, error }: RunRecord): void {
  if (status === "succeeded" || status === "awaiting_input") return;
  throw new PlatformError("RUN_FAILED", `Run ${runId} ended as ${status}: ${error?.message ?? "no reason is known"}`);
}

/** The stored events after a revision of the session. */
async function eventsAfter(
  { sessionService }: Pick<GatewayDeps, "sessionService">,
  session: SessionKey,
  afterRevision: number,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  let place: { readonly pageToken?: string } = {};
  for (;;) {
    const page = await sessionService.listEvents({ ...session, afterRevision, ...place });
    events.push(...page.events);
    if (page.nextPageToken === undefined) return events;
    place = { pageToken: page.nextPageToken };
  }
}
