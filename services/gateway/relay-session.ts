import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { type EndEntry, type EventEntry, formatCursor, type RunStreamEntry } from "#kit/runner/run-stream.ts";
import type { JournalHead, RunningRun } from "#kit/sessions/journal-head.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { inThisCallScope } from "#shared/call-scope.ts";
import type { GatewayDeps } from "./deps.ts";
import { assertPosition, formatSessionCursor, type SessionPosition } from "./session-cursor.ts";
import type { SessionFollower, SessionNews } from "./session-news.ts";

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
  /** Nothing more will come: the session is deleted (`SESSION_NOT_FOUND`), or reading has failed. Not called after `stop`. */
  fail(thrown: unknown): void;
}

export interface SessionRelayOptions {
  readonly session: SessionKey;
  readonly after: SessionPosition;
}

type RelayDeps = Pick<GatewayDeps, "runStream" | "runJournal" | "sessionService" | "artifactService" | "logger">;

// An end marker is published after the record is final; one that has not come by then is lost.
const SILENCE_CHECK_MS = 5_000;

// Between two looks at a run whose stream cannot be read.
const BROKEN_STREAM_PAUSE_MS = 500;

/**
 * A reader of the session at the position, ready to `start`; it must be stopped. Throws `SESSION_NOT_FOUND`, and `INVALID_CURSOR` for a
 * position ahead of the session or of its run.
 */
export async function openSessionRelay(
  deps: RelayDeps,
  news: SessionNews,
  options: SessionRelayOptions,
): Promise<SessionRelay> {
  const relay = new SessionRelay(deps, news, options);
  try {
    await relay.open();
    return relay;
  } catch (error) {
    relay.stop();
    throw error;
  }
}

/**
 * Reads all of a session's runs, one after another, into the sink, until it is stopped. While it waits for news, nothing of it is under way.
 *
 * The store has the order, and the stream of the run that is under way what is not stored yet. A complete event leaves only after all
 * those before it: what a run does not publish, such as messages and changes from outside, is fetched in between.
 */
export class SessionRelay implements SessionFollower {
  readonly #deps: RelayDeps;
  readonly #news: SessionNews;
  readonly #options: SessionRelayOptions;
  /** As it stood at the opening; read once. */
  #head: JournalHead | undefined;
  #incarnation = "";
  /** Newest event that went to the sink. */
  #sequence: number;
  /** The last entry of a run's stream that went to the sink, or that the client came with. */
  #position: SessionPosition["run"];
  /** The run that was followed last. */
  #runId: string | undefined;
  /** Pieces are left out until the complete event of this sequence has passed: they belong to it, and the client has it. */
  #skipUntil = 0;
  #hasChanged = false;
  #isBusy = true;
  #isStopped = false;
  /** Of the run that is followed. */
  #leaving: AbortController | undefined;
  /** Set by `start`. */
  #target: SessionSink | undefined;
  /** Works in the name of the request, whoever has told the news. */
  readonly #goOn = inThisCallScope(() => void this.#work());

  constructor(deps: RelayDeps, news: SessionNews, options: SessionRelayOptions) {
    this.#deps = deps;
    this.#news = news;
    this.#options = options;
    this.#sequence = options.after.sequence;
    this.#position = options.after.run;
  }

  get session(): SessionKey {
    return this.#options.session;
  }

  get isWaiting(): boolean {
    return !this.#isBusy;
  }

  get incarnation(): string {
    return this.#incarnation;
  }

  get revision(): number {
    return this.#sequence;
  }

  async open(): Promise<void> {
    const { session, after } = this.#options;
    // What changes while the store answers must be heard.
    this.#news.join(this);
    const head = await this.#news.open(session);
    if (head === undefined) throw new SessionNotFoundError(session);
    assertPosition(after, head);
    this.#incarnation = head.incarnation;
    this.#head = head;
  }

  start(sink: SessionSink): void {
    this.#target = sink;
    this.#goOn();
  }

  change(): void {
    this.#hasChanged = true;
    if (!this.#isBusy) this.#goOn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#isBusy = true;
    this.#news.leave(this);
    this.#leaving?.abort();
  }

  get #sink(): SessionSink {
    if (this.#target === undefined) throw new Error("the relay was not started");
    return this.#target;
  }

  /** Brings the sink up to date, follows what runs, and ends when there is only to wait. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      const opened = this.#head;
      this.#head = undefined;
      if (opened !== undefined) await this.#show(opened);
      while (this.#hasChanged && !this.#isStopped) {
        this.#hasChanged = false;
        const head = await this.#look();
        if (head !== undefined) await this.#show(head);
      }
      this.#isBusy = this.#isStopped;
    } catch (error) {
      if (this.#isStopped) return;
      this.stop();
      this.#sink.fail(error);
    }
  }

  /** Undefined when the store cannot be asked: it is looked at now and then, and whether there was news will show. */
  async #look(): Promise<JournalHead | undefined> {
    const { session } = this.#options;
    let head: JournalHead | undefined;
    try {
      head = await this.#news.look(session);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#deps.logger.warn({ error, sessionId: session.id }, "cannot look for news of the session");
      return undefined;
    }
    if (head === undefined || head.incarnation !== this.#incarnation) throw new SessionNotFoundError(session);
    return head;
  }

  async #show({ revision, run }: JournalHead): Promise<void> {
    this.#skipUntil = 0;
    if (revision > this.#sequence) await this.#catchUp(run);
    if (run === undefined || this.#isStopped) return;
    this.#leaving = new AbortController();
    await this.#follow(run, this.#leaving.signal);
    this.#leaving = undefined;
    await this.#sink.flush();
    this.#hasChanged = true;
  }

  /** Brings the sink up to date from the store. */
  async #catchUp(run: Pick<RunningRun, "invocationId"> | undefined, until = Number.MAX_SAFE_INTEGER): Promise<void> {
    const { session } = this.#options;
    const sink = this.#sink;
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
  async #follow(run: RunningRun, signal: AbortSignal): Promise<void> {
    const sink = this.#sink;
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
    const sink = this.#sink;
    const { after } = this.#options;
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
    const sink = this.#sink;
    if (signal.aborted) return;
    const record = await this.#deps.runJournal.get(run.runId);
    await this.#catchUp(record);
    if (record !== undefined && isTerminal(record.status)) sink.run(record);
    // Aborted when the client has left.
    else await sleep(BROKEN_STREAM_PAUSE_MS, signal).catch(() => {});
  }

  async #relay(run: RunningRun, batch: readonly RunStreamEntry[]): Promise<EndEntry | undefined> {
    const sink = this.#sink;
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
    const { session } = this.#options;
    const sink = this.#sink;
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

function isUnavailable(error: unknown): boolean {
  return error instanceof PlatformError && error.code === "UNAVAILABLE";
}
