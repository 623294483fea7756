import type { RunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { apiPath, newKey, queryOf } from "./api-path.ts";
import {
  readInboxClaim,
  readInboxEntry,
  readInboxPage,
  readNothing,
  readRun,
  readRunPage,
  readWaitingCalls,
} from "./check-answer.ts";
import { toMessage } from "./event-parts.ts";
import type { HttpClient } from "./http-client.ts";
import { RunStream, type RunStreamOptions } from "./run-stream.ts";
import type {
  CallOptions,
  CreateOptions,
  InboxAnswer,
  InboxClaim,
  InboxEntry,
  InboxPage,
  RunData,
  RunInput,
  RunPage,
  WaitingCall,
} from "./wire-types.ts";

/** How `runs.start` starts a run. */
export interface StartOptions extends CreateOptions {
  /** Whether the run's stream has chunks of the model's answers; false by default. */
  readonly streaming?: boolean | undefined;
}

/** Which runs `runs.list` returns. */
export interface ListRunsOptions extends CallOptions {
  readonly appName?: string | undefined;
  readonly userId?: string | undefined;
  /** Runs of one session only; replaces `appName` and `userId`. */
  readonly session?: SessionKey | undefined;
  readonly status?: RunStatus | undefined;
  /**
   * Part of an id, of the user's message or of the error, at most 200 characters. One request then looks at the newest
   * 1,000 runs, so that its page can be short or empty; so it is with the next four.
   */
  readonly find?: string | undefined;
  /** Milliseconds since the epoch: runs recorded then or later. */
  readonly createdAfter?: number | undefined;
  /** Milliseconds since the epoch: runs recorded before. */
  readonly createdBefore?: number | undefined;
  /** Runs that have used as many tokens, or more. */
  readonly minTokens?: number | undefined;
  /** Runs that have cost as much or more, by the server's prices. */
  readonly minCostUsd?: number | undefined;
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

/** Whether `runs.cancel` waits for the end. */
export interface CancelOptions extends CallOptions {
  /** Resolves when the run has ended, at the latest after 30 seconds. */
  readonly wait?: boolean | undefined;
}

/** Runs, which outlive their requests. */
export interface RunCalls {
  /** Starts a run in the background. */
  start(input: RunInput, options?: StartOptions): Promise<RunData>;
  /** The events of a run from the beginning, or after a position. Nothing is requested before the first event is read. */
  stream(runId: string, options?: RunStreamOptions): RunStream;
  get(runId: string, options?: CallOptions): Promise<RunData>;
  list(options?: ListRunsOptions): Promise<RunPage>;
  /**
   * The calls that a run with the status `awaiting_input` waits for. All answers of a run are sent in the message of one
   * new run: `createAnswer` and `createConfirmation` make its parts.
   */
  listCalls(runId: string, options?: CallOptions): Promise<readonly WaitingCall[]>;
  /** Asks for the run's end. A run that has ended stays as it is. */
  cancel(runId: string, options?: CancelOptions): Promise<RunData>;
  /** Starts the request of the run again, as a new run. One that has not ended is cancelled first. */
  requeue(runId: string, options?: CreateOptions): Promise<RunData>;
}

export function createRunCalls(http: HttpClient): RunCalls {
  return {
    start: ({ session, newMessage, ...rest }, { signal, idempotencyKey = newKey(), streaming = false } = {}) => {
      const { appName, userId, id: sessionId } = session;
      const message = newMessage === undefined ? undefined : toMessage(newMessage);
      const body = { appName, userId, sessionId, newMessage: message, streaming, ...rest };
      const headers = { "idempotency-key": idempotencyKey };
      return http.send({ method: "POST", path: "/v1/runs", body, headers, signal }, readRun);
    },
    stream: (runId, options) => new RunStream(http, runId, options),
    get: async (runId, { signal } = {}) => http.get(apiPath`/v1/runs/${runId}`, signal, readRun),
    list: ({ signal, session, ...query } = {}) => {
      const owner = session && { appName: session.appName, userId: session.userId, sessionId: session.id };
      return http.send({ method: "GET", path: `/v1/runs${queryOf({ ...query, ...owner })}`, signal }, readRunPage);
    },
    listCalls: async (runId, { signal } = {}) => http.get(apiPath`/v1/runs/${runId}/calls`, signal, readWaitingCalls),
    cancel: async (runId, { signal, wait } = {}) => {
      const path = apiPath`/v1/runs/${runId}/cancel` + queryOf({ wait });
      return http.send({ method: "POST", path, signal }, readRun);
    },
    requeue: async (runId, { signal, idempotencyKey = newKey() } = {}) => {
      const headers = { "idempotency-key": idempotencyKey };
      return http.send({ method: "POST", path: apiPath`/v1/runs/${runId}/requeue`, headers, signal }, readRun);
    },
  };
}

/** Which entries `inbox.list` returns. */
export interface ListInboxOptions extends CallOptions {
  readonly appName?: string | undefined;
  readonly userId?: string | undefined;
  /** 20 if absent, 50 at most. */
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

/** Whether `inbox.claim` replaces the claim of somebody else. */
export interface ClaimInboxOptions extends CallOptions {
  /** False if absent. */
  readonly takeOver?: boolean | undefined;
}

/**
 * Questions of agents to people, over all sessions that the caller may see.
 *
 * @example
 * ```ts
 * import { createClient } from "fairlead/client";
 *
 * const client = createClient({ baseUrl: "http://localhost:8000" });
 * for (const { id, questions } of (await client.inbox.list()).entries) {
 *   console.log(questions.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`));
 *   await client.inbox.answer(id, { confirmed: true });
 * }
 * ```
 */
export interface InboxCalls {
  list(options?: ListInboxOptions): Promise<InboxPage>;
  /** All questions of a run, whole. */
  get(runId: string, options?: CallOptions): Promise<InboxEntry>;
  /**
   * Starts the run with the answers. One answer counts: the same one again gets its run, and another one is refused with
   * `NOT_WAITING`, as one is with `CLAIMED` while somebody else has the entry.
   */
  answer(runId: string, answer: InboxAnswer, options?: CallOptions): Promise<RunData>;
  /** Tells others for 15 minutes that the caller works on an answer. Rejects with `CLAIMED` if somebody else does. */
  claim(runId: string, options?: ClaimInboxOptions): Promise<InboxClaim>;
  /** Ends the caller's claim. */
  release(runId: string, options?: CallOptions): Promise<void>;
}

const entryPath = (runId: string) => apiPath`/v1/inbox/${runId}`;

export function createInboxCalls(http: HttpClient): InboxCalls {
  return {
    list: ({ signal, ...query } = {}) => http.get(`/v1/inbox${queryOf(query)}`, signal, readInboxPage),
    get: async (runId, { signal } = {}) => http.get(entryPath(runId), signal, readInboxEntry),
    answer: async (runId, body, { signal } = {}) =>
      http.send({ method: "POST", path: entryPath(runId), body, signal }, readRun),
    claim: async (runId, { signal, takeOver } = {}) =>
      http.send({ method: "POST", path: `${entryPath(runId)}/claim`, body: { takeOver }, signal }, readInboxClaim),
    release: async (runId, { signal } = {}) =>
      http.send({ method: "DELETE", path: `${entryPath(runId)}/claim`, signal }, readNothing),
  };
}
