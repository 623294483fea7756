import { restoredPieces } from "#kit/artifacts/inline-data.ts";
import type { JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { JournalHead, RunningRun } from "#kit/sessions/journal-head.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import {
  type CursorPosition,
  type EndEntry,
  type EventEntry,
  formatCursor,
  type RunStreamEntry,
} from "#ports/runs/run-stream.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { GatewayDeps } from "../deps.ts";
import { endOf, followRun } from "./follow-run.ts";
import type { Pausable } from "./paced-response.ts";
import { LONG_CHARACTERS } from "./relay-run.ts";
import { formatSessionCursor, type SessionPosition } from "./session-cursor.ts";
import { StoredEventReader } from "./stored-events.ts";

/** Takes what a session's runs emit. Calls are synchronous; `flush` may ask the relay to wait for a slow reader. */
export interface SessionSink {
  /** A complete or partial event, and the cursor of the position after it. */
  event(json: string, cursor: string): void;
  /** An event that is long or refers to stored data, in parts. Waits for the reader. */
  pieces(pieces: readonly JsonPiece[], cursor: string): Promise<void>;
  /** What is read ahead for the sink's reader. */
  readonly ahead: Set<Pausable>;
  readonly answers: AnswerReader;
  /** The run is followed from here on, or has ended. */
  run(run: Pick<RunRecord, "runId" | "status">): void;
  attempt(attempt: number): void;
  /** Partial events after the last complete one are void; those that are still available follow. */
  resync(): void;
  /** Whether the sink must be flushed before it takes more. */
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

/** Pause between two attempts to read the stream of an active run. */
const BROKEN_STREAM_PAUSE_MS = 500;

interface Following {
  readonly kind: "following";
  readonly run: RunningRun;
  /** Aborted when the reader leaves or when only the record has the run's end. */
  readonly controller: AbortController;
  /**
   * Partial events are left out until the complete event of this sequence has passed: they are parts of it, and the
   * client has it. 0 if none are left out.
   */
  skipUntil: number;
}

interface CatchUp {
  readonly following?: Following | undefined;
  readonly until?: number;
}

type RelayState = { readonly kind: "idle" } | Following | { readonly kind: "left" };

/**
 * The last entry of a run's stream that the client has: of a run that its cursor does not name, or of a followed one.
 */
type StreamPlace =
  | { readonly kind: "client"; readonly at: CursorPosition | undefined }
  | { readonly kind: "run"; readonly runId: string; readonly at: CursorPosition | undefined };

/**
 * Relays all of a session's runs, one after another, into the sink.
 *
 * The store has the order of the events; the stream of the active run has those that are not stored yet. A complete
 * event is relayed only after all events before it, so events that no run publishes, such as messages and changes by
 * other requests, are read from the store in between. The relay is idle, or follows one run, whose controller it owns,
 * or was left by its reader, which ends it.
 */
export class SessionRelay {
  readonly #deps: RelayDeps;
  readonly #options: SessionRelayOptions;
  #state: RelayState = { kind: "idle" };
  /** Sequence of the newest event that the sink has. */
  #sequence: number;
  #place: StreamPlace;

  constructor(deps: RelayDeps, options: SessionRelayOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#sequence = options.after.sequence;
    this.#place = { kind: "client", at: options.after.run };
  }

  /** Sequence of the newest event that the sink has. */
  get revision(): number {
    return this.#sequence;
  }

