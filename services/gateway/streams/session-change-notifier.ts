import { tenantOf } from "#kit/names/tenant.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { type JournalHead, MAX_HEADS } from "#kit/sessions/journal-head.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunStream } from "#ports/runs/run-stream.ts";
import { sessionName } from "#ports/runs/session-watchers.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";

/** A reader that is notified when its session changes. */
export interface SessionFollower {
  readonly session: SessionKey;
  /** Whether the reader waits for a change; `incarnation` and `revision` are then what it has shown. */
  readonly isWaiting: boolean;
  readonly incarnation: string;
  readonly revision: number;
  /** The session may have changed. Must not throw or wait. */
  change(): void;
}

export interface SessionChangeNotifierDeps {
  readonly runJournal: Pick<RunJournal, "getHeads">;
  readonly runStream: Pick<RunStream, "watch">;
  readonly logger: Logger;
}

// Every begin of a run notifies watchers; this check finds changes whose notification was lost.
const STORE_CHECK_MS = 10_000;

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
 * Notifies all readers of this process of changes of their sessions; a waiting reader costs no call and no timer of its
 * own.
 *
 * It owns one watch of the run stream for each followed session, whose notifications it passes on immediately, and one
 * timer, which checks the heads of all waiting readers' sessions together for changes without a notification. The watch
 * ends with the session's last reader, the timer with the last session.
 */
export class SessionChangeNotifier implements Disposable {
  readonly #deps: SessionChangeNotifierDeps;
  readonly #followed = new Map<string, Followed>();
  /** Heads to request at the end of this turn of the event loop. */
  #looks = new Map<string, Look>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(deps: SessionChangeNotifierDeps) {
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
    const notifyAll = (): void => {
      for (const each of followers) each.change();
    };
    this.#followed.set(name, { session, followers, watching: this.#deps.runStream.watch(session, notifyAll) });
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

  /**
   * The session's head for a request: read in the request's call scope if there is one, and otherwise together with
   * others.
   */
  async open(session: SessionKey): Promise<JournalHead | undefined> {
    if (currentCallScope() === undefined) return this.look(session);
    const [head] = await this.#deps.runJournal.getHeads([session]);
    return head;
  }

  /** The session's head, or undefined if it does not exist. All requests of one turn of the event loop share a call. */
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

  /** After a failure the readers keep waiting until the next check. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const waiting = [...this.#followed.values()].filter(({ followers }) => isAnyWaiting(followers));
      for (const some of chunks(waiting)) {
        const heads = await this.#getHeads(some);
        for (const [index, { followers }] of some.entries()) notifyIfChanged(followers, heads[index]);
      }
    } catch (error) {
      this.#deps.logger.warn({ error }, "cannot look for news of sessions; their readers keep waiting");
    } finally {
      this.#isChecking = false;
    }
  }

  /**
   * The heads of sessions of one tenant, for readers of many users. The answer contains the positions of their sessions
   * and no content.
   */
  #getHeads(items: readonly OfSession[]): Promise<readonly (JournalHead | undefined)[]> {
    const sessions = items.map(({ session }) => session);
    const principal = { tenantId: tenantOf(sessions[0] ?? {}), scopes: [EVERY_USER_SCOPE] };
    return inCallScope({ principal }, () => this.#deps.runJournal.getHeads(sessions));
  }
}

function isAnyWaiting(followers: Iterable<SessionFollower>): boolean {
  for (const { isWaiting } of followers) if (isWaiting) return true;
  return false;
}

function notifyIfChanged(followers: Iterable<SessionFollower>, head: JournalHead | undefined): void {
  for (const follower of followers) if (follower.isWaiting && hasChanged(head, follower)) follower.change();
}

function hasChanged(head: JournalHead | undefined, { incarnation, revision }: SessionFollower): boolean {
  if (head === undefined || head.run !== undefined) return true;
  return head.incarnation !== incarnation || head.revision > revision;
}

/** Groups that fit into a request each, and whose sessions are of one tenant: a call is made for one. */
function* chunks<Item extends OfSession>(items: readonly Item[]): Generator<readonly Item[]> {
  for (const ofTenant of Map.groupBy(items, ({ session }) => tenantOf(session)).values())
    for (let at = 0; at < ofTenant.length; at += MAX_HEADS) yield ofTenant.slice(at, at + MAX_HEADS);
}

interface OfSession {
  readonly session: SessionKey;
}
