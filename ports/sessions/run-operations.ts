import { LeaseLostError, RunNotFoundError, SessionNotFoundError } from "#kit/errors/session-errors.ts";
import type { EventRecord } from "#kit/events/event-record.ts";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import { keptHistoryStart } from "#kit/sessions/history-start.ts";
import { type JournalHead, toRunningRun } from "#kit/sessions/journal-head.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  BeginRunRequest,
  BeginRunResult,
  FinishRunRequest,
  FinishRunResult,
  ListAbandonedRequest,
  SessionSnapshot,
} from "#kit/sessions/run-journal.ts";
import { isTerminal, type Lease, type RunRecord, type RunRequest } from "#kit/sessions/run-record.ts";
import { isSameSession, type SessionKey } from "#kit/sessions/session.ts";
import { jsonBytes } from "#ports/storage-limits/stored-counts.ts";
import { type DataOwner, isSameOwner } from "#ports/tenants/data-owner.ts";
import { readDataPageNow } from "#ports/tenants/data-pages.ts";
import { assertNotInDeletion } from "#ports/tenants/deletion-error.ts";
import type { OldItem } from "#ports/tenants/old-data.ts";
import type { DataDeletion, DataPage, DeleteDataResponse, ListDataRequest } from "#ports/tenants/tenant-data.ts";
import { type AwaitingRun, answeredByEnd, answeredByEvents, awaitingAfter, withoutRuns } from "./awaiting-runs.ts";
import { bytesOf, joinDeltas, type PlacedEvents, placeEvents } from "./event-rules.ts";
import { endsOfRuns } from "./old-runs/ends-of-runs.ts";
import type { WalkRunsOptions } from "./old-runs/old-run-tables.ts";
import {
  assertSameSession,
  type BeginDecision,
  cancelPending,
  decideBegin,
  endRun,
  extendLease,
  handOver,
  requestCancel,
  requireLease,
  stillPending,
} from "./run-rules.ts";
import type { SessionHead } from "./session-head.ts";
import { SessionOperations } from "./session-operations.ts";
import type { HeadRead, Operation, SessionRead } from "./session-reads.ts";
import type { NumberedRuns, RunFilter, RunsPlace } from "./session-tables.ts";

export interface OldRuns {
  readonly items: readonly OldItem[];
  /** The place of the last run that was looked at, if there may be more. */
  readonly last: readonly string[] | undefined;
}

