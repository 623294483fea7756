import { restoredPieces } from "#kit/artifacts/inline-data.ts";
import type { JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { isOfClient, USER_AUTHOR } from "#kit/events/event.ts";
import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { type EventEntry, parseCursor, type RunCursor, type RunStreamEntry } from "#ports/runs/run-stream.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { GatewayDeps } from "../deps.ts";
import { endOf, followRun, type RunEnd } from "./follow-run.ts";
import type { Pausable } from "./paced-response.ts";
import { StoredEventReader } from "./stored-events.ts";

/** An event for a client. It has no position if it was read from the store. */
export type RelayedEvent = Pick<EventEntry, "json" | "partial"> & Partial<Pick<EventEntry, "epoch" | "n" | "sequence">>;

/** Takes what a run emits. Calls are synchronous; `flush` may ask the relay to wait for a slow reader. */
export interface RelaySink {
  event(event: RelayedEvent): void;
  /**
   * An event that is long or refers to stored data, in parts; its reader may have to be waited for. Absent if the sink
   * takes such events as they are.
   */
  pieces?(event: RelayedEvent, pieces: readonly JsonPiece[]): Promise<void>;
  /** What is read ahead for the sink's reader. */
  readonly ahead?: Set<Pausable>;
  /** Another runner has recovered the run. */
  attempt?(attempt: number): void;
  /** Entries were lost. The durable events follow, and may repeat some that the client has. */
  resync?(): void;
  /** Whether the sink must be flushed before it takes more. */
  isFull?(): boolean;
  /** Called after each batch. */
  flush(): Promise<void> | undefined;
  /** Called instead after a batch of chunks: the run seldom emits more in the same turn of the event loop. */
  flushAlone?(): Promise<void> | undefined;
}

export interface RelayOptions {
  readonly run: Pick<RunRecord, "runId" | "session" | "status" | "streamKey"> & Partial<Pick<RunRecord, "request">>;
  readonly after?: RunCursor | undefined;
  /** The sequence of the newest stored event that the sink has. */
  readonly afterSequence?: number | undefined;
  /** Aborted by the caller when the client has left, and by the relay when it stops reading. */
  readonly controller: AbortController;
  readonly sink: RelaySink;
  readonly answers: AnswerReader;
}

export type RelayDeps = Pick<GatewayDeps, "runStream" | "runJournal" | "sessionService" | "artifactService" | "logger">;

/** Pauses between two reads of the store while the stream cannot be read; each is twice the one before. */
const FIRST_STORE_CHECK_MS = 50;
const MAX_STORE_CHECK_MS = 1_000;

/** A longer event is written without a copy of it. */
export const LONG_CHARACTERS = 64 * 1024;

/** Relays the run to its end into the sink. Returns undefined if the controller was aborted before that. */
export async function relayRun(deps: RelayDeps, options: RelayOptions): Promise<RunEnd | undefined> {
  return new RunRelay(deps, options).read();
}

/**
 * Throws `INVALID_CURSOR` for a cursor that this run's stream cannot have issued: one of another run of the session, or
 * of a later attempt. A cursor of the right epoch that is too far ahead is only detected by the stream.
 */
export function checkRunCursor(cursor: RunCursor, { epoch, attempts }: RunRecord): void {
  const at = parseCursor(cursor);
  if (at.epoch <= epoch && at.epoch > epoch - attempts) return;
  throw new PlatformError(
    "INVALID_CURSOR",
    `Cursor ${cursor} is not of this run's stream. Use one that this stream returned.`,
    { details: { cursor } },
  );
}

/** The error for a caller that waited for the run; undefined if the run ended with an answer. */
export function runFailure({ status, error }: RunEnd): PlatformError | undefined {
  switch (status) {
    case "succeeded":
    case "awaiting_input":
      return undefined;
    case "cancelled":
      return new PlatformError("RUN_CANCELLED", error?.message ?? "The run was cancelled.");
    case "interrupted":
      return new PlatformError("RUN_INTERRUPTED", error?.message ?? "The run was interrupted before it ended.");
    case "timed_out":
      return new PlatformError("RUN_TIMED_OUT", error?.message ?? "The run took longer than its limit.");
    case "failed":
      return new PlatformError(knownReason(error?.reason), error?.message ?? "The agent failed.");
    default:
      return status satisfies never;
  }
}

function knownReason(reason: string | undefined): ErrorReason {
  // Own keys of the table are exactly the reasons.
  return reason !== undefined && Object.hasOwn(ERROR_REASONS, reason) ? (reason as ErrorReason) : "RUN_FAILED";
}

/**
 * Relays one run: the entries of its stream and, where the stream lost entries or cannot be read, the run's stored
 * events.
 *
 * The relay follows the stream (`followRun`, which owns the subscription and the check of silent streams). A resync
 * entry makes it catch up from the store and then continue with the stream. It ends with the end in the stream; with
 * the end in the record, after a last catch-up; by polling the store until the record has an end, if the stream is
 * unavailable; or without an end, when the client has left.
 */
export class RunRelay {
  readonly #deps: RelayDeps;
  readonly #options: RelayOptions;
  /** Sequence of the newest durable event that the sink has. */
  #sequence = 0;
  /** `resynced`: the sink was notified of lost entries, and has got none of the stream since. */
  #state: { readonly kind: "live" | "resynced" } = LIVE;

  constructor(deps: RelayDeps, options: RelayOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#sequence = options.afterSequence ?? 0;
  }

  /** Relays entries of the run in their order; one call at a time. Returns the run's end if they contain it. */
  readonly relay = (batch: readonly RunStreamEntry[]): Promise<RunEnd | undefined> | undefined =>
    batch.every(isChunk) ? this.#relayChunks(batch) : this.#relay(batch);

  async read(): Promise<RunEnd | undefined> {
    const { run, after, controller } = this.#options;
    const outcome = await followRun(this.#deps, { run, after, controller, relay: this.relay });
    switch (outcome.kind) {
      case "end":
        return outcome.end;
      case "ended":
        await this.#catchUp(outcome.record);
        await this.#options.sink.flush();
        return endOf(outcome.record);
      case "deleted":
        throw new RunNotFoundError(run.runId);
      case "unavailable":
        return this.#pollStore();
      case "aborted":
        return undefined;
      default:
        return outcome satisfies never;
    }
  }

  /** Most batches of a stream are chunks, which need nothing of the store. Returns a promise only for a slow reader. */
  #relayChunks(batch: readonly EventEntry[]): Promise<undefined> | undefined {
    const { sink } = this.#options;
    this.#state = LIVE;
    for (const entry of batch) sink.event(entry);
    const flushed = sink.flushAlone === undefined ? sink.flush() : sink.flushAlone();
    return flushed?.then(() => undefined);
  }

  async #relay(batch: readonly RunStreamEntry[]): Promise<RunEnd | undefined> {
    const { sink } = this.#options;
    let end: RunEnd | undefined;
    for (let index = 0; index < batch.length; index++) {
      const entry = batch[index];
      if (entry?.kind === "event" && !this.#isCovered(entry)) {
        this.#state = LIVE;
        // Partial events never contain data that is large enough to be stored apart.
        const relayed = entry.partial ? sink.event(entry) : this.#relayComplete(entry);
        if (relayed !== undefined) await relayed;
      }
      if (entry?.kind === "attempt") sink.attempt?.(entry.attempt);
      if (entry?.kind === "end") end = entry;
      if (sink.isFull?.() === true) await sink.flush();
      if (entry?.kind !== "resync") continue;
      // The end may be among the lost entries.
      end = await this.#catchUp(await this.#readRecord());
      index = this.#lastCovered(batch, index);
    }
    await sink.flush();
    return end;
  }

  /** Whether the sink has the event from the store. */
  #isCovered({ sequence }: EventEntry): boolean {
    if (sequence === undefined) return false;
    if (sequence <= this.#sequence) return true;
    this.#sequence = sequence;
    return false;
  }

  /** Index of the last entry that the catch-up covers: partial events of a complete one must not follow it. */
  #lastCovered(batch: readonly RunStreamEntry[], from: number): number {
    const isCovered = (entry: RunStreamEntry): boolean =>
      entry.kind === "event" && entry.sequence !== undefined && entry.sequence <= this.#sequence;
    return Math.max(from, batch.findLastIndex(isCovered));
  }

  /** Without a stream: relays the run's durable events as they are stored, until its record has an end. */
  async #pollStore(): Promise<RunEnd | undefined> {
    const { controller, sink } = this.#options;
    sink.resync?.();
    for (let delayMs = FIRST_STORE_CHECK_MS; !controller.signal.aborted; delayMs *= 2) {
      const record = await this.#readRecord();
      await this.#relayStored(record);
      await sink.flush();
      const end = endOf(record);
      if (end !== undefined) return end;
      // Aborted when the client has left.
      await sleep(Math.min(delayMs, MAX_STORE_CHECK_MS), controller.signal).catch(() => {});
    }
    return undefined;
  }

  /** Throws `RUN_NOT_FOUND` if the run was deleted with its session. */
  async #readRecord(): Promise<RunRecord> {
    const { runId } = this.#options.run;
    const record = await this.#deps.runJournal.get(runId);
    if (record === undefined) throw new RunNotFoundError(runId);
    return record;
  }

  /** Passes the sink the durable events that it lacks, and returns the end if the record has one. */
  async #catchUp(record: RunRecord): Promise<RunEnd | undefined> {
    if (this.#state.kind === "live") this.#options.sink.resync?.();
    this.#state = RESYNCED;
    await this.#relayStored(record);
    return endOf(record);
  }

  async #relayStored({ session, baseRevision, invocationId }: RunRecord): Promise<void> {
    const { sink, answers } = this.#options;
    const afterRevision = Math.max(baseRevision, this.#sequence);
    using reader = new StoredEventReader({ ...this.#deps, answers }, { session, afterRevision });
    sink.ahead?.add(reader);
    while (await reader.load()) {
      for (let event = reader.next(); event !== undefined; event = reader.next()) {
        const { sequence, invocationId: id, json } = event;
        this.#sequence = sequence;
        if (id !== invocationId || this.#isOfClient(event)) continue;
        await this.#relayComplete({ json, sequence, partial: false });
        if (sink.isFull?.() === true) await sink.flush();
      }
    }
    sink.ahead?.delete(reader);
  }

  /** In a live run, the transcripts of the user are news to the client. */
  #isOfClient(event: StoredEvent): boolean {
    if (event.author !== USER_AUTHOR) return false;
    return this.#options.run.request?.live === undefined || isOfClient(fromEventRecord(event));
  }

  /** Returns a promise only for an event that is long or has stored data. */
  #relayComplete(event: RelayedEvent): Promise<void> | undefined {
    const { sink, run } = this.#options;
    const store = { artifacts: this.#deps.artifactService, session: run.session };
    const pieces = sink.pieces === undefined ? undefined : restoredPieces(event.json, store);
    if (pieces !== undefined) return pieces.then((restored) => sink.pieces?.(event, restored));
    if (sink.pieces !== undefined && event.json.length >= LONG_CHARACTERS) return sink.pieces(event, [event.json]);
    sink.event(event);
    return undefined;
  }
}

function isChunk(entry: RunStreamEntry): entry is EventEntry {
  return entry.kind === "event" && entry.partial;
}

const LIVE = { kind: "live" } as const;
const RESYNCED = { kind: "resynced" } as const;
