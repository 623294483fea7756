import { type StreamResponse, TaskState } from "@a2a-js/sdk";
import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { fromRecordJson } from "#kit/events/event-record.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { CursorPosition } from "#ports/runs/run-stream.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import type { RunEnd } from "../streams/follow-run.ts";
import type { Pausable } from "../streams/paced-response.ts";
import { type RelayedEvent, type RelaySink, relayRun } from "../streams/relay-run.ts";
import { ChunkTexts } from "./chunk-texts.ts";
import { nextRun } from "./find-task.ts";
import { Handoff } from "./handoff.ts";
import { CURSOR_EXTENSION } from "./protocol.ts";
import { statusOf } from "./task-status.ts";
import type { TaskName, TaskUpdates } from "./task-updates.ts";

export interface FollowOptions {
  readonly task: TaskName;
  /** The client gets the updates of this run and of those after it. */
  readonly run: RunRecord;
  readonly updates: TaskUpdates;
  /** Whether to wait for the answer to a task that needs input, and to go on with it. */
  readonly waits: boolean;
  readonly answers: AnswerReader;
  readonly signal: AbortSignal;
}

/** Takes the updates of a task. Calls are synchronous; `flush` may ask to wait for a slow reader. */
export interface UpdateSink {
  update(update: StreamResponse): void;
  /** Takes an update as its JSON, and the position after it. Absent if the sink needs all updates as objects. */
  json?(json: string, cursor: string): void;
  /** The stored event with this sequence has no more updates. */
  shown?(sequence: number): void;
  /** Called after each batch. */
  flush(): Promise<void> | undefined;
  /** Called instead after a batch of chunks. */
  flushAlone?(): Promise<void> | undefined;
  /** Whether the sink must be flushed before it takes more. */
  isFull?(): boolean;
  /** Data that is read ahead for the sink's reader. */
  readonly ahead?: Set<Pausable> | undefined;
}

/** The part of the first run that the client has already. */
export interface RunPlace {
  /** Sequences of the newest event that the client has, of all and of this run's agent; 0 for none. */
  readonly shown: { readonly sequence: number; readonly agentSequence: number };
  /** Whether the client has a status that the run's work set. */
  readonly isBegun: boolean;
  /** The position of the last update that the client has. */
  readonly after?: CursorPosition | undefined;
  /** Whether the client has the run's last status. */
  readonly isAtEnd?: boolean;
}

/** A notification that the task's session changed may be lost. */
const CHECK_MS = 5_000;

/**
 * Passes the sink the updates of a task, from any replica, to its end. A task is one run, and one more for each answer of
 * its client.
 */
export async function followTask(
  deps: RouteDeps,
  options: FollowOptions,
  sink: UpdateSink,
  from: RunPlace = FROM_ITS_BEGINNING,
): Promise<void> {
  const { task, updates, waits, signal } = options;
  let place = from;
  for (let run: RunRecord | undefined = options.run; run !== undefined && !signal.aborted; ) {
    const { runId } = run;
    const end = place.isAtEnd === true ? undefined : await followRun(deps, { ...options, run }, sink, place);
    if (signal.aborted) return;
    const ended = endedRun(run, end) ?? (await deps.runJournal.get(runId));
    if (ended === undefined) throw new RunNotFoundError(runId);
    const status = await statusOf(deps, task, ended);
    if (place.isAtEnd !== true)
      sink.update(updates.status(status, { [CURSOR_EXTENSION]: { cursor: `${ended.epoch}.end` } }));
    await sink.flush();
    if (!WAITING.has(status.state) || !waits) return;
    run = await answerTo(deps, ended, signal);
    place = FROM_ITS_BEGINNING;
  }
}

/** The same for a reader that asks for each update. Its return ends the following. */
export async function* updatesOf(
  deps: RouteDeps,
  { onShown, ...options }: FollowOptions & { readonly onShown?: (sequence: number) => void },
  from?: RunPlace,
): AsyncGenerator<StreamResponse, void, undefined> {
  const gone = new AbortController();
  const signal = AbortSignal.any([options.signal, gone.signal]);
  const items = new Handoff<StreamResponse | number>();
  const sink: UpdateSink = {
    update: (update) => items.push(update),
    shown: (sequence) => items.push(sequence),
    flush: () => items.flush(),
  };
  followTask(deps, { ...options, signal }, sink, from).then(
    () => items.end(),
    (error: unknown) => items.fail(error),
  );
  try {
    for await (const item of items.read())
      if (typeof item === "number") onShown?.(item);
      else yield item;
  } finally {
    gone.abort();
  }
}

const FROM_ITS_BEGINNING: RunPlace = { shown: { sequence: 0, agentSequence: 0 }, isBegun: false };
const WAITING: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_INPUT_REQUIRED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
]);

