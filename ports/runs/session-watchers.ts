import { escapeSegment } from "#kit/names/identifiers.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** The listeners in one process for changes of sessions. */
export class SessionWatchers {
  readonly #listeners = new Map<string, Set<() => void>>();

  add(session: SessionKey, listener: () => void): Disposable {
    const name = sessionName(session);
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
      },
    };
  }

  notify(session: SessionKey): void {
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners.get(sessionName(session)) ?? []) listener();
  }
}

/** A unique name made of the session's tenant and three ids. */
export function sessionName({ tenantId, appName, userId, id }: SessionKey): string {
  return tenantKey(`${escapeSegment(appName)}/${escapeSegment(userId)}/${escapeSegment(id)}`, tenantId);
}
