import { setTimeout as pause } from "node:timers/promises";
import type { RunNotifications } from "#kit/runs/stream/run-notifications.ts";

/** How long to wait before looking again at a run ahead that another process executes: longer each time, up to the last. */
const FIRST_LOOK_MS = 50;
const MAX_LOOK_MS = 1000;
/** Without notifications the journal is polled. */
const LOOK_UNTOLD_MS = 100;

/** Runs that other runners execute. With notifications, their ends are notified; without, the journal is polled. */
export class RemoteRuns implements Disposable {
  readonly #notifications: RunNotifications | undefined;
  readonly #subscription: Disposable | undefined;
  /** Those who wait for the end of a run. */
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  constructor(notifications: RunNotifications | undefined) {
    this.#notifications = notifications;
    this.#subscription = notifications?.onNotify(({ kind, runId }) => {
      if (kind === "ended") this.#waiting.get(runId)?.resolve();
    });
  }

  /** Resolves when the run's end is told, or when it is time to look oneself; `looks` is how often that was in vain. */
  async ended(runId: string, looks: number): Promise<void> {
    if (this.#notifications === undefined) return pause(LOOK_UNTOLD_MS, undefined, { ref: false });
    const told = this.#waiting.get(runId) ?? Promise.withResolvers<void>();
    this.#waiting.set(runId, told);
    this.#notifications.notify({ kind: "awaited", runId });
    const impatience = new AbortController();
    const lookAfterMs = Math.min(FIRST_LOOK_MS * 2 ** Math.min(looks, 10), MAX_LOOK_MS);
    const look = pause(lookAfterMs, undefined, { ref: false, signal: impatience.signal }).catch(() => {});
    await Promise.race([told.promise, look]);
    impatience.abort();
    if (this.#waiting.get(runId) === told) this.#waiting.delete(runId);
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }
}
