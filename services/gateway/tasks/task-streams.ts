import { Role, type SendMessageRequest, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import { type CursorPosition, parseCursor } from "#ports/runs/run-stream.ts";
import type { RouteDeps } from "../deps.ts";
import { callerOf } from "../identity/authenticator.ts";
import { newestRun } from "../runs/newest-run.ts";
import { answersOf } from "../streams/answers-of.ts";
import { endWithClient } from "./await-run.ts";
import { findTask, nextRun } from "./find-task.ts";
import { type FollowOptions, followTask, type RunPlace, updatesOf } from "./follow-task.ts";
import { type A2aCall, startTask } from "./start-task.ts";
import { lengthOf } from "./task-errors.ts";
import { messageOf, TaskUpdates } from "./task-updates.ts";
import { adkMetadata, nameOf, readTaskEvents, toTask, usesAdk } from "./task-view.ts";

type Stream = AsyncGenerator<StreamResponse, void, undefined>;

/** The task of a message, and its updates until it ends or waits for input. */
export async function* sendStream(deps: RouteDeps, call: A2aCall, params: SendMessageRequest): Stream {
  const historyLength = lengthOf(params.configuration?.historyLength);
  const { userId = "" } = callerOf(call.request);
  await deps.streamSlots.take({ appName: call.appName, userId }, call.reply);
  const { first, run } = await startTask(deps, call, params, true);
  const controller = new AbortController();
  endWithClient(deps, call.reply, run, controller);
  const answers = answersOf(deps, call.request);
  const place = { task: nameOf(first), run, waits: false, answers, signal: controller.signal };
  if (first.runId !== run.runId) {
    const events = await readTaskEvents(deps, { first, newest: run, answers, upTo: run.baseRevision });
    const task = await toTask(deps, { first, newest: run }, events, { historyLength, isAdk: usesAdk(call.request) });
    yield { payload: { $case: "task", value: { ...task, status: submitted(run) } } };
    return yield* rest(deps, call, { ...place, updates: events.updates }, { shown: events, isBegun: false });
  }
  // A message that is sent again gets the same updates.
  const { messageId = "", parts = [] } = params.message ?? {};
  const history = historyLength === 0 ? [] : [messageOf(place.task, { messageId, role: Role.ROLE_USER, parts })];
  const metadata = usesAdk(call.request) ? adkMetadata(first.session) : undefined;
  const task = {
    id: first.runId,
    contextId: first.session.id,
    status: submitted(run),
    artifacts: [],
    history,
    metadata,
  };
  yield { payload: { $case: "task", value: task } };
  yield* rest(deps, call, { ...place, updates: new TaskUpdates(place.task) });
}

/**
 * The task as it stands, and its updates from there, also those that follow the answers to its questions. A client that
 * names its last position gets the task without its content, and all updates after the position.
 */
export async function* subscribe(deps: RouteDeps, call: A2aCall, taskId: string): Stream {
  const first = await findTask(deps, call.appName, taskId);
  const newest = await newestRun(deps, first);
  const { "last-event-id": cursor } = call.request.headers;
  const answers = answersOf(deps, call.request);
  const place =
    typeof cursor === "string" && cursor !== ""
      ? await placeOf(deps, first, cursor)
      : { run: newest, after: undefined, isAtEnd: false };
  const isOver = isTerminal(newest.status) && newest.status !== "awaiting_input";
  if (isOver && (place.after === undefined || (place.isAtEnd && place.run.runId === newest.runId)))
    throw new UnsupportedOperationError("The task has ended: it has no more updates.");
  await deps.streamSlots.take(first.session, call.reply);
  const controller = new AbortController();
  call.reply.raw.once("close", () => controller.abort());
  const { run, after, isAtEnd } = place;
  const upTo = after === undefined ? undefined : run.baseRevision;
  const events = await readTaskEvents(deps, { first, newest, answers, upTo });
  const content = after === undefined ? events : { artifacts: [], history: [] };
  const task = await toTask(deps, { first, newest }, content, { isAdk: usesAdk(call.request) });
  yield { payload: { $case: "task", value: task } };
  const isBegun = task.status?.state !== TaskState.TASK_STATE_SUBMITTED || after !== undefined;
  const signal = controller.signal;
  const { updates } = events;
  const options = { task: nameOf(first), run, updates, waits: true, answers, signal };
  yield* rest(deps, call, options, { shown: events, isBegun, after, isAtEnd });
}

/** What follows the first update. A sink takes it past the generator, whose steps cost more than the updates. */
async function* rest(deps: RouteDeps, { sink }: A2aCall, options: FollowOptions, from?: RunPlace): Stream {
  if (sink === undefined) yield* updatesOf(deps, options, from);
  else await followTask(deps, options, sink, from);
}

interface Place {
  readonly run: RunRecord;
  readonly after: CursorPosition | undefined;
  /** Whether the client has the run's last status. */
  readonly isAtEnd: boolean;
}

/** The run of the task whose stream has the position. Throws `INVALID_CURSOR`. */
async function placeOf(deps: RouteDeps, first: RunRecord, cursor: string): Promise<Place> {
  const epoch = /^(\d{1,15})\.end$/.exec(cursor)?.[1];
  const isAtEnd = epoch !== undefined;
  const after = isAtEnd ? { epoch: Number(epoch), n: Number.MAX_SAFE_INTEGER } : parseCursor(cursor);
  for (let run: RunRecord | undefined = first; run !== undefined; run = await nextRun(deps, run))
    if (after.epoch <= run.epoch && after.epoch > run.epoch - run.attempts) return { run, after, isAtEnd };
  throw new PlatformError("INVALID_CURSOR", `Cursor ${cursor} is not of this task's stream.`, { details: { cursor } });
}

/** Each stream of a message begins with the same status, so that all clients that send it see the same. */
function submitted({ createdTime }: RunRecord): Task["status"] {
  return { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: toIsoTime(createdTime) };
}