  /**
   * Relays the stored events up to the head, and the active run to its end. Returns whether there was an active run.
   */
  async show({ revision, run }: JournalHead): Promise<boolean> {
    if (this.#state.kind === "left") return false;
    const following = run === undefined ? undefined : createFollowing(run);
    if (following !== undefined) this.#state = following;
    if (revision > this.#sequence) await this.#catchUp({ following });
    if (following === undefined || following.controller.signal.aborted) return false;
    await this.#follow(following);
    if (this.#state === following) this.#state = { kind: "idle" };
    await this.#options.sink.flush();
    return true;
  }

  /** Ends the relay, because its reader has left. */
  leave(): void {
    if (this.#state.kind === "following") this.#state.controller.abort();
    this.#state = { kind: "left" };
  }

  /**
   * Relays the stored events that the sink lacks, up to a sequence. If the stream of the run that is `following` may
   * still have their partial events, those are left out.
   */
  async #catchUp({ following, until = Number.MAX_SAFE_INTEGER }: CatchUp): Promise<void> {
    const { sink } = this.#options;
    using reader = this.#readAfter(this.#sequence);
    while (await reader.load()) {
      for (let event = reader.next(); event !== undefined; event = reader.next()) {
        const { sequence, invocationId, author, json } = event;
        if (sequence > until) return;
        this.#sequence = sequence;
        if (following?.run.invocationId === invocationId && author !== USER_AUTHOR) following.skipUntil = sequence;
        await this.#relayComplete(json, formatSessionCursor({ sequence }));
        if (sink.isFull()) await sink.flush();
      }
      await sink.flush();
    }
  }

  /** Relays the run to its end. */
  async #follow(following: Following): Promise<void> {
    const { sink, session } = this.#options;
    const { run, controller } = following;
    const after = await this.#startIn(following);
    await sink.flush();
    const relay = (batch: readonly RunStreamEntry[]) => this.#relay(following, batch);
    const outcome = await followRun(this.#deps, { run: { ...run, session }, after, controller, relay });
    if (outcome.kind === "end") sink.run({ runId: run.runId, status: outcome.end.status });
    else if (this.#state === following) await this.#readEnd(following);
  }

  /** The cursor in the run's stream after which it is read; undefined for its beginning. */
  async #startIn(following: Following): Promise<string | undefined> {
    const { sink, after } = this.#options;
    const { runId, epoch, attempts, baseRevision } = following.run;
    const { kind, at } = this.#place;
    const isOfThisRun = at !== undefined && at.epoch <= epoch && at.epoch > epoch - attempts;
    if (this.#place.kind === "run" && this.#place.runId === runId) return at && formatCursor(at);
    this.#place = { kind: "run", runId, at: isOfThisRun ? at : undefined };
    sink.run({ runId, status: "running" });
    if (isOfThisRun) return formatCursor(at);
    if (after.sequence > baseRevision) await this.#findCovered(following);
    // The client may have partial events of this run, all of which follow again.
    if (kind === "client" && at !== undefined) sink.resync();
    return undefined;
  }

  /** Finds the newest event of the run that the client had when it connected. */
  async #findCovered(following: Following): Promise<void> {
    const { after } = this.#options;
    const { invocationId, baseRevision } = following.run;
    using reader = this.#readAfter(baseRevision);
    while (await reader.load()) {
      for (let event = reader.next(); event !== undefined; event = reader.next()) {
        const { sequence, invocationId: id, author } = event;
        if (sequence > after.sequence) return;
        if (id === invocationId && author !== USER_AUTHOR)
          following.skipUntil = Math.max(following.skipUntil, sequence);
      }
    }
  }

  /** Forgets what it has read ahead while the sink's reader takes nothing. */
  #readAfter(afterRevision: number): StoredEventReader {
    const { session, sink } = this.#options;
    const reader = new StoredEventReader({ ...this.#deps, answers: sink.answers }, { session, afterRevision });
    sink.ahead.clear();
    sink.ahead.add(reader);
    return reader;
  }

  /** Returns a promise only for an event that is long or has stored data. */
  #relayComplete(json: string, cursor: string): Promise<void> | undefined {
    const { session, sink } = this.#options;
    const pieces = restoredPieces(json, { artifacts: this.#deps.artifactService, session });
    if (pieces !== undefined) return pieces.then((restored) => sink.pieces(restored, cursor));
    if (json.length >= LONG_CHARACTERS) return sink.pieces([json], cursor);
    sink.event(json, cursor);
    return undefined;
  }

  /**
   * Without an end in the stream: relays the run's end if its record has one, and otherwise waits before the next try.
   */
  async #readEnd({ run, controller }: Following): Promise<void> {
    const record = await this.#deps.runJournal.get(run.runId);
    await this.#catchUp({});
    if (record !== undefined && endOf(record) !== undefined) this.#options.sink.run(record);
    // Aborted when the client has left.
    else await sleep(BROKEN_STREAM_PAUSE_MS, controller.signal).catch(() => {});
  }

  async #relay(following: Following, batch: readonly RunStreamEntry[]): Promise<EndEntry | undefined> {
    const { sink } = this.#options;
    const { runId } = following.run;
    let end: EndEntry | undefined;
    for (const entry of batch) {
      switch (entry.kind) {
        case "event":
          await this.#relayEvent(following, entry);
          break;
        case "attempt":
          sink.attempt(entry.attempt);
          break;
        case "resync":
          sink.resync();
          await this.#catchUp({ following });
          break;
        case "end":
          end = entry;
          break;
        default:
          entry satisfies never;
      }
      if (entry.kind !== "resync") this.#place = { kind: "run", runId, at: { epoch: entry.epoch, n: entry.n } };
      if (sink.isFull()) await sink.flush();
    }
    await sink.flush();
    return end;
  }

  async #relayEvent(following: Following, { json, sequence, epoch, n }: EventEntry): Promise<void> {
    const { sink } = this.#options;
    const run = { epoch, n };
    if (sequence === undefined) {
      if (following.skipUntil === 0) sink.event(json, formatSessionCursor({ sequence: this.#sequence, run }));
      return;
    }
    if (sequence >= following.skipUntil) following.skipUntil = 0;
    if (sequence <= this.#sequence) return;
    if (sequence > this.#sequence + 1) await this.#catchUp({ until: sequence - 1 });
    this.#sequence = sequence;
    await this.#relayComplete(json, formatSessionCursor({ sequence, run }));
  }
}

function createFollowing(run: RunningRun): Following {
  return { kind: "following", run, controller: new AbortController(), skipUntil: 0 };
}
