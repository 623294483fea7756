import type { RunNotification, RunNotifications } from "./run-notifications.ts";

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
