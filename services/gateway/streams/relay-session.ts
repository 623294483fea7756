import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { isUnavailable } from "#kit/errors/platform-error.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { type EndEntry, type EventEntry, formatCursor, type RunStreamEntry } from "#kit/runs/stream/run-stream.ts";
import type { JournalHead, RunningRun } from "#kit/sessions/journal-head.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { GatewayDeps } from "../deps.ts";
import { formatSessionCursor, type SessionPosition } from "./session-cursor.ts";

/** Takes what a session's runs emit. Calls are synchronous; `flush` may ask the relay to wait for a slow reader. */
export interface SessionSink {
  /** An event, complete or a piece, and the cursor behind it. */
  event(json: string, cursor: string): void;
  /** A run is followed from here on, or has ended. */
  run(run: Pick<RunRecord, "runId" | "status">): void;
  attempt(attempt: number): void;
  /** Pieces after the last complete event are void; those that are still to be had follow. */
  resync(): void;
  /** So much is gathered that it has to leave before more is read. */
  isFull(): boolean;
  /** Called after each batch. */
  flush(): Promise<void> | undefined;
}

export interface SessionRelayOptions {
  readonly session: SessionKey;
  readonly after: SessionPosition;
  readonly sink: SessionSink;
}

export type RelayDeps = Pick<GatewayDeps, "runStream" | "runJournal" | "sessionService" | "artifactService" | "logger">;

// An end marker is published after the record is final; one that has not come by then is lost.
const SILENCE_CHECK_MS = 5_000;

/** A reader that stalls in the stored events costs no more than this. */
const PAGE_CHARACTERS = 512 * 1024;

// Between two looks at a run whose stream cannot be read.
const BROKEN_STREAM_PAUSE_MS = 500;

/**
 * Reads all of a session's runs, one after another, into the sink.
 *
 * The store has the order, and the stream of the run that is under way what is not stored yet. A complete event leaves only after all
 * those before it: what a run does not publish, such as messages and changes from outside, is fetched in between.
 */
export class SessionRelay {
  readonly #deps: RelayDeps;
  readonly #options: SessionRelayOptions;
  /** Newest event that went to the sink. */
  #sequence: number;
  /** The last entry of a run's stream that went to the sink, or that the client came with. */
  #position: SessionPosition["run"];
  /** The run that was followed last. */
  #runId: string | undefined;
  /** Pieces are left out until the complete event of this sequence has passed: they belong to it, and the client has it. */
  #skipUntil = 0;
  /** Of the run that is followed. */
  #leaving: AbortController | undefined;
  #isLeft = false;

  constructor(deps: RelayDeps, options: SessionRelayOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#sequence = options.after.sequence;
    this.#position = options.after.run;
  }

  /** Sequence of the newest event that went to the sink. */
  get revision(): number {
    return this.#sequence;
  }

  /** Brings the sink to where the session stands, and follows the run that is under way to its end. Answers whether there was one. */
  async show({ revision, run }: JournalHead): Promise<boolean> {
    this.#skipUntil = 0;
    if (revision > this.#sequence) await this.#catchUp(run);
    if (run === undefined || this.#isLeft) return false;
    this.#leaving = new AbortController();
    await this.#follow(run, this.#leaving.signal);
    this.#leaving = undefined;
    await this.#options.sink.flush();
    return true;
  }

  /** Ends what is under way: nobody reads any more. */
  leave(): void {
    this.#isLeft = true;
    this.#leaving?.abort();
  }

  /** Brings the sink up to date from the store. */
  async #catchUp(run: Pick<RunningRun, "invocationId"> | undefined, until = Number.MAX_SAFE_INTEGER): Promise<void> {
    const { session, sink } = this.#options;
    const { sessionService, artifactService } = this.#deps;
    const inlineData = { artifacts: artifactService, session };
    let pageToken: string | undefined;
    do {
      const page = await sessionService.listEvents({
        ...session,
        afterRevision: this.#sequence,
        maxCharacters: PAGE_CHARACTERS,
        ...(pageToken !== undefined && { pageToken }),
      });
      for (const { sequence, invocationId, author, json } of page.events) {
        if (sequence > until) return;
        this.#sequence = sequence;
        if (run?.invocationId === invocationId && author !== USER_AUTHOR) this.#skipUntil = sequence;
        const restored = hasInlineReference(json) ? await restoreEventJson(json, inlineData) : json;
        sink.event(restored, formatSessionCursor({ sequence }));
        if (sink.isFull()) await sink.flush();
      }
      pageToken = page.nextPageToken;
      await sink.flush();
    } while (pageToken !== undefined);
  }

  /** Reads the run's stream to its end. */
  async #follow(run: RunningRun, signal: AbortSignal): Promise<void> {
    const { sink } = this.#options;
    const after = await this.#startIn(run);
    await sink.flush();
    const controller = new AbortController();
    const leave = (): void => controller.abort();
    signal.addEventListener("abort", leave, { once: true });
    const silence = this.#watchSilence(run, controller);
    try {
      const options = { signal: controller.signal, ...(after !== undefined && { after }) };
      for await (const batch of this.#deps.runStream.subscribe(run.runId, options)) {
        silence.refresh();
        const end = await this.#relay(run, batch);
        if (end === undefined) continue;
        sink.run({ runId: run.runId, status: end.status });
        return;
      }
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#deps.logger.warn({ error, runId: run.runId }, "no stream of the run; its events are read from the store");
    } finally {
      clearInterval(silence);
      signal.removeEventListener("abort", leave);
    }
    await this.#readEnd(run, signal);
  }

