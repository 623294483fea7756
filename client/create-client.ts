import type { Event } from "#kit/events/event.ts";
import type { TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { apiPath } from "./api-path.ts";
import { type ArtifactCalls, createArtifactCalls } from "./artifact-calls.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./back-off.ts";
import { listOf, readNothing, readString } from "./check-answer.ts";
import { textOf } from "./event-parts.ts";
import { invalidArgument } from "./fairlead-error.ts";
import { type HeaderMap, HttpClient } from "./http-client.ts";
import { LiveCall, type LiveOptions } from "./live-call.ts";
import { createInboxCalls, createRunCalls, type InboxCalls, type RunCalls } from "./run-calls.ts";
import type { RunStream } from "./run-stream.ts";
import { createSessionCalls, type SessionCalls } from "./session-calls.ts";
import type { CallOptions, CreateOptions, RunInput, WaitingCall } from "./wire-types.ts";

/** Where the server is, and how requests to it are sent and repeated. */
export interface ClientOptions {
  /** Address of the server, with or without a path: `https://agents.example.com`. In a page it may be relative. */
  readonly baseUrl: string;
  /** Headers of every request, or a function that returns them before each attempt, for tokens that expire. */
  readonly headers?: HeaderMap | (() => HeaderMap | Promise<HeaderMap>) | undefined;
  /** Replaces the global `fetch`, for example to send cookies to another origin. */
  readonly fetch?: typeof fetch | undefined;
  /** How failed requests and lost streams are repeated. Missing members have their defaults. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Longest wait for an answer, and for the head of a stream; 60,000 ms by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * After this time without a byte a stream counts as lost. 45,000 ms by default: three times the server's heartbeat.
   */
  readonly silenceMs?: number | undefined;
  /** Largest answer, and largest event of a stream, in bytes; 64 MiB by default. */
  readonly maxAnswerBytes?: number | undefined;
}

/** What a whole run has answered. */
export interface RunAnswer {
  readonly runId: string;
  readonly status: TerminalRunStatus;
  /** The run's complete events, in order. */
  readonly events: readonly Event[];
  /** The text of the last event that has some; empty if none has. */
  readonly text: string;
  /** The calls that wait for the user if the status is `awaiting_input`. */
  readonly waitingCalls: readonly WaitingCall[];
}

/** A server's API. Every method rejects with a `FairleadError`, or with the reason of its signal. */
export interface FairleadClient {
  readonly apps: {
    /** Names of the loaded apps. */
    list(options?: CallOptions): Promise<readonly string[]>;
  };
  readonly sessions: SessionCalls;
  readonly runs: RunCalls;
  readonly inbox: InboxCalls;
  readonly artifacts: ArtifactCalls;
  readonly memory: {
    /** Adds the session to its user's memory, which agents search. */
    addSession(session: SessionKey, options?: CallOptions): Promise<void>;
  };
  /** Starts a run and resolves with its whole answer. A lost connection is opened again; the run starts once. */
  run(input: RunInput, options?: CreateOptions): Promise<RunAnswer>;
  /**
   * Starts a run whose answer is streamed, and resolves when it has started. The run starts once, even if the first
   * answer is lost. The signal also ends the stream; the run itself ends with `runs.cancel`.
   */
  stream(input: RunInput, options?: CreateOptions): Promise<RunStream>;
  /** A conversation over a WebSocket. The connection is opened when the call is read. */
  live(session: SessionKey, options?: LiveOptions): LiveCall;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_SILENCE_MS = 45_000;
const DEFAULT_MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Creates a client for a server. It has no connection and no state of its own, and needs no closing. Throws
 * `INVALID_FIELD` for an option that cannot work.
 */
export function createClient(options: ClientOptions): FairleadClient {
  const http = toHttpClient(options);
  const runs = createRunCalls(http);
  const start = async (input: RunInput, streaming: boolean, { signal, idempotencyKey }: CreateOptions) => {
    const { runId } = await runs.start(input, { signal, idempotencyKey, streaming });
    return runs.stream(runId, { signal });
  };
  return {
    apps: {
      list: ({ signal } = {}) => http.get("/list-apps", signal, listOf("The list of apps", readString)),
    },
    sessions: createSessionCalls(http),
    runs,
    inbox: createInboxCalls(http),
    artifacts: createArtifactCalls(http),
    memory: {
      addSession: ({ appName, userId, id }, { signal } = {}) => {
        const path = apiPath`/apps/${appName}/users/${userId}/memory`;
        return http.send({ method: "PATCH", path, body: { sessionId: id }, signal, once: true }, readNothing);
      },
    },
    stream: (input, callOptions = {}) => start(input, true, callOptions),
    live: (session, liveOptions) => new LiveCall(http, session, liveOptions),
    run: async (input, callOptions = {}) => {
      const stream = await start(input, false, callOptions);
      const events: Event[] = [];
      for await (const event of stream) if (event.partial !== true) events.push(event);
      const { runId, status = "failed" } = stream;
      const waitingCalls = status === "awaiting_input" ? await runs.listCalls(runId, callOptions) : [];
      return { runId, status, events, text: events.map(textOf).findLast((text) => text !== "") ?? "", waitingCalls };
    },
  };
}

/** Sends the requests of a client with these options. Throws `INVALID_FIELD` for an option that cannot work. */
export function toHttpClient(options: ClientOptions): HttpClient {
  const { headers = {} } = options;
  return new HttpClient({
    baseUrl: toBaseUrl(options.baseUrl),
    headers: typeof headers === "function" ? headers : () => headers,
    // A browser's `fetch` must not be called as a method of another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    retry: toRetry(options.retry ?? {}),
    timeoutMs: positive("timeoutMs", options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    silenceMs: positive("silenceMs", options.silenceMs ?? DEFAULT_SILENCE_MS),
    maxAnswerBytes: positive("maxAnswerBytes", options.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES),
  });
}

// Exists in browsers only.
declare const location: { readonly href: string } | undefined;

function toBaseUrl(given: string): string {
  const page = typeof location === "undefined" ? undefined : location.href;
  const url = URL.canParse(given, page) ? new URL(given, page) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidArgument("INVALID_FIELD", `baseUrl: ${JSON.stringify(given)} is not an http or https address.`);
  let { pathname } = url;
  while (pathname.endsWith("/")) pathname = pathname.slice(0, -1);
  return url.origin + pathname;
}

function toRetry(given: Partial<RetryPolicy>): RetryPolicy {
  const maxAttempts = positive("retry.maxAttempts", given.maxAttempts ?? DEFAULT_RETRY.maxAttempts);
  const baseDelayMs = positive("retry.baseDelayMs", given.baseDelayMs ?? DEFAULT_RETRY.baseDelayMs);
  const maxDelayMs = positive("retry.maxDelayMs", given.maxDelayMs ?? DEFAULT_RETRY.maxDelayMs);
  return { maxAttempts, baseDelayMs, maxDelayMs };
}

/** The longest delay of a timer: a longer one would fire immediately. */
const MAX_NUMBER = 2 ** 31 - 1;

function positive(name: string, value: number): number {
  if (value > 0 && value <= MAX_NUMBER) return value;
  throw invalidArgument("INVALID_FIELD", `${name}: ${value} is not a number from 1 to ${MAX_NUMBER}.`);
}
