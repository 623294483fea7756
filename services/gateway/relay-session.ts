import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { type EndEntry, type EventEntry, formatCursor, type RunStreamEntry } from "#kit/runner/run-stream.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { GatewayDeps } from "./deps.ts";
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
  /** Aborted by the caller when the client is gone. */
  readonly signal: AbortSignal;
  readonly sink: SessionSink;
}

type RelayDeps = Pick<GatewayDeps, "runStream" | "runJournal" | "sessionService" | "artifactService" | "logger">;

// Whoever begins a run tells: this is for what was told while nobody could hear it.
const STORE_CHECK_MS = 10_000;

// An end marker is published after the record is final; one that has not come by then is lost.
const SILENCE_CHECK_MS = 5_000;

// Between two looks at a run whose stream cannot be read.
const BROKEN_STREAM_PAUSE_MS = 500;

/** Reads all of a session's runs, one after another, into the sink, until the signal aborts. Throws `SESSION_NOT_FOUND` when it is deleted. */
export async function relaySession(deps: RelayDeps, options: SessionRelayOptions): Promise<void> {
  await new SessionRelay(deps, options).read();
}

/**
 * The store has the order, and the stream of the run that is under way what is not stored yet. A complete event leaves only after all
 * those before it: what a run does not publish, such as messages and changes from outside, is fetched in between.
 */
class SessionRelay {
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
  #hasChanged = true;
  #wake: (() => void) | undefined;

  constructor(deps: RelayDeps, options: SessionRelayOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#sequence = options.after.sequence;
    this.#position = options.after.run;
  }

  async read(): Promise<void> {
    const { session, signal } = this.#options;
    const change = (): void => this.#change();
    using _watching = this.#deps.runStream.watch(session, change);
    const timer = setInterval(change, STORE_CHECK_MS).unref();
    signal.addEventListener("abort", change, { once: true });
    try {
      while (!signal.aborted) {
        this.#hasChanged = false;
        this.#skipUntil = 0;
        const run = await this.#activeRun();
        await this.#catchUp(run);
        await this.#options.sink.flush();
        if (run !== undefined) await this.#follow(run);
        else if (!this.#hasChanged) await this.#nextChange();
      }
    } finally {
      clearInterval(timer);
      signal.removeEventListener("abort", change);
    }
  }

  #change(): void {
    this.#hasChanged = true;
    this.#wake?.();
    this.#wake = undefined;
  }

  #nextChange(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  async #activeRun(): Promise<RunRecord | undefined> {
    const { session } = this.#options;
    const { runs } = await this.#deps.runJournal.list({ session, statuses: ["running"], pageSize: 1 });
    return runs[0];
  }

  /** Brings the sink up to date from the store. */
  async #catchUp(run: RunRecord | undefined, until = Number.MAX_SAFE_INTEGER): Promise<void> {
    const { session, sink } = this.#options;
    const { sessionService, artifactService } = this.#deps;
    const inlineData = { artifacts: artifactService, session };
    let pageToken: string | undefined;
    do {
      const page = await sessionService.listEvents({
        ...session,
        afterRevision: this.#sequence,
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
  async #follow(run: RunRecord): Promise<void> {
    const { sink, signal } = this.#options;
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
      if (!(error instanceof PlatformError && error.code === "UNAVAILABLE")) throw error;
      this.#deps.logger.warn({ error, runId: run.runId }, "no stream of the run; its events are read from the store");
    } finally {
      clearInterval(silence);
      signal.removeEventListener("abort", leave);
    }
    await this.#readEnd(run);
  }

  /** The cursor from which the run's stream is read: the last position, when it is one of this run, and else its beginning. */
  async #startIn(run: RunRecord): Promise<string | undefined> {
    const { sink, after } = this.#options;
    const { runId, epoch, attempts, baseRevision } = run;
    const at = this.#position;
    const isFollowed = this.#runId === runId;
    const isFirst = this.#runId === undefined;
    const isOfThisRun = at !== undefined && (isFollowed || (at.epoch <= epoch && at.epoch > epoch - attempts));
    if (isFollowed) return isOfThisRun ? formatCursor(at) : undefined;
    this.#runId = runId;
    this.#position = isOfThisRun ? at : undefined;
    sink.run(run);
    if (isOfThisRun) return formatCursor(at);
    if (after.sequence > baseRevision) await this.#findCovered(run, after.sequence);
    // The client may have pieces of this run from before, all of which come again.
    if (isFirst && at !== undefined) sink.resync();
    return undefined;
  }

  /** Finds the newest event of the run that the client had when it came. */
  async #findCovered({ invocationId, baseRevision }: RunRecord, had: number): Promise<void> {
    const { session } = this.#options;
    let afterRevision = baseRevision;
    while (afterRevision < had) {
      const { events } = await this.#deps.sessionService.listEvents({ ...session, afterRevision });
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
  #watchSilence({ runId }: RunRecord, controller: AbortController): NodeJS.Timeout {
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
  async #readEnd(run: RunRecord): Promise<void> {
    const { sink, signal } = this.#options;
    if (signal.aborted) return;
    const record = await this.#deps.runJournal.get(run.runId);
    await this.#catchUp(record);
    if (record !== undefined && isTerminal(record.status)) sink.run(record);
    // Aborted when the client has left.
    else await sleep(BROKEN_STREAM_PAUSE_MS, signal).catch(() => {});
  }

  async #relay(run: RunRecord, batch: readonly RunStreamEntry[]): Promise<EndEntry | undefined> {
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
    const { sink, session } = this.#options;
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

/** Throws `SESSION_NOT_FOUND`, and `INVALID_CURSOR` for a cursor ahead of the session or of its run. */
export async function checkSessionPosition(
  { sessionService, runJournal }: Pick<GatewayDeps, "sessionService" | "runJournal">,
  key: SessionKey,
  position: SessionPosition,
): Promise<void> {
  const session = await sessionService.getSession(key, { numRecentEvents: 0 });
  if (session === undefined) throw new SessionNotFoundError(key);
  if (position.sequence > session.revision) throw cursorAhead(position);
  if (position.run === undefined) return;
  const { runs } = await runJournal.list({ session: key, statuses: ["running"], pageSize: 1 });
  const epoch = runs[0]?.epoch;
  if (epoch !== undefined && position.run.epoch > epoch) throw cursorAhead(position);
}

function cursorAhead(position: SessionPosition): PlatformError {
  const cursor = formatSessionCursor(position);
  const message = `Cursor ${cursor} is ahead of the session. Use one that this session's stream gave out.`;
  return new PlatformError("INVALID_CURSOR", message, { details: { cursor } });
}
