import type { StreamResponse } from "@a2a-js/sdk";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import {
  type PushOutcome,
  type PushPlace,
  type PushState,
  type PushStore,
  payerOf,
  type TakenPush,
} from "#ports/push/push-store.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import { newestRun } from "../runs/newest-run.ts";
import { answersOfUser } from "../streams/answers-of.ts";
import { nextRun } from "../tasks/find-task.ts";
import { type RunPlace, updatesOf } from "../tasks/follow-task.ts";
import { KEPT_AFTER_END_MS } from "../tasks/task-pushes.ts";
import { statusTime } from "../tasks/task-status.ts";
import { TaskUpdates } from "../tasks/task-updates.ts";
import { readTaskEvents, toTask } from "../tasks/task-view.ts";
import { checkDelay, isGivenUp, retryDelay } from "./push-schedule.ts";
import { PushRefused, type PushSender } from "./push-sender.ts";
import { ReceiverPaused } from "./receiver-gate.ts";

export interface DeliveryOptions {
  readonly store: PushStore;
  readonly sender: PushSender;
  readonly leaseMs: number;
  /** Aborted when this process ends, or gives the delivery to another one. */
  readonly signal: AbortSignal;
  readonly counted: (outcome: PushOutcome) => void;
}

/** A pause after a failure of this server, such as a store that cannot be reached. */
const OWN_FAILURE_MS = 5_000;

/**
 * Delivers the updates of one task to one target, in their order, from the stored place on, as long as the task has some. What
 * it sends are stored events and statuses: chunks of an answer are not sent, the complete answer is. Each place is stored
 * after its update has arrived, so that a process that takes the delivery over repeats one update at most.
 */
export class TaskDelivery {
  readonly #deps: RouteDeps;
  readonly #options: DeliveryOptions;
  readonly #push: TakenPush;
  readonly #lost = new AbortController();
  readonly #signal: AbortSignal;
  #state: PushState;
  /** Writes of the state, one after the other. */
  #saving: Promise<void> = Promise.resolve();
  /** By the monotonic clock: when the last update arrived. */
  #lastSentMs: number;

  constructor(deps: RouteDeps, options: DeliveryOptions, push: TakenPush) {
    this.#deps = deps;
    this.#options = options;
    this.#push = push;
    this.#state = push;
    this.#signal = AbortSignal.any([options.signal, this.#lost.signal]);
    this.#lastSentMs = deps.clock.monotonic();
  }

  /** How long no update has arrived. */
  get idleMs(): number {
    return this.#deps.clock.monotonic() - this.#lastSentMs;
  }

