import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type NetworkHead, UNREAD_REQUEST } from "./session-database.ts";

/**
 * The heads that this process wrote last, the most recently used ones up to a limit, so that a write after another one
 * needs no read. They may be out of date: a decision based on them is committed only under the version that they had.
 */
export class HeadMemory<Version> {
  readonly #heads: BoundedCache<NetworkHead<Version>>;

  constructor(maxHeads: number) {
    this.#heads = new BoundedCache(maxHeads);
  }

  get(session: SessionKey): NetworkHead<Version> | undefined {
    return this.#heads.get(sessionName(session));
  }

  set(head: NetworkHead<Version>, version: Version): void {
    // The holder that finishes the run needs its request; without it, the next write reads both.
    if (head.active?.run.request === UNREAD_REQUEST) this.forget(head.key);
    else this.#heads.set(sessionName(head.key), { ...head, version, openState: undefined });
  }

  forget(session: SessionKey): void {
    this.#heads.delete(sessionName(session));
  }
}

/** Identifiers have no control characters, so no two sessions share a name. */
export function sessionName(session: SessionKey): string {
  return `${tenantOf(session)}\n${session.appName}\n${session.userId}\n${session.id}`;
}