/** The record that the stream's last entry describes; undefined if only the journal has it. */
function endedRun(run: RunRecord, end: RunEnd | undefined): RunRecord | undefined {
  if (end?.time === undefined || end.epoch === undefined || end.status === "awaiting_input") return undefined;
  return { ...run, status: end.status, error: end.error, finishedTime: end.time, epoch: end.epoch };
}

/** Passes the updates of one run, without its end, which is returned if the stream has it. */
async function followRun(
  deps: RouteDeps,
  { updates, answers, signal, run }: FollowOptions,
  sink: UpdateSink,
  { shown, isBegun, after }: RunPlace,
): Promise<RunEnd | undefined> {
  const { session, baseRevision } = run;
  // Where the stream is lost, stored events are relayed: all of the task, and so also events of the run that answered this one.
  const answer = run.answeredBy === undefined ? undefined : await nextRun(deps, run);
  const endRevision = answer?.baseRevision ?? Number.POSITIVE_INFINITY;
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener("abort", abort, { once: true });
  const texts = new ChunkTexts();
  // Chunks of an event that the client has come before it.
  let isPast = shown.agentSequence <= baseRevision;
  let isWorking = isBegun;
  /** An event whose stored data has to be read first. */
  let late: RelayedEvent | undefined;
  let failure: { readonly error: unknown } | undefined;
  const work = (): void => {
    if (isWorking) return;
    isWorking = true;
    const timestamp = toIsoTime(run.startedTime ?? run.createdTime);
    sink.update(updates.status({ state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp }));
  };
  const isNew = ({ partial, sequence = 0 }: RelayedEvent): boolean => {
    if (sequence > endRevision) return false;
    if (partial) return isPast;
    if (sequence > shown.sequence) isPast = true;
    else isPast ||= sequence >= shown.agentSequence;
    return sequence > shown.sequence;
  };
  const show = (event: RelayedEvent, json: string): void => {
    work();
    if (!isNew(event)) return;
    const { epoch, n = 0, partial, sequence = 0 } = event;
    const cursor = epoch === undefined ? undefined : (`${epoch}.${n}` as const);
    const isShown = after !== undefined && epoch !== undefined && !isAfter({ epoch, n }, after);
    if (!partial) texts.forget();
    else if (sink.json !== undefined && cursor !== undefined && !isShown) {
      const text = texts.textOf(json, cursor);
      if (text !== undefined) return sink.json(text, cursor);
    }
    // What follows depends on all updates, also on those that the client has.
    for (const update of updates.updates(fromRecordJson(json), sequence, cursor)) {
      if (partial) texts.learn(json, update);
      if (!isShown) sink.update(update);
    }
    if (!partial) sink.shown?.(sequence);
  };
  const showLate = async (event: RelayedEvent): Promise<void> => {
    late = undefined;
    try {
      show(event, await restoreEventJson(event.json, { artifacts: deps.artifactService, session }));
    } catch (error) {
      // The relay would continue without the event if the store is unavailable.
      failure = { error };
      return abort();
    }
    await sink.flush();
  };
  const relayed: RelaySink = {
    ...(sink.ahead === undefined ? {} : { ahead: sink.ahead }),
    event: (event) => {
      if (!event.partial && hasInlineReference(event.json)) late = event;
      else show(event, event.json);
    },
    attempt: () => {
      work();
      texts.forget();
      updates.restart();
    },
    isFull: () => late !== undefined || sink.isFull?.() === true,
    flush: () => (late === undefined ? sink.flush() : showLate(late)),
    flushAlone: () => (sink.flushAlone === undefined ? sink.flush() : sink.flushAlone()),
  };
  try {
    if (run.status === "running") work();
    await sink.flush();
    if (signal.aborted) return undefined;
    const end = await relayRun(deps, { run, controller, answers, sink: relayed });
    if (failure !== undefined) throw failure.error;
    return end;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function isAfter(position: CursorPosition, other: CursorPosition): boolean {
  return position.epoch > other.epoch || (position.epoch === other.epoch && position.n > other.n);
}

/** The run that answers this one, when it has begun; undefined if the reader has left before. */
async function answerTo(deps: RouteDeps, run: RunRecord, signal: AbortSignal): Promise<RunRecord | undefined> {
  let changed = Promise.withResolvers<void>();
  using _ = deps.runStream.watch(run.session, () => changed.resolve());
  while (!signal.aborted) {
    changed = Promise.withResolvers();
    const record = await deps.runJournal.get(run.runId);
    if (record === undefined) throw new RunNotFoundError(run.runId);
    const next = await nextRun(deps, record);
    if (next !== undefined) return next;
    const timer = new AbortController();
    const stop = () => timer.abort();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([changed.promise, sleep(CHECK_MS, timer.signal).catch(() => {})]);
    signal.removeEventListener("abort", stop);
    timer.abort();
  }
  return undefined;
}
