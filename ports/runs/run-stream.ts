import { PlatformError } from "#kit/errors/platform-error.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import type { RunError, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** Position in a run's stream: `<epoch>.<n>`, n counting from 1 within the epoch. */
export type RunCursor = string;

/** A parsed cursor. */
export interface CursorPosition {
  readonly epoch: number;
  /** Counts the entries of one epoch from 1 without gaps. */
  readonly n: number;
}

/** An event, complete or partial, as its JSON. */
export interface EventEntry extends CursorPosition {
  readonly kind: "event";
  readonly eventId: string;
  readonly json: string;
  readonly partial: boolean;
  /** Sequence in the session, for stored events. */
  readonly sequence?: number;
}

/** Another runner has recovered the run: partial events after the last stored event are void. */
export interface AttemptEntry extends CursorPosition {
  readonly kind: "attempt";
  readonly attempt: number;
}

/** The run has ended; nothing follows. */
export interface EndEntry extends CursorPosition {
  readonly kind: "end";
  readonly status: TerminalRunStatus;
  readonly error?: RunError;
  /** When the run ended, in milliseconds, as its record has it. Absent if it has no record. */
  readonly time?: number;
}

/** Entries were lost or dropped before the reader got them: it has to read stored events from the session instead. */
export interface ResyncEntry {
  readonly kind: "resync";
}

export type PublishedEntry = EventEntry | AttemptEntry | EndEntry;
export type RunStreamEntry = PublishedEntry | ResyncEntry;

/** The parts of a run's name in the stream besides its id. */
export interface RunStreamName extends TenantScoped {
  /** The `streamKey` of the run's record. The entries are stored under it, or under the run's id if it is absent. */
  readonly streamKey?: string | undefined;
}

/** Some seconds of sound. */
export const FOLLOWED_RUN_BYTES = 256 * 1024;

export interface PublishOptions extends RunStreamName {
  /**
   * The run's session, in the same tenant. A publisher passes it with the run's first entries, so that the session's
   * watchers are notified.
   */
  readonly session?: SessionKey | undefined;
  /**
   * The run has a caller of its own, who gets the entries another way: a log keeps `FOLLOWED_RUN_BYTES` of it, and one in
   * this process nothing that no reader follows. Later readers get a resync.
   */
  readonly isFollowed?: boolean | undefined;
}

export interface SubscribeOptions extends RunStreamName {
  /** The entries after it; all from the beginning if absent. */
  readonly after?: RunCursor;
  readonly signal: AbortSignal;
}

/**
 * The ordered, replayable, short-lived log of everything that a run emits. Bounded; losing it loses no stored event. Runs
 * with one id in different tenants have separate logs.
 */
export interface RunStream {
  /**
   * Adds entries in order. Entries of an old epoch, and numbers already written, are dropped silently. Returns a promise
   * only if the entries are not written yet.
   */
  publish(runId: string, entries: readonly PublishedEntry[], options?: PublishOptions): Promise<void> | undefined;
  /**
   * Entries after the cursor (from the beginning when absent), first those kept, then live ones, in batches of what is
   * ready. Ends after the end entry, or when the signal aborts. A reader whose next entries were dropped gets `resync`
   * first. A run without entries is waited for. Reading throws `INVALID_CURSOR` when the cursor is malformed or ahead
   * of the run.
   */
  subscribe(runId: string, options: SubscribeOptions): AsyncIterable<readonly RunStreamEntry[]>;
  /**
   * Begins to receive the entries of a run that is about to be started, so that one `subscribe` without a cursor soon
   * afterwards need not read the log. Dispose of the result if the run is not read. Absent on implementations for which
   * this saves nothing.
   */
  expect?(runId: string, name?: RunStreamName): Disposable;
  /**
   * Sends a `resync` to the readers of a run that has ended and whose end is only in its record. Best effort: never
   * throws. Absent on implementations where the end of a run is always published.
   */
  recheck?(runId: string, name?: RunStreamName): void;
  /**
   * A new `streamKey` for a run that is about to be started. Absent if the entries are only in this process, where no
   * client can find them with only the run's id.
   */
  newKey?(): string;
  /**
   * Calls the listener when a run of the session begins to publish, when `announce` is called, and when either may have
   * been missed. Best effort: a watcher also polls the store. The listener must not throw.
   */
  watch(session: SessionKey, listener: () => void): Disposable;
  /** Notifies the session's watchers that it changed outside a run. Best effort: never throws. */
  announce(session: SessionKey): void;
}

export function formatCursor(position: CursorPosition): RunCursor {
  return `${position.epoch}.${position.n}`;
}

const CURSOR = /^(0|[1-9]\d{0,14})\.([1-9]\d{0,14})$/;

/** Throws `INVALID_CURSOR` for anything that `formatCursor` does not write. */
export function parseCursor(cursor: RunCursor): CursorPosition {
  const match = CURSOR.exec(cursor);
  if (match === null) {
    throw new PlatformError(
      "INVALID_CURSOR",
      "The cursor is not of the form <epoch>.<n>. Use one that a run's stream returned.",
    );
  }
  return { epoch: Number(match[1]), n: Number(match[2]) };
}
