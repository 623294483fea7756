import { isUnavailable } from "#kit/errors/platform-error.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import type { JournalHead } from "#kit/sessions/journal-head.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { inThisCallScope } from "#shared/security/call-scope.ts";
import { type RelayDeps, SessionRelay, type SessionSink } from "./relay-session.ts";
import type { SessionChangeNotifier, SessionFollower } from "./session-change-notifier.ts";
import { assertPosition, type SessionPosition } from "./session-cursor.ts";

export interface ReaderSink extends SessionSink {
  /** Ends the stream: the session was deleted (`SESSION_NOT_FOUND`), or reading failed. Not called after `stop`. */
  fail(thrown: unknown): void;
}

export interface SessionReaderOptions {
  readonly session: SessionKey;
  readonly after: SessionPosition;
}

/**
 * Opens a reader of the session at the position. The caller calls `start`, and must call `stop`. Throws
 * `SESSION_NOT_FOUND`, and `INVALID_CURSOR` for a position ahead of the session or of its run.
 */
export async function openSessionReader(
  deps: RelayDeps,
  news: SessionChangeNotifier,
  options: SessionReaderOptions,
): Promise<SessionReader> {
  const reader = new SessionReader(deps, news, options);
  try {
    await reader.open();
    return reader;
  } catch (error) {
    reader.stop();
    throw error;
  }
}

/** What a reader owns once it has a sink. */
interface Started {
  readonly incarnation: string;
  readonly sink: ReaderSink;
  readonly relay: SessionRelay;
}

interface Working {
  readonly kind: "working";
  readonly started: Started;
  /** The head to show first; undefined if it must be read. */
  readonly head: JournalHead | undefined;
  /** Whether the session may have changed since its head was read. */
  hasChanged: boolean;
}

type ReaderState =
  | { readonly kind: "opening"; hasChanged: boolean }
  | { readonly kind: "opened"; readonly head: JournalHead; hasChanged: boolean }
  | Working
  | { readonly kind: "waiting"; readonly started: Started }
  | { readonly kind: "stopped" };

/**
 * Reads one session for one client, until it is stopped.
 *
 * A reader is opening until the session's head is read, opened until it has a sink, and then alternates: it works,
 * which means that it relays the events after its position and the active run; and it waits for a change of the
 * session, during which it makes no call and has no timer. It stops when the client leaves, when the session is deleted
 * or when reading fails; an unavailable store is not a failure.
 */
export class SessionReader implements SessionFollower {
  readonly #deps: RelayDeps;
  readonly #news: SessionChangeNotifier;
  readonly #options: SessionReaderOptions;
  #state: ReaderState = { kind: "opening", hasChanged: false };
  /** Works in the request's call scope, whatever caused the change. */
  readonly #startWork = inThisCallScope(() => {
    if (this.#state.kind === "working") void this.#work(this.#state);
  });

  constructor(deps: RelayDeps, news: SessionChangeNotifier, options: SessionReaderOptions) {
    this.#deps = deps;
    this.#news = news;
    this.#options = options;
  }

  get session(): SessionKey {
    return this.#options.session;
  }

  get isWaiting(): boolean {
    return this.#state.kind === "waiting";
  }

  get incarnation(): string {
    const state = this.#state;
    return state.kind === "waiting" || state.kind === "working" ? state.started.incarnation : "";
  }

  get revision(): number {
    const state = this.#state;
    const isStarted = state.kind === "waiting" || state.kind === "working";
    return isStarted ? state.started.relay.revision : this.#options.after.sequence;
  }

  async open(): Promise<void> {
    const { session, after } = this.#options;
    // Joined first, so that changes during the call are noticed.
    this.#news.join(this);
    const head = await this.#news.open(session);
    if (head === undefined) throw new SessionNotFoundError(session);
    assertPosition(after, head);
    if (this.#state.kind === "opening") this.#state = { ...this.#state, kind: "opened", head };
  }

  /** Does nothing if the client has left since. */
  start(sink: ReaderSink): void {
    const state = this.#state;
    if (state.kind !== "opened") return;
    const { head, hasChanged } = state;
    const relay = new SessionRelay(this.#deps, { ...this.#options, sink });
    const started = { incarnation: head.incarnation, sink, relay };
    this.#state = { kind: "working", started, head, hasChanged };
    this.#startWork();
  }

  change(): void {
    const state = this.#state;
    switch (state.kind) {
      case "waiting":
        this.#state = { kind: "working", started: state.started, head: undefined, hasChanged: true };
        this.#startWork();
        return;
      case "stopped":
        return;
      default:
        state.hasChanged = true;
    }
  }

  stop(): void {
    const state = this.#state;
    this.#state = { kind: "stopped" };
    this.#news.leave(this);
    if (state.kind === "working" || state.kind === "waiting") state.started.relay.leave();
  }

  /** Relays what is new, and then waits. */
  async #work(working: Working): Promise<void> {
    const { started, head: opened } = working;
    try {
      if (opened !== undefined) await this.#show(working, opened);
      while (working.hasChanged && this.#state === working) {
        working.hasChanged = false;
        const head = await this.#readHead(started);
        if (head !== undefined) await this.#show(working, head);
      }
      if (this.#state === working) this.#state = { kind: "waiting", started };
    } catch (error) {
      if (this.#state !== working) return;
      this.stop();
      started.sink.fail(error);
    }
  }

  async #show(working: Working, head: JournalHead): Promise<void> {
    const { relay } = working.started;
    if (this.#state !== working || (head.run === undefined && head.revision <= relay.revision)) return;
    // Other events may have been stored while the run was active.
    if (await relay.show(head)) working.hasChanged = true;
  }

  /** Returns undefined if the store is unavailable: `SessionChangeNotifier` checks all waiting readers at intervals. */
  async #readHead({ incarnation }: Started): Promise<JournalHead | undefined> {
    const { session } = this.#options;
    let head: JournalHead | undefined;
    try {
      head = await this.#news.look(session);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#deps.logger.warn({ error, sessionId: session.id }, "cannot look for news of the session");
      return undefined;
    }
    if (head === undefined || head.incarnation !== incarnation) throw new SessionNotFoundError(session);
    return head;
  }
}
