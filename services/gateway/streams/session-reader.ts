import { isUnavailable } from "#kit/errors/platform-error.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import type { JournalHead } from "#kit/sessions/journal-head.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { inThisCallScope } from "#shared/security/call-scope.ts";
import { type RelayDeps, SessionRelay, type SessionSink } from "./relay-session.ts";
import { assertPosition, type SessionPosition } from "./session-cursor.ts";
import type { SessionFollower, SessionNews } from "./session-news.ts";

export interface ReaderSink extends SessionSink {
  /** Nothing more will come: the session is deleted (`SESSION_NOT_FOUND`), or reading has failed. Not called after `stop`. */
  fail(thrown: unknown): void;
}

export interface SessionReaderOptions {
  readonly session: SessionKey;
  readonly after: SessionPosition;
}

/**
 * A reader of the session at the position, ready to `start`; it must be stopped. Throws `SESSION_NOT_FOUND`, and `INVALID_CURSOR` for a
 * position ahead of the session or of its run.
 */
export async function openSessionReader(
  deps: RelayDeps,
  news: SessionNews,
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

/** Reads on whenever there is news of its session, until it is stopped. While it waits for them, nothing of it is under way. */
export class SessionReader implements SessionFollower {
  readonly #deps: RelayDeps;
  readonly #news: SessionNews;
  readonly #options: SessionReaderOptions;
  /** As it stood at the opening; shown once. */
  #head: JournalHead | undefined;
  #incarnation = "";
  #hasChanged = false;
  #isBusy = true;
  #isStopped = false;
  /** Set by `start`. */
  #sink: ReaderSink | undefined;
  /** Made when there is something to show. */
  #relay: SessionRelay | undefined;
  /** Works in the name of the request, whoever has told the news. */
  readonly #goOn = inThisCallScope(() => void this.#work());

  constructor(deps: RelayDeps, news: SessionNews, options: SessionReaderOptions) {
    this.#deps = deps;
    this.#news = news;
    this.#options = options;
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
    return this.#relay?.revision ?? this.#options.after.sequence;
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

  start(sink: ReaderSink): void {
    this.#sink = sink;
    // The client may have left already.
    if (!this.#isStopped) this.#goOn();
  }

  change(): void {
    this.#hasChanged = true;
    if (!this.#isBusy) this.#goOn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#isBusy = true;
    this.#news.leave(this);
    this.#relay?.leave();
  }

  /** Shows what there is, and ends when there is only to wait. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      const opened = this.#head;
      this.#head = undefined;
      await this.#show(opened);
      while (this.#hasChanged && !this.#isStopped) {
        this.#hasChanged = false;
        await this.#show(await this.#look());
      }
      this.#isBusy = this.#isStopped;
    } catch (error) {
      if (this.#isStopped) return;
      this.stop();
      this.#sink?.fail(error);
    }
  }

  async #show(head: JournalHead | undefined): Promise<void> {
    const sink = this.#sink;
    if (head === undefined || sink === undefined || this.#isStopped) return;
    if (head.run === undefined && head.revision <= this.revision) return;
    this.#relay ??= new SessionRelay(this.#deps, { ...this.#options, sink });
    // Behind a run anything may follow.
    if (await this.#relay.show(head)) this.#hasChanged = true;
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
}