/** The operations on sessions, runs and leases, on the tables of any store. */
export class RunOperations<Head extends SessionHead> extends SessionOperations<Head> {
  *begin(request: BeginRunRequest): Operation<BeginRunResult> {
    yield this.#readsOfBegin(request);
    const now = this.clock.now();
    const found = this.tables.find(request.session);
    const head = found ?? this.#createFor(request, now);
    const decision = decideBegin(head, this.#known(head, request), request, now);
    if (decision.kind !== "existing") assertNotInDeletion(this.tables.deletions(), head.key);
    if (found !== undefined && decision.kind !== "existing" && decision.created)
      this.assertStorage(head.key, head, () => bytesOfRun(request.request, request.opening));
    const fits = this.#assertOpening(head, decision, request);
    this.#record(head, decision);
    if (decision.kind === "existing") return decision;
    if (decision.kind === "queue") return { kind: "queued", run: decision.run, behind: decision.behind };
    const { lease, run } = decision.active;
    const snapshot = yield* this.#snapshot(head, request);
    return { kind: "started", lease, run, snapshot, opened: fits && this.#storeOpening(head, run, request) };
  }

  *append({ lease, leaseMs, ...request }: AppendEventsRequest): Operation<AppendEventsResult> {
    yield [headOf(lease)];
    const head = this.require(lease.session);
    const { run } = requireLease(head, lease);
    this.requireOpen(lease.session);
    const { stored, fresh, missed } = yield* this.#place(head, request);
    this.assertRoom(head.key, head, joinDeltas(fresh));
    const extended = extendLease(lease, leaseMs, this.clock.now());
    head.active = { run, lease: extended };
    this.#moveHistoryStart(head, request, missed.length);
    if (fresh.length === 0) this.tables.save(head);
    this.store(head, fresh);
    this.#markAnswered(head, run, answeredByEvents(head.awaiting, run, fresh));
    return { lease: extended, revision: head.revision, stored, missed, cancelRequested: run.cancelRequested };
  }

  *finish(request: FinishRunRequest): Operation<FinishRunResult> {
    const { lease, events } = request;
    yield [headOf(lease)];
    const head = this.require(lease.session);
    const finished = yield* this.#finishedBefore(head, lease);
    if (finished !== undefined) return yield* this.#repeatFinish(head, finished, request);
    const { run } = requireLease(head, lease);
    if (events.length > 0) this.requireOpen(lease.session);
    const { stored, fresh, missed } = yield* this.#place(head, request);
    this.assertRoom(head.key, head, joinDeltas(fresh));
    const ended = endRun(run, request, this.clock.now());
    head.active = undefined;
    this.#moveHistoryStart(head, request, missed.length);
    this.tables.updateRun(head, ended);
    if (fresh.length === 0) this.tables.save(head);
    this.store(head, fresh);
    this.#markAnswered(head, run, answeredByEvents(head.awaiting, run, fresh));
    this.#markAnswered(head, run, answeredByEnd(head.awaiting, ended));
    head.awaiting = awaitingAfter(head.awaiting, ended);
    return { run: ended, revision: head.revision, stored, missed };
  }

  *renew(lease: Lease, leaseMs: number): Operation<{ readonly lease: Lease; readonly cancelRequested: boolean }> {
    yield [headOf(lease)];
    const head = this.require(lease.session);
    const { run } = requireLease(head, lease);
    const extended = extendLease(lease, leaseMs, this.clock.now());
    head.active = { run, lease: extended };
    this.tables.save(head);
    return { lease: extended, cancelRequested: run.cancelRequested };
  }

  *release(lease: Lease): Operation<RunRecord> {
    yield [headOf(lease)];
    const head = this.require(lease.session);
    const released = handOver(requireLease(head, lease).run);
    head.active = undefined;
    head.pending = [released, ...head.pending];
    this.tables.updateRun(head, released);
    this.tables.save(head);
    return released;
  }

  *cancel(runId: string, tenant: TenantScoped): Operation<RunRecord> {
    const known = yield* this.get(runId, tenant);
    if (known === undefined) throw new RunNotFoundError(runId);
    if (isTerminal(known.status) || known.cancelRequested) return known;
    // Read again together with the head: the run may have ended in between.
    yield [
      { kind: "head", session: known.session, isFresh: true },
      { kind: "run", runId, tenant },
    ];
    const run = this.tables.findRun(runId, tenant);
    if (run === undefined) throw new RunNotFoundError(runId);
    if (isTerminal(run.status) || run.cancelRequested) return run;
    const head = this.require(run.session);
    const { active } = head;
    const isRunning = active?.run.runId === runId;
    const cancelled = isRunning ? requestCancel(run) : cancelPending(run, this.clock.now());
    if (isRunning) head.active = { ...active, run: cancelled };
    else head.pending = head.pending.filter((pending) => pending.runId !== runId);
    this.tables.updateRun(head, cancelled);
    return cancelled;
  }

  *get(runId: string, tenant: TenantScoped): Operation<RunRecord | undefined> {
    yield [{ kind: "run", runId, tenant }];
    return this.tables.findRun(runId, tenant);
  }

  *list(filter: RunFilter, place: RunsPlace): Operation<NumberedRuns> {
    yield [{ kind: "runs", filter, place }];
    return this.tables.listRuns(filter, place);
  }

  *getHeads(sessions: readonly SessionKey[]): Operation<readonly (JournalHead | undefined)[]> {
    yield sessions.map((session) => ({ kind: "head", session }));
    return sessions.map((session) => {
      const head = this.tables.find(session);
      return head && toJournalHead(head);
    });
  }

  *listAbandoned({ minAgeMs, holder, limit }: ListAbandonedRequest): Operation<readonly RunRecord[]> {
    const now = this.clock.now();
    const options = { now, recordedUntil: now - minAgeMs, holder, limit };
    yield [{ kind: "abandoned-runs", options }];
    return this.tables.listAbandoned(options);
  }

  /** The next runs of all tenants whose work ended before the time. */
  *listOldRuns(options: WalkRunsOptions): Operation<OldRuns> {
    yield [{ kind: "walked-runs", options }];
    const { runs, last } = this.tables.oldRuns.walk(options);
    const endOf = yield* endsOfRuns(this.tables.oldRuns, runs);
    const items = runs.flatMap((run): readonly OldItem[] => {
      const timeMs = endOf(run);
      if (timeMs === undefined || timeMs >= options.endedBefore) return [];
      const { tenantId, appName, userId, id: sessionId } = run.session;
      return [{ ...inTenant(tenantId), appName, userId, sessionId, id: run.runId, timeMs }];
    });
    return { items, last };
  }

  /** A run and its answers are of one session, so nothing that decides changes while its head is the same. */
  *deleteOldRuns(session: SessionKey, runIds: readonly string[], before: number): Operation<number> {
    const names = runIds.map((runId) => ({ ...inTenant(session.tenantId), runId }));
    yield [
      { kind: "head", session, isFresh: true },
      { kind: "run-outlines", names },
    ];
    const head = this.tables.find(session);
    if (head === undefined) return 0;
    const own = this.tables.oldRuns.find(names).filter((run) => isSameSession(run.session, session));
    const endOf = yield* endsOfRuns(this.tables.oldRuns, own);
    const old = own.filter((run) => (endOf(run) ?? Number.POSITIVE_INFINITY) < before);
    if (old.length === 0) return 0;
    for (const run of old) this.tables.oldRuns.delete(head, run);
    this.countStored(head, -old.reduce((sum, { requestBytes }) => sum + requestBytes, 0));
    this.tables.save(head);
    return old.length;
  }

  /** This and the next two are operations only of synchronous stores: others have no step over all data of an owner. */
  *listData(owner: DataOwner, request: ListDataRequest): Operation<DataPage> {
    return readDataPageNow(request, (place) => this.tables.ownedItems(owner, place));
  }

  *deleteData(owner: DataOwner, limit: number): Operation<DeleteDataResponse> {
    return this.tables.deleteOwned(owner, limit);
  }

  *beginDeletion(owner: DataOwner): Operation<DataDeletion> {
    const known = (yield* this.listDeletions()).find((deletion) => isSameOwner(deletion, owner));
    if (known !== undefined) return known;
    const deletion = { ...owner, startedAtMs: this.clock.now() };
    this.tables.saveDeletion(deletion);
    return deletion;
  }

  *endDeletion(owner: DataOwner): Operation<void> {
    this.tables.dropDeletion(owner);
  }

  *listDeletions(): Operation<readonly DataDeletion[]> {
    yield [{ kind: "deletions" }];
    return this.tables.deletions();
  }

  #readsOfBegin({ session, runId, idempotencyKey }: BeginRunRequest): readonly SessionRead[] {
    const keyed: readonly SessionRead[] =
      idempotencyKey === undefined ? [] : [{ kind: "keyed-run", session, idempotencyKey }];
    return [
      { kind: "head", session, runId, isFresh: true },
      { kind: "shared-state", owner: session },
      { kind: "run", runId, tenant: session },
      { kind: "deletions" },
      ...keyed,
      ...this.storedOf(session),
    ];
  }

  #createFor({ session, request, runId, opening, limitedTo }: BeginRunRequest, now: number): Head {
    if (request.autoCreateSession !== true || limitedTo !== undefined) throw new SessionNotFoundError(session);
    const known = this.tables.findRun(runId, session);
    if (known !== undefined) assertSameSession(known, session);
    if (opening !== undefined) this.assertRoom(session, undefined, opening.stateDelta);
    this.assertStorage(session, undefined, () => bytesOfRun(request, opening));
    assertNotInDeletion(this.tables.deletions(), session);
    return this.create(session, now);
  }

