import { PlatformError } from "#kit/errors/platform-error.ts";
import {
  AgentRevisionDiffersError,
  LeaseLostError,
  RunNotFoundError,
  SessionBusyError,
  SessionClosedError,
} from "#kit/errors/session-errors.ts";
import type { BeginRunRequest, FinishRunRequest } from "#kit/sessions/run-journal.ts";
import {
  isTerminal,
  type Lease,
  type RunError,
  type RunRecord,
  type TerminalRunStatus,
} from "#kit/sessions/run-record.ts";
import { isSameSession, type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import type { ActiveRun, SessionHead } from "./session-head.ts";

/**
 * The changes that `begin` must write. The decisions are pure functions, so that every store queues, recovers and
 * refuses runs in the same way: a store reads the head and the known run, calls `decideBegin`, and writes the decision
 * in one atomic step.
 */
export type BeginDecision =
  | { readonly kind: "existing"; readonly run: RunRecord }
  | {
      readonly kind: "start";
      readonly active: ActiveRun;
      /** Whether the run has no record yet. */
      readonly created: boolean;
      /** The run whose holder abandoned it, with its final status. */
      readonly interrupted?: RunRecord;
      /** Queued runs that this one replaces, with their final status. */
      readonly dropped: readonly RunRecord[];
    }
  | {
      readonly kind: "queue";
      readonly run: RunRecord;
      readonly behind: string;
      readonly created: boolean;
      /** The active run, with its cancellation requested. */
      readonly cancelled?: RunRecord;
      /** Queued runs that this one replaces, ended or with their cancellation requested. */
      readonly dropped: readonly RunRecord[];
    };

/** `known` is the run with the request's id, or else the session's run with its idempotency key. */
export function decideBegin(
  head: SessionHead,
  known: RunRecord | undefined,
  request: BeginRunRequest,
  now: number,
): BeginDecision {
  if (known !== undefined) {
    assertSameSession(known, head.key);
    // A limited request names the run: it does not find another one by its idempotency key.
    if (known.runId !== request.runId && request.limitedTo !== undefined) throw new RunNotFoundError(request.runId);
    if (isTerminal(known.status) || known.runId !== request.runId) return { kind: "existing", run: known };
    if (known.status === "running") return decideRecovery(head, known, request, now);
  }
  if (known === undefined && request.limitedTo !== undefined) throw new RunNotFoundError(request.runId);
  if (head.closedTime !== undefined) throw new SessionClosedError(head.key);
  const dropped =
    known === undefined && replacesOthers(request) ? head.pending.map((run) => endOrRequestCancel(run, now)) : [];
  const ahead = known === undefined ? stillPending(head.pending, dropped) : runsBefore(head.pending, known.runId);
  const { active } = head;
  const abandoned = active !== undefined && now >= active.lease.expiresAt + (request.abandonAfterMs ?? request.leaseMs);
  if (ahead.length === 0 && (active === undefined || abandoned) && request.leftFor === undefined) {
    const own = known?.agentRevision;
    // A run that has not begun goes where its session is.
    assertAgentRevision(known !== undefined && known.attempts > 0 ? own : (head.agentRevision ?? own), request);
    return {
      kind: "start",
      active: start(head, known ?? newRun(request, now), request, now),
      created: known === undefined,
      dropped,
      interrupted: active && endRun(active.run, { status: "interrupted", error: RUNNER_LOST }, now),
    };
  }
  const behind = ahead.at(-1)?.runId ?? active?.run.runId ?? request.runId;
  if (known !== undefined) return { kind: "queue", run: known, behind, created: false, dropped };
  return { ...decideQueue({ ...head, pending: ahead }, request, behind, now), dropped };
}

function decideRecovery(head: SessionHead, known: RunRecord, request: BeginRunRequest, now: number): BeginDecision {
  const { active } = head;
  const own = active?.lease.holder === request.holder && request.limitedTo !== "available";
  const expired = active === undefined || now >= active.lease.expiresAt;
  if (!own && !expired) return { kind: "existing", run: known };
  assertAgentRevision(known.agentRevision, request);
  return { kind: "start", active: start(head, known, request, now), created: false, dropped: [] };
}

function decideQueue(
  head: SessionHead,
  request: BeginRunRequest,
  behind: string,
  now: number,
): Omit<Extract<BeginDecision, { kind: "queue" }>, "dropped"> {
  const { active, pending } = head;
  // A run that is left to another holder may be queued behind none.
  if (request.policy === "reject" && (active !== undefined || pending.length > 0)) {
    throw new SessionBusyError(head.key, active?.run.runId ?? pending[0]?.runId ?? behind);
  }
  if (request.maxQueued !== undefined && pending.length > request.maxQueued) {
    throw new PlatformError(
      "QUEUE_FULL",
      `${pending.length} runs are queued for session ${head.key.id} already. Try again later.`,
      {
        details: { sessionId: head.key.id, maxQueued: String(request.maxQueued) },
      },
    );
  }
  const cancelled =
    replacesOthers(request) && active !== undefined && !active.run.cancelRequested && requestCancel(active.run);
  const run = newRun(request, now);
  return { kind: "queue", run, behind, created: true, cancelled: cancelled || undefined };
}

/** Throws `AGENT_REVISION_DIFFERS` if the caller may not execute the run. `current` is the agent revision that it is on. */
function assertAgentRevision(current: string | undefined, { agentRevision, movesFrom }: BeginRunRequest): void {
  if (current === undefined || agentRevision === undefined || current === agentRevision || current === movesFrom)
    return;
  throw new AgentRevisionDiffersError(current);
}

/** Whether the newest message replaces the active run and the queued ones. */
function replacesOthers({ policy }: BeginRunRequest): boolean {
  return policy === "interrupt" || policy === "rollback";
}

/** A run that was started earlier stays in the queue until a holder has closed its open calls. */
function endOrRequestCancel(run: RunRecord, now: number): RunRecord {
  if (run.attempts > 0) return requestCancel(run);
  return endRun(requestCancel(run), { status: "cancelled", error: REPLACED }, now);
}

/** The queue without the runs that have ended. */
export function stillPending(pending: readonly RunRecord[], changed: readonly RunRecord[]): readonly RunRecord[] {
  if (changed.length === 0) return pending;
  const byId = new Map(changed.map((run) => [run.runId, run]));
  return pending.map((run) => byId.get(run.runId) ?? run).filter(({ status }) => !isTerminal(status));
}

/**
 * The active run if the lease is the current one; otherwise throws `LEASE_LOST`. An expired lease that no other holder
 * has replaced counts as current.
 */
export function requireLease(head: SessionHead, lease: Lease): ActiveRun {
  const current = head.active?.lease;
  if (
    head.active === undefined ||
    current?.runId !== lease.runId ||
    current.epoch !== lease.epoch ||
    current.holder !== lease.holder
  ) {
    throw new LeaseLostError(lease.runId);
  }
  return head.active;
}

export function extendLease(lease: Lease, leaseMs: number, now: number): Lease {
  return { ...lease, expiresAt: now + leaseMs };
}

/** The run as it is queued for its next holder. */
export function handOver(run: RunRecord): RunRecord {
  const { holder: _, ...rest } = run;
  return { ...rest, status: "pending", handovers: (run.handovers ?? 0) + 1 };
}

/** The session's run that has no holder, or has this one, as far as the head shows. */
export function findAbandoned({ active, pending }: SessionHead, now: number, holder?: string): RunRecord | undefined {
  if (active === undefined) return pending[0];
  return now >= active.lease.expiresAt || active.lease.holder === holder ? active.run : undefined;
}

export function requestCancel(run: RunRecord): RunRecord {
  return { ...run, cancelRequested: true };
}

export type RunEnd = Pick<FinishRunRequest, "status" | "usage" | "error">;

/** The run's final record. */
export function endRun(run: RunRecord, end: RunEnd, now: number): RunRecord {
  const { holder: _, ...rest } = run;
  const status: TerminalRunStatus = end.status;
  return {
    ...rest,
    status,
    finishedTime: now,
    ...(end.usage !== undefined && { usage: end.usage }),
    ...(end.error !== undefined && { error: end.error }),
  };
}

/** A pending run that is cancelled before it began. */
export function cancelPending(run: RunRecord, now: number): RunRecord {
  return endRun(requestCancel(run), { status: "cancelled" }, now);
}

const RUNNER_LOST: RunError = {
  code: "ABORTED",
  reason: "RUN_INTERRUPTED",
  message: "The process that executed the run was lost before the run ended.",
};

const REPLACED: RunError = {
  code: "CANCELLED",
  reason: "RUN_CANCELLED",
  message: "A newer message took this run's place.",
};

function newRun(request: BeginRunRequest, now: number): RunRecord {
  return {
    runId: request.runId,
    session: sessionKey(request.session),
    invocationId: request.invocationId,
    request: request.request,
    status: "pending",
    policy: request.policy,
    attempts: 0,
    agentRevision: request.leftFor,
    epoch: 0,
    createdTime: now,
    cancelRequested: false,
    baseRevision: 0,
    deadline: request.deadline,
    idempotencyKey: request.idempotencyKey,
    streamKey: request.streamKey,
  };
}

function start(head: SessionHead, run: RunRecord, request: BeginRunRequest, now: number): ActiveRun {
  const { holder } = request;
  const epoch = head.epoch + 1;
  const first = run.attempts === 0;
  return {
    run: {
      ...run,
      status: "running",
      attempts: run.attempts + 1,
      agentRevision: request.agentRevision ?? run.agentRevision,
      epoch,
      holder,
      startedTime: run.startedTime ?? now,
      baseRevision: first ? head.revision : run.baseRevision,
    },
    lease: { runId: run.runId, session: head.key, holder, epoch, expiresAt: now + request.leaseMs },
  };
}

function runsBefore(pending: readonly RunRecord[], runId: string): readonly RunRecord[] {
  const index = pending.findIndex((run) => run.runId === runId);
  return index === -1 ? pending : pending.slice(0, index);
}

/** Refuses a run id that another session uses. The error contains nothing of that session's record. */
export function assertSameSession(run: RunRecord, key: SessionKey): void {
  if (isSameSession(run.session, key)) return;
  throw new PlatformError("INVALID_FIELD", "runId names a run of another session. Use a new id.", {
    details: { field: "runId" },
  });
}
