import { describe, expect, it } from "vitest";
import type { RunNotification, RunNotifications } from "#ports/runs/run-notifications.ts";

export interface RunNotificationsContract {
  /** The same notifications in two processes. */
  readonly create: () => Promise<{
    readonly ends: readonly [RunNotifications, RunNotifications];
    /** Resolves when messages that are sent from now on reach every present listener. */
    readonly settle: () => Promise<void>;
    readonly dispose: () => Promise<void>;
  }>;
}

/** Collects notifications until there are `count`. */
function collect(notifications: RunNotifications, count: number) {
  const heard: RunNotification[] = [];
  const { promise, resolve } = Promise.withResolvers<readonly RunNotification[]>();
  const subscription = notifications.onNotify((notification) => {
    heard.push(notification);
    if (heard.length === count) resolve(heard);
  });
  return { all: promise, heard, subscription };
}

export function runNotificationsContract({ create }: RunNotificationsContract): void {
  describe("notifications about runs", () => {
    it("reach every listener, the sender's own too, in the order in which they were sent", async () => {
      const { ends, settle, dispose } = await create();
      const listeners = [collect(ends[0], 4), collect(ends[1], 4)];
      await settle();
      const sent: RunNotification[] = [
        { kind: "cancel", runId: "run 1" },
        { kind: "awaited", runId: "é🎲 with spaces" },
        { kind: "ended", runId: "run 1" },
        { kind: "available", runId: "run 2", tenantId: "acme" },
      ];
      for (const notification of sent) ends[0].notify(notification);
      for (const { all } of listeners) expect(await all).toEqual(sent);
      await dispose();
    });

    it("no longer reach a listener that was disposed of", async () => {
      const { ends, settle, dispose } = await create();
      // The same process notifies the listener that stays after the listener that leaves.
      const [leaver, stayer] = [collect(ends[0], 1), collect(ends[0], 2)];
      const other = collect(ends[1], 2);
      await settle();
      ends[0].notify({ kind: "cancel", runId: "first" });
      await leaver.all;
      leaver.subscription[Symbol.dispose]();
      ends[0].notify({ kind: "cancel", runId: "second" });
      await Promise.all([stayer.all, other.all]);
      expect(leaver.heard).toEqual([{ kind: "cancel", runId: "first" }]);
      await dispose();
    });
  });
}
