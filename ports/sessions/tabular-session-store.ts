import { LeaseLostError, RunNotFoundError, SessionNotFoundError } from "#kit/errors/session-errors.ts";
import type { EventRecord, StoredEvent } from "#kit/events/event-record.ts";
import { assertIdentifier, assertSessionKey } from "#kit/names/identifiers.ts";
import { assertTenant, inTenant } from "#kit/names/tenant.ts";
import { keptHistoryStart } from "#kit/sessions/history-start.ts";
import { assertHeadsRequest, type JournalHead, toRunningRun } from "#kit/sessions/journal-head.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  BeginRunRequest,
  BeginRunResult,
  FinishRunRequest,
  FinishRunResult,
  ListAbandonedRequest,
  ListRunsRequest,
  ListRunsResponse,
  RunJournal,
  SessionSnapshot,
} from "#kit/sessions/run-journal.ts";
import { isTerminal, type Lease, type RunRecord, type RunRequest } from "#kit/sessions/run-record.ts";
import { isSameSession, type SessionKey } from "#kit/sessions/session.ts";
import { jsonBytes } from "#ports/storage-limits/stored-counts.ts";
import { assertDataOwner, type DataOwner, dataOwner, isSameOwner } from "#ports/tenants/data-owner.ts";
import { readDataPageNow } from "#ports/tenants/data-pages.ts";
import { assertNotInDeletion } from "#ports/tenants/deletion-error.ts";
import type {
  DataDeletion,
  DataDeletions,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { type AwaitingRun, answeredByEnd, answeredByEvents, awaitingAfter, withoutRuns } from "./awaiting-runs.ts";
import { joinDeltas, type PlacedEvents, placeEvents } from "./event-rules.ts";
import { assertPageSize, decodePageToken, encodePageToken } from "./page-token.ts";
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
import { assertStreamKey } from "./stream-key.ts";
import { bytesOf, TabularSessionService } from "./tabular-session-service.ts";

/** Sessions, runs and leases on a synchronous store: the code that the in-memory and the embedded store share. */
export class TabularSessionStore<Head extends SessionHead>
  extends TabularSessionService<Head>
  implements RunJournal, TenantData, DataDeletions
{
  async begin(request: BeginRunRequest): Promise<BeginRunResult> {
    assertSessionKey(request.session);
    assertIdentifier("runId", request.runId);
    if (request.idempotencyKey !== undefined) assertIdentifier("idempotencyKey", request.idempotencyKey);
    if (request.streamKey !== undefined) assertStreamKey(request.streamKey);
    const step = (): BeginRunResult => this.#begin(request);
    if (request.returnOnCommit !== true || this.steps.commit === undefined) return this.steps.write(step);
    const { value, durable } = await this.steps.commit(step);
    if (value.kind === "started") return { ...value, durable };
    await durable;
    return value;
  }

  async append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    const { lease, leaseMs, afterRevision, events } = request;
    return this.steps.write(() => {
      const head = this.require(lease.session);
      const { run } = requireLease(head, lease);
      this.requireOpen(lease.session);
      const { stored, fresh, missed } = this.#place(head, events, afterRevision);
      this.assertRoom(head.key, head, joinDeltas(fresh));
      const extended = extendLease(lease, leaseMs, this.clock.now());
      head.active = { run, lease: extended };
      this.#moveHistoryStart(head, request, missed.length);
      if (fresh.length === 0) this.tables.save(head);
      this.store(head, fresh);
      this.#markAnswered(head, run, answeredByEvents(head.awaiting, run, fresh));
      return { lease: extended, revision: head.revision, stored, missed, cancelRequested: run.cancelRequested };
    });
  }

  async finish(request: FinishRunRequest): Promise<FinishRunResult> {
    const { lease, events, afterRevision } = request;
    return this.steps.write(() => {
      const head = this.require(lease.session);
      const finished = this.#finishedBefore(head, lease);
      if (finished !== undefined) return this.#repeatFinish(head, finished, request);
      const { run } = requireLease(head, lease);
      if (events.length > 0) this.requireOpen(lease.session);
      const { stored, fresh, missed } = this.#place(head, events, afterRevision);
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
    });
  }

  async renew(lease: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }> {
    return this.steps.write(() => {
      const head = this.require(lease.session);
      const { run } = requireLease(head, lease);
      const extended = extendLease(lease, leaseMs, this.clock.now());
      head.active = { run, lease: extended };
      this.tables.save(head);
      return { lease: extended, cancelRequested: run.cancelRequested };
    });
  }

  async release(lease: Lease): Promise<RunRecord> {
    return this.steps.write(() => {
      const head = this.require(lease.session);
      const released = handOver(requireLease(head, lease).run);
      head.active = undefined;
      head.pending = [released, ...head.pending];
      this.tables.updateRun(head, released);
      this.tables.save(head);
      return released;
    });
  }

  async cancel(runId: string, tenantId?: string): Promise<RunRecord> {
    return this.steps.write(() => {
      const run = this.tables.findRun(runId, inTenant(tenantId));
      if (run === undefined) throw new RunNotFoundError(runId);
      if (isTerminal(run.status) || run.cancelRequested) return run;
      const head = this.require(run.session);
      const { active } = head;
      const running = active?.run.runId === runId;
      const cancelled = running ? requestCancel(run) : cancelPending(run, this.clock.now());
      if (running) head.active = { ...active, run: cancelled };
      else head.pending = head.pending.filter((pending) => pending.runId !== runId);
      this.tables.updateRun(head, cancelled);
      return cancelled;
    });
  }

  async get(runId: string, tenantId?: string): Promise<RunRecord | undefined> {
    return this.steps.read(() => this.tables.findRun(runId, inTenant(tenantId)));
  }

  async list({ pageSize, maxCharacters, pageToken, ...filter }: ListRunsRequest): Promise<ListRunsResponse> {
    if (filter.session !== undefined) assertSessionKey(filter.session);
    assertTenant(filter);
    assertPageSize(pageSize);
    const before = pageToken === undefined ? undefined : decodePageToken("runs", pageToken).number;
    return this.steps.read(() => {
      const { page, hasMore } = this.tables.listRuns(filter, { before, limit: pageSize, maxCharacters });
      const runs = page.map(({ run }) => run);
      const last = page.at(-1);
      if (!hasMore || last === undefined) return { runs };
      return { runs, nextPageToken: encodePageToken("runs", { number: last.number, id: "" }) };
    });
  }

  async getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]> {
    assertHeadsRequest(sessions);
    return this.steps.read(() =>
      sessions.map((session) => {
        const head = this.tables.find(session);
        return head && toJournalHead(head);
      }),
    );
  }

  async listAbandoned({ minAgeMs, holder, limit }: ListAbandonedRequest): Promise<readonly RunRecord[]> {
    assertPageSize(limit);
    return this.steps.read(() => {
      const now = this.clock.now();
      return this.tables.listAbandoned({ now, recordedUntil: now - minAgeMs, holder, limit });
    });
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    const owner = dataOwner(request);
    return this.steps.read(() => readDataPageNow(request, (place) => this.tables.ownedItems(owner, place)));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return this.steps.write(() => this.tables.deleteOwned(dataOwner(request), request.limit));
  }

  async beginDeletion(request: DataOwner): Promise<DataDeletion> {
    assertDataOwner(request);
    const owner = dataOwner(request);
    return this.steps.write(() => {
      const known = this.tables.deletions().find((deletion) => isSameOwner(deletion, owner));
      if (known !== undefined) return known;
      const deletion = { ...owner, startedAtMs: this.clock.now() };
      this.tables.saveDeletion(deletion);
      return deletion;
    });
  }

  async endDeletion(request: DataOwner): Promise<void> {
    assertDataOwner(request);
    await this.steps.write(() => this.tables.dropDeletion(dataOwner(request)));
  }

  async listDeletions(): Promise<readonly DataDeletion[]> {
    return this.steps.read(() => this.tables.deletions());
  }

  #begin(request: BeginRunRequest): BeginRunResult {
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
    const snapshot = this.#snapshot(head, request);
    return { kind: "started", lease, run, snapshot, opened: fits && this.#storeOpening(head, run, request) };
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

  #snapshot(head: Head, { haveRevision, haveIncarnation, fromHistoryStart }: BeginRunRequest): SessionSnapshot {
    const { revision, incarnation, lastUpdateTime } = head;
    const other = haveIncarnation !== undefined && haveIncarnation !== incarnation;
    const complete = haveRevision <= 0 || haveRevision > revision || other;
    if (fromHistoryStart !== true && head.historyStart !== undefined) this.tables.saveHistoryStart(head, undefined);
    const events = complete ? this.#neededEvents(head) : this.#eventsAfter(head, haveRevision);
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

  #place(head: Head, events: AppendEventsRequest["events"], afterRevision: number): PlacedEvents {
    return placeEvents(events, this.#eventsAfter(head, afterRevision), head.revision);
  }

  #neededEvents(head: Head): readonly StoredEvent[] {
    return head.historyStart === undefined
      ? this.#eventsAfter(head, 0)
      : this.tables.boundedEvents(head, head.historyStart);
  }

  #eventsAfter(head: Head, revision: number): readonly StoredEvent[] {
    return revision < head.revision ? this.tables.events(head, revision) : [];
  }

  /** A bound that was computed without all events may exclude too many. */
  #moveHistoryStart(head: Head, { historyStart }: Pick<AppendEventsRequest, "historyStart">, missed: number): void {
    if (historyStart === undefined) return;
    const kept = missed === 0 ? keptHistoryStart(historyStart) : undefined;
    if (kept !== undefined || head.historyStart !== undefined) this.tables.saveHistoryStart(head, kept);
  }

  /** The run's record if it has ended under this epoch. */
  #finishedBefore(head: Head, { runId, epoch }: Lease): RunRecord | undefined {
    if (head.active?.run.runId === runId) return undefined;
    const run = this.tables.findRun(runId, head.key);
    if (run === undefined || !isTerminal(run.status) || run.epoch !== epoch) return undefined;
    return isSameSession(run.session, head.key) ? run : undefined;
  }

  #repeatFinish(head: Head, run: RunRecord, { lease, events, afterRevision }: FinishRunRequest): FinishRunResult {
    const { stored, fresh, missed } = this.#place(head, events, afterRevision);
    // Another holder ended it without these events: they were never acknowledged and must not appear to be stored.
    if (fresh.length > 0) throw new LeaseLostError(lease.runId);
    return { run, revision: head.revision, stored, missed };
  }
}

/** Bytes that a new run stores before it is executed. */
function bytesOfRun(request: RunRequest, opening: EventRecord | undefined): number {
  return jsonBytes(request) + (opening === undefined ? 0 : bytesOf([opening]));
}

function toJournalHead({ incarnation, revision, active }: SessionHead): JournalHead {
  return { incarnation, revision, run: active && toRunningRun(active.run) };
}
