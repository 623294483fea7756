import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from "@a2a-js/sdk";
import { USER_PREFIX } from "#kit/a2a/conversion/metadata-keys.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { isIdentifier } from "#kit/names/identifiers.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import type { ListRunsRequest } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { callerOf } from "../identity/authenticator.ts";
import { isContinuation, newestRun } from "../runs/newest-run.ts";
import { answersOf } from "../streams/answers-of.ts";
import { stateOf } from "./protocol.ts";
import type { A2aCall } from "./start-task.ts";
import { lengthOf, malformed } from "./task-errors.ts";
import { statusTime } from "./task-status.ts";
import { readTaskEvents, toTask, usesAdk } from "./task-view.ts";

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;
/** Runs of one window. Their statuses change, so no index has their order; a later window has runs that began earlier. */
const WINDOW_RUNS = 1000;
const WINDOW_PAGE = 200;
const WINDOW_CHARACTERS = 1024 * 1024;

interface Listed {
  readonly first: RunRecord;
  readonly newest: RunRecord;
}

/**
 * The caller's tasks of the app, those with the newest status first: of the newest thousand runs, then of the thousand
 * before them.
 */
export async function listTasks(deps: RouteDeps, call: A2aCall, params: ListTasksRequest): Promise<ListTasksResponse> {
  const { pageSize = DEFAULT_PAGE_SIZE, includeArtifacts = false, historyLength = 0 } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE)
    throw malformed(`\`pageSize\` should be a whole number from 1 to ${MAX_PAGE_SIZE}.`);
  lengthOf(historyLength);
  const place = readToken(params.pageToken);
  const window = await readWindow(deps, toListRequest(call, params), place.window);
  const { nextWindow } = window;
  const found = await toListed(deps, window, isWanted(params));
  const rest = found.filter((listed) => place.after === undefined || isOlder(listed, place.after));
  const page = rest.slice(0, pageSize);
  const answers = answersOf(deps, call.request);
  const tasks: Task[] = [];
  const form = { historyLength, hasArtifacts: includeArtifacts, isAdk: usesAdk(call.request) };
  for (const listed of page) {
    const hasContent = includeArtifacts || historyLength > 0;
    const events = hasContent ? await readTaskEvents(deps, { ...listed, answers }) : { artifacts: [], history: [] };
    tasks.push(await toTask(deps, listed, events, form));
  }
  const last = page.at(-1);
  const after = last === undefined || rest.length <= pageSize ? undefined : keyOf(last);
  const next = after === undefined ? nextWindow && { window: nextWindow } : { window: place.window, after };
  return { tasks, nextPageToken: next ? writeToken(next) : "", pageSize, totalSize: found.length };
}

function toListRequest({ appName, request }: A2aCall, { contextId }: ListTasksRequest): ListRunsRequest {
  const { userId } = callerOf(request);
  const page = { pageSize: WINDOW_PAGE, maxCharacters: WINDOW_CHARACTERS };
  if (contextId !== "" && !isIdentifier(contextId)) throw malformed("`contextId` should be a valid identifier.");
  if (contextId !== "" && userId !== undefined) return { ...page, session: { appName, userId, id: contextId } };
  // Contexts of callers without a name belong to a user of their own.
  if (contextId !== "") return { ...page, session: { appName, userId: USER_PREFIX + contextId, id: contextId } };
  return { ...page, appName, userId };
}

interface RunWindow {
  /** Those that begin a task. */
  readonly runs: readonly RunRecord[];
  readonly others: readonly RunRecord[];
  readonly nextWindow: string | undefined;
}

async function readWindow(
  { runJournal }: RouteDeps,
  request: ListRunsRequest,
  from: string | undefined,
): Promise<RunWindow> {
  const runs: RunRecord[] = [];
  const others: RunRecord[] = [];
  let pageToken = from;
  do {
    const page = await runJournal.list({ ...request, pageToken });
    // Only what a list shows is kept: messages may be long.
    for (const run of page.runs) (isContinuation(run) ? others : runs).push({ ...run, request: {} });
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && runs.length + others.length < WINDOW_RUNS);
  return { runs, others, nextWindow: pageToken };
}

async function toListed(
  deps: RouteDeps,
  { runs, others }: RunWindow,
  isWanted: (listed: Listed) => boolean,
): Promise<readonly Listed[]> {
  const known = new Map(others.map((run) => [run.runId, run]));
  const runJournal = { get: async (runId: string) => known.get(runId) ?? deps.runJournal.get(runId) };
  const listed: Listed[] = [];
  for (const first of runs) {
    const newest = await newestRun({ runJournal }, first).catch(unlessDeleted);
    if (newest !== undefined) listed.push({ first, newest });
  }
  return listed.filter(isWanted).toSorted(newestFirst);
}

/** A task whose answers are deleted, because they are old, before its first run: the next pass deletes that too. */
function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof RunNotFoundError)) throw error;
}

function isWanted({ status, statusTimestampAfter }: ListTasksRequest): (listed: Listed) => boolean {
  const since = statusTimestampAfter === undefined ? undefined : fromIsoTime(statusTimestampAfter);
  if (statusTimestampAfter !== undefined && since === undefined)
    throw malformed("`statusTimestampAfter` should be a time such as 2026-01-31T12:00:00Z.");
  // What a task waits for is only in its events: both states are answered for one that waits.
  const state = status === TaskState.TASK_STATE_AUTH_REQUIRED ? TaskState.TASK_STATE_INPUT_REQUIRED : status;
  return ({ newest }) =>
    (state <= TaskState.TASK_STATE_UNSPECIFIED || stateOf(newest) === state) &&
    (since === undefined || statusTime(newest) > since);
}

type SortKey = readonly [number, string];

function keyOf({ first, newest }: Listed): SortKey {
  return [statusTime(newest), first.runId];
}

function newestFirst(one: Listed, other: Listed): number {
  const [time, id] = keyOf(one);
  const [otherTime, otherId] = keyOf(other);
  if (time !== otherTime) return otherTime - time;
  return id < otherId ? 1 : -1;
}

function isOlder(listed: Listed, [time, id]: SortKey): boolean {
  const [ownTime, ownId] = keyOf(listed);
  return ownTime < time || (ownTime === time && ownId < id);
}

interface ListPlace {
  readonly window: string | undefined;
  readonly after?: SortKey | undefined;
}

function writeToken(place: ListPlace): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

function readToken(token: string): ListPlace {
  if (token === "") return { window: undefined };
  try {
    const { window, after } = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    const isKey = Array.isArray(after) && typeof after[0] === "number" && typeof after[1] === "string";
    if ((window === undefined || typeof window === "string") && (after === undefined || isKey))
      return { window, after };
  } catch {
    // Answered below, like a token of another form.
  }
  throw malformed("`pageToken` is not one that this operation returned.");
}
