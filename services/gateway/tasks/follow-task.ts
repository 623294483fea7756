import { type StreamResponse, TaskState } from "@a2a-js/sdk";
import { restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { Event } from "#kit/events/event.ts";
import { eventFromJson } from "#kit/events/event-json.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { CursorPosition } from "#ports/runs/run-stream.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import { type RelayedEvent, relayRun } from "../streams/relay-run.ts";
import { ChunkReader } from "./chunk-reader.ts";
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
  /** Called with the sequence of a stored event when the reader asks for what follows its updates. */
  readonly onShown?: (sequence: number) => void;
  readonly chunks?: ChunkSink | undefined;
}

/**
 * Takes the chunks that no earlier update waits for, past the generator's reader: a step for each chunk costs more than the
 * chunk itself.
 */
export interface ChunkSink {
  /** Whether the reader has begun to write updates. */
  readonly isOpen: boolean;
  update(update: StreamResponse): void;
  /** Called after each batch. A promise asks to wait for a slow reader. */
  flush(): Promise<void> | undefined;
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
 * The updates of a task, from any replica, to its end. A task is one run, and one more for each answer of its client. It
 * reads no further than its reader asks.
 */
export async function* followTask(
  deps: RouteDeps,
  options: FollowOptions,
  from: RunPlace = FROM_ITS_BEGINNING,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { task, updates, waits, signal } = options;
  let place = from;
  for (let run: RunRecord | undefined = options.run; run !== undefined && !signal.aborted; ) {
    const { runId } = run;
    if (place.isAtEnd !== true) yield* followRun(deps, options, run, place);
    if (signal.aborted) return;
    const ended = await deps.runJournal.get(runId);
    if (ended === undefined) throw new RunNotFoundError(runId);
    const status = await statusOf(deps, task, ended);
    if (place.isAtEnd !== true) yield updates.status(status, { [CURSOR_EXTENSION]: { cursor: `${ended.epoch}.end` } });
    if (!WAITING.has(status.state) || !waits) return;
    run = await answerTo(deps, ended, signal);
    place = FROM_ITS_BEGINNING;
  }
}

const FROM_ITS_BEGINNING: RunPlace = { shown: { sequence: 0, agentSequence: 0 }, isBegun: false };
const WAITING: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_INPUT_REQUIRED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
]);

type Entry = { readonly kind: "event"; readonly event: RelayedEvent } | { readonly kind: "attempt" };

/** The updates of one run, without its end. */
async function* followRun(
  deps: RouteDeps,
  { updates, answers, signal, chunks, onShown }: FollowOptions,
  run: RunRecord,
  { shown, isBegun, after }: RunPlace,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { session, baseRevision } = run;
  // Where the stream is lost, stored events are relayed: all of the task, and so also events of the run that answered this one.
  const { baseRevision: endRevision = Number.POSITIVE_INFINITY } = (await nextRun(deps, run)) ?? {};
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener("abort", abort, { once: true });
  const entries = new Handoff<Entry>();
  const reader = new ChunkReader();
  // Chunks of an event that the client has come before it.
  let isPast = shown.agentSequence <= baseRevision;
  let isWorking = isBegun;
  const shownOf = ({ epoch, n, sequence = 0 }: RelayedEvent, event: Event): Iterable<StreamResponse> => {
    const cursor = epoch === undefined ? undefined : `${epoch}.${n}`;
    const isShown = after !== undefined && epoch !== undefined && !isAfter({ epoch, n: n ?? 0 }, after);
    // What follows depends on all updates, also on those that the client has.
    const all = [...updates.updates(event, sequence, cursor)];
    return isShown ? [] : all;
  };
  const relaying = relayRun(deps, {
    run,
    controller,
    answers,
    sink: {
      event: (event) => {
        if (chunks?.isOpen !== true || !event.partial || !isPast || !isWorking || !entries.isAwaited)
          return entries.push({ kind: "event", event });
        for (const update of shownOf(event, reader.read(event.json))) chunks.update(update);
      },
      attempt: () => entries.push({ kind: "attempt" }),
      flush: () => {
        // The chunks came before the entries.
        const written = chunks?.flush();
        const taken = entries.flush();
        return written === undefined ? taken : written.then(() => taken);
      },
    },
  });
  relaying.then(
    () => entries.end(),
    (error: unknown) => entries.fail(error),
  );
  const working = () => {
    isWorking = true;
    const timestamp = toIsoTime(run.startedTime ?? run.createdTime);
    return updates.status({ state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp });
  };
  try {
    if (!isWorking && run.status === "running") yield working();
    for await (const entry of entries.read()) {
      if (!isWorking) yield working();
      if (entry.kind === "attempt") {
        updates.restart();
        continue;
      }
      const { json, partial, sequence = 0 } = entry.event;
      if (sequence > endRevision) continue;
      if (!partial && sequence <= shown.sequence) {
        isPast ||= sequence >= shown.agentSequence;
        continue;
      }
      if (!isPast && partial) continue;
      isPast = true;
      const event = eventFromJson(await restoreEventJson(json, { artifacts: deps.artifactService, session }));
      yield* shownOf(entry.event, event);
      if (!partial) onShown?.(sequence);
    }
  } finally {
    signal.removeEventListener("abort", abort);
    controller.abort();
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
