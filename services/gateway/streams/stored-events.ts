import type { StoredEvent } from "#kit/events/event-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ListEventRecordsResponse, ListEventsRequest } from "#kit/sessions/session-service.ts";
import type { AnswerReader, Room } from "#shared/answers/answer-account.ts";
import type { GatewayDeps } from "../deps.ts";
import type { Pausable } from "./paced-response.ts";

/** Characters of one page. A page has less than twice as many, because a longer event is read alone. */
const PAGE_CHARACTERS = 128 * 1024;
/** A page, its text for the client, and that text in bytes. */
const PAGE_ROOM_BYTES = 6 * PAGE_CHARACTERS;

export interface StoredEventsOptions {
  readonly session: SessionKey;
  readonly afterRevision: number;
  readonly afterTimestamp?: number | undefined;
}

type ReaderDeps = Pick<GatewayDeps, "sessionService"> & { readonly answers: AnswerReader };

/**
 * Reads a session's stored events in their order, page by page. It takes room before it reads a page, and a paused one
 * keeps only its place. Their large data is not restored.
 */
export class StoredEventReader implements Pausable, Disposable {
  readonly #deps: ReaderDeps;
  readonly #options: StoredEventsOptions;
  #place: Pick<ListEventsRequest, "afterRevision" | "pageToken">;
  #page: readonly StoredEvent[] = [];
  #at = 0;
  #isAtEnd = false;
  #room: Room | undefined;

  constructor(deps: ReaderDeps, options: StoredEventsOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#place = { afterRevision: options.afterRevision };
  }

  /** Reads a page if there is none. Returns false after the last event. */
  async load(): Promise<boolean> {
    while (this.#at >= this.#page.length) {
      this.#forgetPage();
      if (this.#isAtEnd) return false;
      const page = await this.#read();
      this.#page = page.events;
      this.#isAtEnd = page.nextPageToken === undefined;
      if (page.nextPageToken !== undefined) this.#place = { pageToken: page.nextPageToken };
    }
    return true;
  }

  /** The next event of the page that was loaded; undefined if another one has to be. */
  next(): StoredEvent | undefined {
    const event = this.#page[this.#at];
    if (event !== undefined) this.#at += 1;
    return event;
  }

  pause(): void {
    const isUnread = this.#at < this.#page.length;
    const last = this.#page[this.#at - 1];
    if (isUnread && last !== undefined) {
      this.#place = { afterRevision: last.sequence };
      this.#isAtEnd = false;
    }
    // A page of which nothing was taken yet is about to be.
    if (!isUnread || last !== undefined) this.#forgetPage();
  }

  [Symbol.dispose](): void {
    this.#forgetPage();
    this.#isAtEnd = true;
  }

  #forgetPage(): void {
    this.#page = [];
    this.#at = 0;
    this.#room?.[Symbol.dispose]();
    this.#room = undefined;
  }

  async #read(): Promise<ListEventRecordsResponse> {
    this.#room = this.#deps.answers.take(PAGE_ROOM_BYTES) ?? (await this.#deps.answers.wait(PAGE_ROOM_BYTES));
    const limits = { maxCharacters: PAGE_CHARACTERS, maxEventCharacters: PAGE_CHARACTERS };
    const page = await this.#list(limits);
    const { events, longEventCharacters } = page;
    if (events.length > 0 || longEventCharacters === undefined) return page;
    this.#room[Symbol.dispose]();
    this.#room = await this.#deps.answers.wait((longEventCharacters * PAGE_ROOM_BYTES) / PAGE_CHARACTERS);
    return this.#list({ pageSize: 1, maxCharacters: longEventCharacters });
  }

  #list(limits: Partial<ListEventsRequest>): Promise<ListEventRecordsResponse> {
    const { session, afterTimestamp } = this.#options;
    const since = afterTimestamp === undefined ? {} : { afterTimestamp };
    return this.#deps.sessionService.listEventRecords({ ...session, ...since, ...this.#place, ...limits });
  }
}