  /**
   * A new run whose state exceeds a limit is refused. The state of a queued run was within the limits when the run was
   * recorded, so its opening is left to its holder, whose append then fails as for any event of the run.
   */
  #assertOpening(head: Head, decision: BeginDecision, { opening }: BeginRunRequest): boolean {
    if (opening?.stateDelta === undefined || decision.kind === "existing") return true;
    try {
      this.assertRoom(head.key, head, opening.stateDelta);
      return true;
    } catch (error) {
      if (decision.created) throw error;
      return false;
    }
  }

  #known(head: Head, { runId, idempotencyKey }: BeginRunRequest): RunRecord | undefined {
    if (head.active?.run.runId === runId) return head.active.run;
    const pending = head.pending.find((run) => run.runId === runId) ?? this.tables.findRun(runId, head.key);
    if (pending !== undefined || idempotencyKey === undefined) return pending;
    return this.tables.findRunByIdempotencyKey(head, idempotencyKey);
  }

  #record(head: Head, decision: BeginDecision): void {
    if (decision.kind === "existing") return;
    this.#drop(head, decision.dropped);
    if (decision.kind === "start") {
      const { active, created, interrupted } = decision;
      if (interrupted !== undefined) {
        head.active = undefined;
        this.tables.updateRun(head, interrupted);
      }
      head.active = active;
      head.epoch = active.lease.epoch;
      head.agentRevision = active.run.agentRevision ?? head.agentRevision;
      head.pending = head.pending.filter((run) => run.runId !== active.run.runId);
      if (created) this.countStored(head, this.tables.insertRun(head, active.run));
      else this.tables.updateRun(head, active.run);
      return;
    }
    if (!decision.created) return;
    head.pending = [...head.pending, decision.run];
    this.countStored(head, this.tables.insertRun(head, decision.run));
    if (decision.cancelled !== undefined && head.active !== undefined) {
      head.active = { ...head.active, run: decision.cancelled };
      this.tables.updateRun(head, decision.cancelled);
    }
  }

  #drop(head: Head, dropped: readonly RunRecord[]): void {
    if (dropped.length === 0) return;
    head.pending = stillPending(head.pending, dropped);
    for (const run of dropped) this.tables.updateRun(head, run);
  }

  *#snapshot(
    head: Head,
    { haveRevision, haveIncarnation, fromHistoryStart }: BeginRunRequest,
  ): Operation<SessionSnapshot> {
    const { revision, incarnation, lastUpdateTime } = head;
    const other = haveIncarnation !== undefined && haveIncarnation !== incarnation;
    const complete = haveRevision <= 0 || haveRevision > revision || other;
    if (fromHistoryStart !== true && head.historyStart !== undefined) this.tables.saveHistoryStart(head, undefined);
    const { historyStart } = head;
    const events =
      complete && historyStart !== undefined
        ? yield* this.boundedEvents(head, historyStart)
        : yield* this.eventsAfter(head, complete ? 0 : haveRevision);
    return { incarnation, revision, events, complete, state: this.mergedState(head), lastUpdateTime };
  }

  /** A run that was started earlier has its opening already, or its holder has written another event instead. */
  #storeOpening(head: Head, run: RunRecord, { opening }: BeginRunRequest): boolean {
    const { attempts, invocationId } = run;
    if (opening === undefined || attempts > 1 || opening.invocationId !== invocationId) return false;
    const { fresh } = placeEvents([opening], [], head.revision);
    this.store(head, fresh);
    this.#markAnswered(head, run, answeredByEvents(head.awaiting, run, fresh));
    return true;
  }

  #markAnswered(head: Head, { runId }: RunRecord, answered: readonly AwaitingRun[]): void {
    if (answered.length === 0) return;
    head.awaiting = withoutRuns(head.awaiting, answered);
    for (const run of answered) this.tables.saveAnswer(head, run.runId, runId);
  }

  *#place(
    head: Head,
    { events, afterRevision }: Pick<AppendEventsRequest, "events" | "afterRevision">,
  ): Operation<PlacedEvents> {
    return placeEvents(events, yield* this.eventsAfter(head, afterRevision), head.revision);
  }

  /** A bound that was computed without all events may exclude too many. */
  #moveHistoryStart(head: Head, { historyStart }: Pick<AppendEventsRequest, "historyStart">, missed: number): void {
    if (historyStart === undefined) return;
    const kept = missed === 0 ? keptHistoryStart(historyStart) : undefined;
    if (kept !== undefined || head.historyStart !== undefined) this.tables.saveHistoryStart(head, kept);
  }

  /** The run's record if it has ended under this epoch. */
  *#finishedBefore(head: Head, { runId, epoch }: Lease): Operation<RunRecord | undefined> {
    if (head.active?.run.runId === runId) return undefined;
    const run = yield* this.get(runId, head.key);
    if (run === undefined || !isTerminal(run.status) || run.epoch !== epoch) return undefined;
    return isSameSession(run.session, head.key) ? run : undefined;
  }

  *#repeatFinish(head: Head, run: RunRecord, request: FinishRunRequest): Operation<FinishRunResult> {
    const { stored, fresh, missed } = yield* this.#place(head, request);
    // Another holder ended it without these events: they were never acknowledged and must not appear to be stored.
    if (fresh.length > 0) throw new LeaseLostError(request.lease.runId);
    return { run, revision: head.revision, stored, missed };
  }
}

/** The head of the lease's session, with the request of its run. */
function headOf({ session, runId }: Lease): HeadRead {
  return { kind: "head", session, runId };
}

/** Bytes that a new run stores before it is executed. */
function bytesOfRun(request: RunRequest, opening: EventRecord | undefined): number {
  return jsonBytes(request) + (opening === undefined ? 0 : bytesOf([opening]));
}

function toJournalHead({ incarnation, revision, active }: SessionHead): JournalHead {
  return { incarnation, revision, run: active && toRunningRun(active.run) };
}
