import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { EndedSession, EndedSessions } from "#ports/api-keys/ended-sessions.ts";

/** A session that another process has ended is refused by this one after this time at the latest. */
const CHECK_EVERY_MS = 5000;
const MAX_SESSIONS = 10_000;

export interface EndedSessionCacheOptions {
  /** The store of ended sessions that all processes share; absent if there is one process. */
  readonly shared: EndedSessions | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The sessions that have ended. Those that this process has ended are known immediately. For the others the shared
 * store is read, at most every five seconds for each session. While it cannot be read, only this process's own are
 * known, so that an outage signs nobody out.
 */
export class EndedSessionCache {
  readonly #options: EndedSessionCacheOptions;
  readonly #ended = new BoundedCache<true>(MAX_SESSIONS);
  /** When sessions that have not ended were last looked up, by their id and expiry. */
  readonly #checkedAt = new BoundedCache<number>(MAX_SESSIONS);
  readonly #checks = new Map<string, Promise<boolean>>();
  /** Whether the last read of the shared store succeeded: an outage is logged once. */
  #isReadable = true;

  constructor(options: EndedSessionCacheOptions) {
    this.#options = options;
  }

  /**
   * Records that the session has ended, so that copies of its cookies are refused until they expire (Unix time in ms).
   * Never rejects.
   */
  async add(session: EndedSession, expiresAtMs: number): Promise<void> {
    const { shared, clock, logger } = this.#options;
    this.#ended.set(session.id, true);
    const leftMs = expiresAtMs - clock.now();
    if (leftMs <= 0) return;
    await shared
      ?.add(session, leftMs)
      .catch((error: unknown) =>
        logger.warn({ error }, "the end of a page's session was not shared with other gateways"),
      );
  }

  /** Whether this process knows that the session has ended. */
  knows(sessionId: string): boolean {
    return this.#ended.get(sessionId) === true;
  }

  /**
   * Whether the session has ended; a promise if the shared store has to be read. A renewed session is looked up again,
   * because another sign-in can have ended it in the meantime. Never rejects.
   */
  has(session: EndedSession & { readonly expiresAtMs: number }): boolean | Promise<boolean> {
    const { shared, clock } = this.#options;
    if (this.knows(session.id)) return true;
    if (shared === undefined) return false;
    const name = `${session.id} ${session.expiresAtMs}`;
    const checkedAt = this.#checkedAt.get(name);
    if (checkedAt !== undefined && clock.monotonic() - checkedAt < CHECK_EVERY_MS) return false;
    return this.check(session).then((hasEnded) => {
      this.#checkedAt.set(name, clock.monotonic());
      return hasEnded;
    });
  }

  /** As `has`, but always reads the shared store. */
  check(session: EndedSession): Promise<boolean> {
    const active = this.#checks.get(session.id);
    if (active !== undefined) return active;
    const check = this.#read(session).finally(() => this.#checks.delete(session.id));
    this.#checks.set(session.id, check);
    return check;
  }

  async #read(session: EndedSession): Promise<boolean> {
    const { shared, logger } = this.#options;
    const { id } = session;
    try {
      if ((await shared?.has(session)) === true) this.#ended.set(id, true);
      this.#isReadable = true;
    } catch (error) {
      if (this.#isReadable) logger.warn({ error }, "sessions that other gateways have ended cannot be read");
      this.#isReadable = false;
    }
    return this.knows(id);
  }
}
