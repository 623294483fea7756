import type { TenantScoped } from "#kit/names/tenant.ts";

export const RUN_NOTIFICATION_KINDS = [
  "cancel",
  "awaited",
  "ended",
  "available",
  "claimed",
  "revision-asked",
  "revision-held",
  "revision-missing",
  "revision-used",
] as const;

/**
 * A notification about one run, between processes that execute runs. `cancel`: the run's record requests its
 * cancellation; `awaited`: a process waits for the run's end; `ended`: the run has ended; `available`: the run's runner
 * has handed it over, or leaves it to a runner that has its agent revision; `claimed`: a process has the client of a live
 * run, whose runner must hand it over.
 *
 * The others are about a version of an app. Their `runId` is `<app>@<agent revision>`. `revision-asked`: each runner with
 * the app answers; `revision-held`: a runner uses it for new turns; `revision-missing`: a runner has not loaded it;
 * `revision-used`: all runners have it, and use it from now on.
 */
export interface RunNotification extends TenantScoped {
  readonly kind: (typeof RUN_NOTIFICATION_KINDS)[number];
  readonly runId: string;
}

/**
 * Notifications that shorten waits. They may be lost or arrive twice, so they prove nothing: a receiver reads the
 * journal before it acts, and a process that waits for one also polls the journal.
 */
export interface RunNotifications {
  /** Notifies every listener of every process, the sender's own included. Best effort: never throws. */
  notify(notification: RunNotification): void;
  /** Calls the listener with each notification until disposed of. The listener must not throw. */
  onNotify(listener: (notification: RunNotification) => void): Disposable;
}

/**
 * Notifications inside one process. Listeners are called in a later turn of the event loop, as they would be over a
 * network.
 */
export class InMemoryRunNotifications implements RunNotifications {
  readonly #listeners = new Set<(notification: RunNotification) => void>();

  notify(notification: RunNotification): void {
    setImmediate(() => {
      for (const listener of this.#listeners) listener(notification);
    });
  }

  onNotify(listener: (notification: RunNotification) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
