import { fromTenantKey } from "#kit/names/tenant.ts";
import { RUN_NOTIFICATION_KINDS, type RunNotification, type RunNotifications } from "#ports/runs/run-notifications.ts";
import type { PostgresSignals } from "./signals.ts";
import { encodeScoped } from "./stream-names.ts";

const KINDS: ReadonlySet<string> = new Set(RUN_NOTIFICATION_KINDS);

/** Notifications between processes, as signals. */
export class PostgresRunNotifications implements RunNotifications, AsyncDisposable {
  readonly #signals: PostgresSignals;
  readonly #listeners = new Set<(notification: RunNotification) => void>();
  readonly #registration: Disposable;

  /** The caller closes the signals. */
  constructor({ signals }: { readonly signals: PostgresSignals }) {
    this.#signals = signals;
    this.#registration = signals.add({
      receive: (kind, text) => {
        const notification = kind === "run" ? parse(text) : undefined;
        if (notification !== undefined) for (const listener of this.#listeners) listener(notification);
      },
      hear: () => {},
    });
  }

  notify(notification: RunNotification): void {
    this.#signals.send("run", `${notification.kind} ${encodeScoped(notification.runId, notification)}`);
  }

  onNotify(listener: (notification: RunNotification) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#registration[Symbol.dispose]();
    this.#listeners.clear();
  }
}

/** Returns undefined for a kind that only a newer version sends. */
function parse(text: string): RunNotification | undefined {
  const at = text.indexOf(" ");
  const kind = text.slice(0, at);
  if (!KINDS.has(kind)) return undefined;
  const { name: runId, ...tenant } = fromTenantKey(decodeURIComponent(text.slice(at + 1)));
  // The set contains only these kinds.
  return { kind: kind as RunNotification["kind"], runId, ...tenant };
}
