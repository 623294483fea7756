import { setTimeout as pause } from "node:timers/promises";
import { inTenant, type TenantScoped, tenantKey } from "#kit/names/tenant.ts";
import type { RunNotifications } from "#ports/runs/run-notifications.ts";

/** Wait before polling a run that another process executes; it doubles with each poll up to the maximum. */
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 1000;
/** Poll interval without notifications, when an end is found only by polling. */
const UNNOTIFIED_POLL_MS = 100;

interface AwaitedRun extends TenantScoped {
  readonly runId: string;
}

/** Waits for the ends of runs that other runners execute: by notification where there are any, and by polling. */
export class RemoteRunEnds implements Disposable {
  readonly #notifications: RunNotifications | undefined;
  readonly #subscription: Disposable | undefined;
  /** Waiters for the end of a run, by its `tenantKey`. */
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  constructor(notifications: RunNotifications | undefined) {
    this.#notifications = notifications;
    this.#subscription = notifications?.onNotify(({ kind, runId, tenantId }) => {
      if (kind === "ended") this.#waiting.get(tenantKey(runId, tenantId))?.resolve();
    });
  }

  /**
   * Resolves when a notification reports the run's end, or when it is time to poll; `polls` counts those without
   * success.
   */
  async ended({ runId, tenantId }: AwaitedRun, polls: number): Promise<void> {
    if (this.#notifications === undefined) return pause(UNNOTIFIED_POLL_MS, undefined, { ref: false });
    const name = tenantKey(runId, tenantId);
    const end = this.#waiting.get(name) ?? Promise.withResolvers<void>();
    this.#waiting.set(name, end);
    this.#notifications.notify({ kind: "awaited", runId, ...inTenant(tenantId) });
    const controller = new AbortController();
    const pollAfterMs = Math.min(FIRST_POLL_MS * 2 ** Math.min(polls, 10), MAX_POLL_MS);
    const poll = pause(pollAfterMs, undefined, { ref: false, signal: controller.signal }).catch(() => {});
    await Promise.race([end.promise, poll]);
    controller.abort();
    if (this.#waiting.get(name) === end) this.#waiting.delete(name);
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }
}