  /** The cursor from which the run's stream is read: the last position, when it is one of this run, and else its beginning. */
  async #startIn(run: RunningRun): Promise<string | undefined> {
    const { sink, after } = this.#options;
    const { runId, epoch, attempts, baseRevision } = run;
    const at = this.#position;
    const isFollowed = this.#runId === runId;
    const isFirst = this.#runId === undefined;
    const isOfThisRun = at !== undefined && (isFollowed || (at.epoch <= epoch && at.epoch > epoch - attempts));
    if (isFollowed) return isOfThisRun ? formatCursor(at) : undefined;
    this.#runId = runId;
    this.#position = isOfThisRun ? at : undefined;
    sink.run({ runId, status: "running" });
    if (isOfThisRun) return formatCursor(at);
    if (after.sequence > baseRevision) await this.#findCovered(run, after.sequence);
    // The client may have pieces of this run from before, all of which come again.
    if (isFirst && at !== undefined) sink.resync();
    return undefined;
  }

  /** Finds the newest event of the run that the client had when it came. */
  async #findCovered({ invocationId, baseRevision }: RunningRun, had: number): Promise<void> {
    const { session } = this.#options;
    let afterRevision = baseRevision;
    while (afterRevision < had) {
      const { events } = await this.#deps.sessionService.listEvents({
        ...{ ...session, afterRevision },
        maxCharacters: PAGE_CHARACTERS,
      });
      const last = events.at(-1);
      if (last === undefined) return;
      for (const { sequence, invocationId: id, author } of events) {
        if (sequence <= had && id === invocationId && author !== USER_AUTHOR)
          this.#skipUntil = Math.max(this.#skipUntil, sequence);
      }
      afterRevision = last.sequence;
    }
  }

  /** Ends the reading of a run that has ended without its stream saying so. */
  #watchSilence({ runId }: RunningRun, controller: AbortController): NodeJS.Timeout {
    const { runJournal, logger } = this.#deps;
    const check = async (): Promise<void> => {
      try {
        const record = await runJournal.get(runId);
        if (record === undefined || isTerminal(record.status)) controller.abort();
      } catch (error) {
        // The stream may still deliver; the next check asks again.
        logger.warn({ runId, error }, "cannot read the record of a silent run");
      }
    };
    return setInterval(() => void check(), SILENCE_CHECK_MS).unref();
  }

  /** A run whose stream was left without its end: tells its end when the record has one, and else waits before the next look. */
  async #readEnd(run: RunningRun, signal: AbortSignal): Promise<void> {
    const { sink } = this.#options;
    if (signal.aborted) return;
    const record = await this.#deps.runJournal.get(run.runId);
    await this.#catchUp(record);
    if (record !== undefined && isTerminal(record.status)) sink.run(record);
    // Aborted when the client has left.
    else await sleep(BROKEN_STREAM_PAUSE_MS, signal).catch(() => {});
  }

  async #relay(run: RunningRun, batch: readonly RunStreamEntry[]): Promise<EndEntry | undefined> {
    const { sink } = this.#options;
    let end: EndEntry | undefined;
    for (const entry of batch) {
      switch (entry.kind) {
        case "event":
          await this.#relayEvent(entry);
          break;
        case "attempt":
          sink.attempt(entry.attempt);
          break;
        case "resync":
          sink.resync();
          await this.#catchUp(run);
          break;
        case "end":
          end = entry;
          break;
        default:
          entry satisfies never;
      }
      if (entry.kind !== "resync") this.#position = { epoch: entry.epoch, n: entry.n };
      if (sink.isFull()) await sink.flush();
    }
    await sink.flush();
    return end;
  }

  async #relayEvent({ json, sequence, epoch, n }: EventEntry): Promise<void> {
    const { session, sink } = this.#options;
    const run = { epoch, n };
    if (sequence === undefined) {
      if (this.#skipUntil === 0) sink.event(json, formatSessionCursor({ sequence: this.#sequence, run }));
      return;
    }
    if (sequence >= this.#skipUntil) this.#skipUntil = 0;
    if (sequence <= this.#sequence) return;
    if (sequence > this.#sequence + 1) await this.#catchUp(undefined, sequence - 1);
    this.#sequence = sequence;
    const inlineData = { artifacts: this.#deps.artifactService, session };
    const restored = hasInlineReference(json) ? await restoreEventJson(json, inlineData) : json;
    sink.event(restored, formatSessionCursor({ sequence, run }));
  }
}
