import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { isUnavailable, PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { sleep } from "#kit/platform/sleep.ts";
import {
  type EndEntry,
  type EventEntry,
  parseCursor,
  type RunCursor,
  type RunStreamEntry,
} from "#kit/runs/stream/run-stream.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { GatewayDeps } from "../deps.ts";

/** How a run ended. */
export type RunEnd = Pick<EndEntry, "status" | "error">;

/** An event on its way to a client; without a position when it was read from the store. */
export type RelayedEvent = Pick<EventEntry, "json" | "partial"> & Partial<Pick<EventEntry, "epoch" | "n">>;

/** Takes what a run emits. Calls are synchronous; `flush` may ask the relay to wait for a slow reader. */
export interface RelaySink {
  event(event: RelayedEvent): void;
  /** A new holder has taken the run up. */
  attempt?(attempt: number): void;
  /** Entries were lost; the durable ones follow, possibly repeating some that the client has seen. */
  resync?(): void;
  /** So much is gathered that it has to leave before more is read. */
  isFull?(): boolean;
  /** Called after each batch. */
  flush(): Promise<void> | undefined;
}

export interface RelayOptions {
  readonly run: Pick<RunRecord, "runId" | "session" | "status">;
  readonly after?: RunCursor;
  /** Aborted by the caller when the client is gone, and by the relay when it stops reading. */
  readonly controller: AbortController;
  readonly sink: RelaySink;
}

type RelayDeps = Pick<GatewayDeps, "runStream" | "runJournal" | "sessionService" | "artifactService" | "logger">;

// An end marker is published after the record is final; one that has not come by then is lost.
const SILENCE_CHECK_MS = 5_000;

// The stream of a run that has ended is kept for a while only: silence then soon means that it is gone.
const ENDED_RUN_CHECK_MS = 250;

// A run whose stream cannot be read is looked for in the store, less often the longer it takes.
const FIRST_STORE_CHECK_MS = 50;
const MAX_STORE_CHECK_MS = 1_000;

/** A reader that stalls in the stored events costs no more than this. */
const PAGE_CHARACTERS = 512 * 1024;

/** Reads the run's stream to its end into the sink. Undefined when the controller was aborted before that. */
export async function relayRun(deps: RelayDeps, options: RelayOptions): Promise<RunEnd | undefined> {
  return new RunRelay(deps, options).read();
}

/**
 * Throws `INVALID_CURSOR` for a cursor that the run's stream cannot have given out: of another run of the session, or from the future. One of
 * the right epoch that is too far on is only found out by the stream.
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

/** The error that a run's end means for whoever waited for it; undefined for an end that is an answer. */
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

class RunRelay {
  readonly #deps: RelayDeps;
  readonly #options: RelayOptions;
  /** Newest durable event that went to the sink. */
  #lastSequence = 0;
  /** False while the sink makes the relay wait: silence is then not the stream's. */
  #listening = true;
  #heard = false;
  /** Set when the record says that the run has ended and its stream says nothing. */
  #ended: RunRecord | undefined;
  /** The record went with its session. */
  #isDeleted = false;
  /** Whether the sink knows of a loss, and has got nothing from the stream since. */
  #lossTold = false;

  constructor(deps: RelayDeps, options: RelayOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async read(): Promise<RunEnd | undefined> {
    const { run, after, controller } = this.#options;
    const check = (): void => void this.#checkRecord();
    const timers = [setInterval(check, SILENCE_CHECK_MS).unref()];
    if (isTerminal(run.status)) timers.push(setTimeout(check, ENDED_RUN_CHECK_MS).unref());
    try {
      const batches = this.#deps.runStream.subscribe(run.runId, {
        signal: controller.signal,
        ...(after !== undefined && { after }),
      });
      try {
        for await (const batch of batches) {
          this.#heard = true;
          const end = await this.#relay(batch);
          if (end !== undefined) return end;
        }
      } catch (error) {
        return await this.#readStore(error);
      }
      if (this.#isDeleted) throw new RunNotFoundError(run.runId);
      if (this.#ended === undefined) return undefined;
      await this.#catchUp(this.#ended);
      await this.#flush();
      return endOf(this.#ended);
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  async #relay(batch: readonly RunStreamEntry[]): Promise<RunEnd | undefined> {
    const { sink } = this.#options;
    let end: RunEnd | undefined;
    for (let index = 0; index < batch.length; index++) {
      const entry = batch[index];
      if (entry?.kind === "event" && !this.#isCovered(entry)) {
        this.#lossTold = false;
        // Pieces never carry data large enough to have been moved out.
        if (!entry.partial && hasInlineReference(entry.json)) await this.#relayRestored(entry);
        else sink.event(entry);
      }
      if (entry?.kind === "attempt") sink.attempt?.(entry.attempt);
      if (entry?.kind === "end") end = entry;
      if (sink.isFull?.() === true) await this.#flush();
      if (entry?.kind !== "resync") continue;
      // The end may be among what was lost.
      end = await this.#catchUp();
      index = this.#lastCovered(batch, index);
    }
    await this.#flush();
    return end;
  }

  /** Whether the event has gone to the sink before, as part of what was read from the store. */
  #isCovered({ sequence }: EventEntry): boolean {
    if (sequence === undefined) return false;
    if (sequence <= this.#lastSequence) return true;
    this.#lastSequence = sequence;
    return false;
  }

  /** The event with its large data back in place; it leaves at once, so that only one such is in memory. */
  async #relayRestored(event: RelayedEvent): Promise<void> {
    const store = { artifacts: this.#deps.artifactService, session: this.#options.run.session };
    this.#options.sink.event({ ...event, json: await restoreEventJson(event.json, store) });
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const full = this.#options.sink.flush();
    if (full === undefined) return;
    this.#listening = false;
    await full;
    this.#listening = true;
  }

  /** Pieces of an event that has been read from the store whole must not follow it. */
  #lastCovered(batch: readonly RunStreamEntry[], from: number): number {
    const isCovered = (entry: RunStreamEntry): boolean =>
      entry.kind === "event" && entry.sequence !== undefined && entry.sequence <= this.#lastSequence;
    return Math.max(from, batch.findLastIndex(isCovered));
  }

  /** Without a stream: the run's durable events as the store gets them, until its record says that it has ended. */
  async #readStore(failure: unknown): Promise<RunEnd | undefined> {
    const { runJournal, logger } = this.#deps;
    const { run, controller, sink } = this.#options;
    if (!isUnavailable(failure)) throw failure;
    logger.warn({ error: failure, runId: run.runId }, "no stream of the run; its events are read from the store");
    sink.resync?.();
    for (let delayMs = FIRST_STORE_CHECK_MS; !controller.signal.aborted; delayMs *= 2) {
      const record = await runJournal.get(run.runId);
      // Deleted with its session.
      if (record === undefined) throw new RunNotFoundError(run.runId);
      await this.#relayStored(record);
      await this.#flush();
      const end = endOf(record);
      if (end !== undefined) return end;
      // Aborted when the client has left.
      await sleep(Math.min(delayMs, MAX_STORE_CHECK_MS), controller.signal).catch(() => {});
    }
    return undefined;
  }

  /** Brings the sink up to date from the store: the run's durable events that it has not been given, and the end if there is one. */
  async #catchUp(known?: RunRecord): Promise<RunEnd | undefined> {
    const { run, sink } = this.#options;
    const record = known ?? (await this.#deps.runJournal.get(run.runId));
    if (record === undefined) throw new RunNotFoundError(run.runId);
    if (!this.#lossTold) sink.resync?.();
    this.#lossTold = true;
    await this.#relayStored(record);
    return endOf(record);
  }

  async #relayStored(record: RunRecord): Promise<void> {
    const { sessionService } = this.#deps;
    const { sink } = this.#options;
    const afterRevision = Math.max(record.baseRevision, this.#lastSequence);
    let pageToken: string | undefined;
    do {
      const page = await sessionService.listEvents({
        ...record.session,
        afterRevision,
        maxCharacters: PAGE_CHARACTERS,
        ...(pageToken !== undefined && { pageToken }),
      });
      for (const { sequence, invocationId, author, json } of page.events) {
        this.#lastSequence = sequence;
        if (invocationId !== record.invocationId || author === USER_AUTHOR) continue;
        if (hasInlineReference(json)) await this.#relayRestored({ json, partial: false });
        else sink.event({ json, partial: false });
        if (sink.isFull?.() === true) await this.#flush();
      }
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
  }

  async #checkRecord(): Promise<void> {
    const isSilent = this.#listening && !this.#heard;
    this.#heard = false;
    if (!isSilent || this.#ended !== undefined) return;
    const { runJournal, logger } = this.#deps;
    const { run, controller } = this.#options;
    try {
      const record = await runJournal.get(run.runId);
      const hasEnded = record === undefined || isTerminal(record.status);
      if (!hasEnded || this.#heard || controller.signal.aborted) return;
      this.#ended = record;
      this.#isDeleted = record === undefined;
      controller.abort();
    } catch (error) {
      // The stream may still deliver; the next check asks again.
      logger.warn({ runId: run.runId, error }, "cannot read the record of a silent run");
    }
  }
}

function endOf({ status, error }: RunRecord): RunEnd | undefined {
  return isTerminal(status) ? { status, ...(error !== undefined && { error }) } : undefined;
}