  /** Never throws. */
  async run(): Promise<void> {
    const { store, leaseMs } = this.#options;
    const { clock, logger } = this.#deps;
    const renewal = setInterval(() => this.#save(clock.now() + leaseMs), leaseMs / 3).unref();
    try {
      const dueMs = await this.#deliver().catch((error: unknown) => this.#afterFailure(error));
      clearInterval(renewal);
      await this.#saving.catch(() => undefined);
      if (this.#lost.signal.aborted) return;
      if (dueMs === undefined) await store.remove(this.#push);
      else await store.release(this.#push, this.#state, Math.round(dueMs));
    } catch (error) {
      // Its lease ends, and then it is due again.
      logger.warn({ error, taskId: this.#push.task.taskId }, "delivery of push notifications not stored");
    } finally {
      clearInterval(renewal);
    }
  }

  /** Returns when the delivery is due again; undefined if it is to be removed. */
  async #deliver(): Promise<number | undefined> {
    const { clock, runJournal } = this.#deps;
    const { task } = this.#push;
    const first = this.#state.isOver ? undefined : await runJournal.get(task.taskId);
    let run = first && (await runJournal.get(this.#state.place.runId));
    if (first === undefined || run === undefined) return undefined;
    const answers = answersOfUser(this.#deps, task.session, this.#signal);
    const { updates, ...shown } = await this.#shownBefore(first, run, answers);
    let from: RunPlace = { shown, ...this.#state.place };
    for (;;) {
      if (!this.#state.place.isAtEnd) await this.#deliverRun(first, run, { updates, from, answers });
      if (this.#signal.aborted) return clock.now();
      const ended = await runJournal.get(run.runId);
      if (ended === undefined) return undefined;
      if (ended.status !== "awaiting_input") return this.#end();
      const next = await nextRun(this.#deps, ended);
      if (next === undefined) return clock.now() + checkDelay(statusTime(ended), clock.now());
      const sequence = Math.max(this.#state.place.sequence, next.baseRevision);
      this.#move({ runId: next.runId, sequence, isBegun: false, isAtEnd: false });
      from = { shown: { sequence: 0, agentSequence: 0 }, isBegun: false };
      run = next;
    }
  }

  /** The part of the task that the receiver has already. */
  async #shownBefore(first: RunRecord, newest: RunRecord, answers: AnswerReader) {
    const { sequence: upTo } = this.#state.place;
    if (upTo <= first.baseRevision) return { updates: new TaskUpdates(this.#push.task), sequence: 0, agentSequence: 0 };
    const { updates, sequence, agentSequence } = await readTaskEvents(this.#deps, { first, newest, answers, upTo });
    return { updates, sequence, agentSequence };
  }

  async #deliverRun(
    first: RunRecord,
    run: RunRecord,
    { updates, from, answers }: { updates: TaskUpdates; from: RunPlace; answers: AnswerReader },
  ): Promise<void> {
    const { task } = this.#push;
    const onShown = (sequence: number) => this.#move({ ...this.#state.place, sequence, isBegun: true });
    const options = { task, run, updates, waits: false, answers, signal: this.#signal, onShown };
    for await (const update of updatesOf(this.#deps, options, from)) {
      // The place after the update before is stored.
      await this.#saving;
      if (!isChunk(update)) await this.#send(update, first, answers);
    }
    if (!this.#signal.aborted) this.#move({ ...this.#state.place, isBegun: true, isAtEnd: true });
    await this.#saving;
  }

  async #send(update: StreamResponse, first: RunRecord, answers: AnswerReader): Promise<void> {
    const { sender, counted } = this.#options;
    const { target, version, task } = this.#push;
    const asItStands = async () => {
      const newest = await newestRun(this.#deps, (await this.#deps.runJournal.get(first.runId)) ?? first);
      const events = await readTaskEvents(this.#deps, { first, newest, answers });
      return toTask(this.#deps, { first, newest }, events);
    };
    const notification = { update, version, task: asItStands };
    await sender.send(notification, target, payerOf(task.session), this.#signal);
    counted("delivered");
    this.#lastSentMs = this.#deps.clock.monotonic();
    const place = { ...this.#state.place, isBegun: true };
    this.#state = { place, failures: 0, failingSinceMs: undefined, isOver: false };
  }

  #end(): number {
    this.#state = { ...this.#state, isOver: true };
    return this.#deps.clock.now() + KEPT_AFTER_END_MS;
  }

  #move(place: PushPlace): void {
    this.#state = { ...this.#state, place };
    this.#save();
  }

  #save(untilMs?: number): void {
    const saving = this.#saving.then(async () => {
      if (!(await this.#options.store.put(this.#push, this.#state, untilMs))) this.#lost.abort();
    });
    // Whoever continues the delivery awaits it.
    saving.catch(() => undefined);
    this.#saving = saving;
  }

  /** Returns when the delivery is due again. */
  #afterFailure(error: unknown): number | undefined {
    const { clock, logger } = this.#deps;
    const nowMs = clock.now();
    if (this.#signal.aborted) return nowMs;
    if (error instanceof ReceiverPaused) return nowMs + error.delayMs * (1 + Math.random());
    const { taskId } = this.#push.task;
    if (!(error instanceof PushRefused)) {
      const { reason } = toPlatformError(error);
      if (reason === "RUN_NOT_FOUND" || reason === "SESSION_NOT_FOUND") return undefined;
      logger.warn({ error, taskId }, "push notifications delayed");
      return nowMs + OWN_FAILURE_MS;
    }
    const { failures: before, failingSinceMs = nowMs } = this.#state;
    const failures = before + 1;
    const isOver = error.isGone || isGivenUp(failingSinceMs, nowMs);
    this.#state = { ...this.#state, failures, failingSinceMs, isOver };
    this.#options.counted(isOver ? "given_up" : "failed");
    if (!isOver) return nowMs + Math.max(retryDelay(failures), error.delayMs ?? 0);
    const { host } = new URL(this.#push.target.url);
    logger.warn({ taskId, host, problem: error.message }, "receiver of push notifications given up");
    return nowMs + KEPT_AFTER_END_MS;
  }
}

/** Chunks are not stored, and the complete event replaces them. */
function isChunk({ payload }: StreamResponse): boolean {
  return payload?.$case === "artifactUpdate" && !payload.value.lastChunk;
}
