import type { Event } from "#kit/events/event.ts";
import type { TerminalRunStatus } from "#kit/sessions/run-record.ts";
import { apiPath } from "./api-path.ts";
import { pause } from "./back-off.ts";
import { isObject, readEvent, readTerminalStatus } from "./check-answer.ts";
import { openEventStream } from "./event-stream.ts";
import { connectionLost, FairleadError, isTransient } from "./fairlead-error.ts";
import type { HttpClient } from "./http-client.ts";
import { isCode, parseJson } from "./read-body.ts";
import type { SseMessage } from "./sse-parser.ts";
import type { RunUpdate } from "./wire-types.ts";

/** Where a stream begins, and what ends the reading of it. */
export interface RunStreamOptions {
  /** A `position` of a stream of this run: what came before it is not sent again. */
  readonly after?: string | undefined;
  /** Ends the reading; the loop then throws the signal's reason. The run continues. */
  readonly signal?: AbortSignal | undefined;
}

/** Most ids of complete events that are remembered, to recognise those that the server repeats. */
const MAX_REMEMBERED_EVENTS = 100_000;

/**
 * The events of one run, chunks included: `for await (const event of stream)`. `updates()` also reports void chunks,
 * lost connections and the end.
 *
 * A lost connection is opened again from the last position, so that no event is lost or repeated. The loop throws a
 * `FairleadError` when the run has failed, was cancelled or timed out, when the server refuses the request, and when it
 * stays unreachable for `retry.maxAttempts` attempts in a row. A loop that is left closes the connection, and not the
 * run; the next loop over the same stream continues where it was left.
 */
export class RunStream implements AsyncIterable<Event> {
  readonly runId: string;
  readonly #http: HttpClient;
  readonly #signal: AbortSignal | undefined;
  readonly #path: string;
  /** Ids of complete events that were passed on. */
  readonly #seen = new Set<string>();
  #position: string | undefined;
  /** Whether the position comes from this stream, so that a refusal is not the fault of the caller. */
  #isOwnPosition = false;
  #status: TerminalRunStatus | undefined;
  /** The error in the last frame. If an `end` frame follows, the run has failed; otherwise the stream has. */
  #failure: FairleadError | undefined;
  /** Attempts in a row without progress. */
  #failures = 0;
  /** The pause that the server asked for. */
  #askedMs: number | undefined;
  /** Whether the connection has sent a new event. */
  #hasProgress = false;
  #isBeingRead = false;

  constructor(http: HttpClient, runId: string, { after, signal }: RunStreamOptions = {}) {
    this.#http = http;
    this.runId = runId;
    this.#position = after;
    this.#signal = signal;
    this.#path = apiPath`/v1/runs/${runId}/stream`;
  }

  /** How the run has ended; undefined until the stream has reported it. */
  get status(): TerminalRunStatus | undefined {
    return this.#status;
  }

  /** The position after the newest event, for `after`; undefined before the first one. */
  get position(): string | undefined {
    return this.#position;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for await (const update of this.updates()) if (update.kind === "event") yield update.event;
  }

  /** The events with what concerns their chunks and the connection. One loop at a time may read a stream. */
  async *updates(): AsyncGenerator<RunUpdate, void, undefined> {
    if (this.#isBeingRead)
      throw new Error("Another loop reads this stream. Open one for each with runs.stream(runId).");
    this.#isBeingRead = true;
    try {
      this.#failures = 0;
      while (this.#status === undefined) {
        let lost: FairleadError;
        try {
          yield* this.#readConnection();
          if (this.#status !== undefined) return;
          lost = connectionLost();
        } catch (error) {
          const isOver = this.#status !== undefined || this.#signal?.aborted === true;
          const isRefused = !isOver && this.#isRefusedPosition(error);
          if (isOver || !(isRefused || isTransient(error))) throw error;
          if (isRefused) yield* this.#startOver();
          // Both kinds are errors of this client.
          lost = error as FairleadError;
        }
        this.#failures += 1;
        if (this.#failures >= this.#http.settings.retry.maxAttempts) throw lost;
        const delayMs = this.#http.delayMs(this.#failures, lost.retryAfterMs ?? this.#askedMs);
        yield { kind: "reconnecting", failures: this.#failures, delayMs, error: lost };
        await pause(delayMs, this.#signal);
      }
    } finally {
      this.#isBeingRead = false;
    }
  }

  /** Reads until the server ends the connection. Throws the error that its last frame was. */
  async *#readConnection(): AsyncGenerator<RunUpdate, void, undefined> {
    this.#failure = undefined;
    this.#hasProgress = false;
    let isFirst = true;
    for await (const { messages, retryMs } of openEventStream(this.#http, this.#request())) {
      this.#askedMs = retryMs;
      for (const message of messages) yield* this.#read(message);
      // Counts as progress: a new event, or a comment after the first frame. A broken server could send anything else
      // at each attempt.
      if (this.#hasProgress || (messages.length === 0 && !isFirst)) this.#failures = 0;
      isFirst = false;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #request() {
    const headers: Record<string, string> = this.#position === undefined ? {} : { "last-event-id": this.#position };
    return { method: "GET", path: this.#path, headers, signal: this.#signal } as const;
  }

  /** The server may have lost its stream, for example by a restart. Stored events are recognised by their ids. */
  #isRefusedPosition(error: unknown): boolean {
    return this.#isOwnPosition && error instanceof FairleadError && error.reason === "INVALID_CURSOR";
  }

  *#startOver(): Generator<RunUpdate, void, undefined> {
    this.#position = undefined;
    this.#isOwnPosition = false;
    yield { kind: "reset" };
  }

  *#read({ event: name, data, id }: SseMessage): Generator<RunUpdate, void, undefined> {
    switch (name) {
      case "message":
        yield* this.#readEvent(parseJson(data, "An event of the stream"), id);
        return;
      case "attempt":
      case "resync":
        yield { kind: "reset" };
        return;
      case "end":
        this.#status = readTerminalStatus(parseJson(data, "The end of the stream"));
        yield { kind: "end", status: this.#status };
        if (this.#failure !== undefined) throw this.#failure;
        return;
      default:
      // Later versions of the server may have more.
    }
  }

  *#readEvent(json: unknown, id: string): Generator<RunUpdate, void, undefined> {
    this.#failure = failureOf(json, this.runId);
    if (this.#failure !== undefined) return;
    const event = readEvent(json);
    if (id !== "") {
      this.#position = id;
      this.#isOwnPosition = true;
    }
    if (this.#seen.has(event.id)) return;
    if (event.partial !== true) this.#remember(event.id);
    this.#hasProgress = true;
    yield { kind: "event", event };
  }

  #remember(id: string): void {
    this.#seen.add(id);
    if (this.#seen.size <= MAX_REMEMBERED_EVENTS) return;
    for (const oldest of this.#seen) {
      this.#seen.delete(oldest);
      return;
    }
  }
}

/** The error that the server sends in place of an event: of the run, or of the stream. */
function failureOf(json: unknown, runId: string): FairleadError | undefined {
  if (!isObject(json) || typeof json["error"] !== "string" || json["author"] !== undefined) return undefined;
  const { error_type: type, code } = isObject(json["error_details"]) ? json["error_details"] : {};
  return new FairleadError(json["error"], {
    code: isCode(code) ? code : "UNKNOWN",
    reason: typeof type === "string" ? type : "RUN_FAILED",
    details: { runId },
  });
}
