import type { Logger } from "#kit/platform/logger.ts";
import type { RunStream } from "#kit/runs/stream/run-stream.ts";
import { sessionName } from "#kit/runs/stream/session-watchers.ts";
import { type JournalHead, MAX_HEADS } from "#kit/sessions/journal-head.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";

/** Somebody who wants to know when a session changes. */
export interface SessionFollower {
  readonly session: SessionKey;
  /** Whether it waits for news, behind the state of the session that the next two name. */
  readonly isWaiting: boolean;
  readonly incarnation: string;
  readonly revision: number;
  /** The session may have changed. Must not throw or wait. */
  change(): void;
}

export interface SessionNewsDeps {
  readonly runJournal: Pick<RunJournal, "getHeads">;
  readonly runStream: Pick<RunStream, "watch">;
  readonly logger: Logger;
}

// Whoever begins a run tells: this is for what was told while nobody could hear it.
const STORE_CHECK_MS = 10_000;

/** One look is for readers of many users. What it tells is where their sessions stand, and nothing of what was said in them. */
const FOR_ALL_READERS = { principal: { scopes: [EVERY_USER_SCOPE] } };

interface Followed {
  readonly session: SessionKey;
  readonly followers: Set<SessionFollower>;
  readonly watching: Disposable;
}

interface Look {
  readonly session: SessionKey;
  readonly answer: PromiseWithResolvers<JournalHead | undefined>;
}

/**
 * News of sessions for all readers of this process: those who wait cost no call and no timer of their own. What a run stream tells is
 * passed on at once; what it could not tell is found by looking at all waiting readers' sessions together, now and then.
 */
export class SessionNews implements Disposable {
  readonly #deps: SessionNewsDeps;
  readonly #followed = new Map<string, Followed>();
  /** What will be asked for in this turn of the event loop. */
  #looks = new Map<string, Look>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(deps: SessionNewsDeps) {
    this.#deps = deps;
  }

  join(follower: SessionFollower): void {
    const { session } = follower;
    const name = sessionName(session);
    const known = this.#followed.get(name);
    if (known !== undefined) {
      known.followers.add(follower);
      return;
    }
    const followers = new Set([follower]);
    const tell = (): void => {
      for (const each of followers) each.change();
    };
    this.#followed.set(name, { session, followers, watching: this.#deps.runStream.watch(session, tell) });
    this.#timer ??= setInterval(() => void this.#check(), STORE_CHECK_MS).unref();
  }

  leave(follower: SessionFollower): void {
    const name = sessionName(follower.session);
    const known = this.#followed.get(name);
    if (known === undefined || !known.followers.delete(follower) || known.followers.size > 0) return;
    this.#followed.delete(name);
    known.watching[Symbol.dispose]();
    if (this.#followed.size === 0) this[Symbol.dispose]();
  }

  /** For a request: asked in its name, where calls are made in names, and else together with others. */
  async open(session: SessionKey): Promise<JournalHead | undefined> {
    if (currentCallScope() === undefined) return this.look(session);
    const [head] = await this.#deps.runJournal.getHeads([session]);
    return head;
  }

  /** Where the session stands, or undefined when it does not exist. All that is asked for in one turn of the event loop shares a call. */
  look(session: SessionKey): Promise<JournalHead | undefined> {
    const name = sessionName(session);
    let look = this.#looks.get(name);
    if (look === undefined) {
      look = { session, answer: Promise.withResolvers() };
      if (this.#looks.size === 0) setImmediate(() => this.#sendLooks());
      this.#looks.set(name, look);
    }
    return look.answer.promise;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sendLooks(): void {
    const looks = [...this.#looks.values()];
    this.#looks = new Map();
    for (const some of chunks(looks)) {
      this.#getHeads(some).then(
        (heads) => {
          for (const [index, { answer }] of some.entries()) answer.resolve(heads[index]);
        },
        (error: unknown) => {
          for (const { answer } of some) answer.reject(error);
        },
      );
    }
  }

  /** Those who wait go on waiting when it fails: the next one asks again. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const waiting = [...this.#followed.values()].filter(({ followers }) => isAnyWaiting(followers));
      for (const some of chunks(waiting)) {
        const heads = await this.#getHeads(some);
        for (const [index, { followers }] of some.entries()) tellNews(followers, heads[index]);
      }
    } catch (error) {
      this.#deps.logger.warn({ error }, "cannot look for news of sessions; those who wait go on waiting");
    } finally {
      this.#isChecking = false;
    }
  }

  #getHeads(items: readonly { readonly session: SessionKey }[]): Promise<readonly (JournalHead | undefined)[]> {
    return inCallScope(FOR_ALL_READERS, () => this.#deps.runJournal.getHeads(items.map(({ session }) => session)));
  }
}

function isAnyWaiting(followers: Iterable<SessionFollower>): boolean {
  for (const { isWaiting } of followers) if (isWaiting) return true;
  return false;
}

function tellNews(followers: Iterable<SessionFollower>, head: JournalHead | undefined): void {
  for (const follower of followers) if (follower.isWaiting && isNews(head, follower)) follower.change();
}

function isNews(head: JournalHead | undefined, { incarnation, revision }: SessionFollower): boolean {
  if (head === undefined || head.run !== undefined) return true;
  return head.incarnation !== incarnation || head.revision > revision;
}

function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += MAX_HEADS) yield items.slice(at, at + MAX_HEADS);
}
