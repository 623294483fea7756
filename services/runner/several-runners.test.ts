import { describe, expect, it, vi } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import type { ScriptedStep } from "#kit/testing/scripted-model.ts";
import {
  InMemoryRunNotifications,
  type RunNotification,
  type RunNotifications,
} from "#ports/runs/run-notifications.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import { runnerConfigSchema } from "./config.ts";
import { createRunnerService } from "./create-runner-service.ts";

/** Two runners over one store, one stream and these notifications; their model answers the steps in turn. */
async function createWorld(steps: readonly ScriptedStep[], runNotifications: RunNotifications) {
  // No reaper scans before this test has ended.
  const config = loadConfig(runnerConfigSchema, { LEASE_MS: "3600000" });
  const { deps, service, store, read, texts } = await createRunnerWorld(steps, { runNotifications, config });
  const runners = [service, createRunnerService({ ...deps, holder: "there" })] as const;
  return {
    ...{ runners, store, texts },
    start: (runner: 0 | 1, text: string, policy: ConcurrencyPolicy = "enqueue") =>
      runners[runner].startRun({ session: KEY, request: { newMessage: userContent(text) }, policy }),
    /** How the run's stream ends. */
    endOf: async (runId: string): Promise<string> => {
      const last = (await read(runId)).at(-1);
      return last?.kind === "end" ? last.status : "no end";
    },
  };
}

/** Notifications that are recorded and delivered to no one. */
class LostNotifications implements RunNotifications {
  readonly sent: RunNotification[] = [];
  notify(notification: RunNotification): void {
    this.sent.push(notification);
  }
  onNotify(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }
}

describe("runners that share their sessions", () => {
  it("end an active run that another runner was asked to cancel", async () => {
    const held = heldStep("never");
    const { runners, start, endOf } = await createWorld([held.step], new InMemoryRunNotifications());
    const { runId } = await start(0, "hi");
    await held.begun;
    expect((await runners[1].cancelRun(runId)).status).toBe("running");
    expect(await endOf(runId)).toBe("cancelled");
  });

  it("remove a queued run that another runner was asked to cancel, and publish its end", async () => {
    const held = heldStep("one");
    const { runners, start, endOf, texts } = await createWorld([held.step], new InMemoryRunNotifications());
    const first = await start(0, "a");
    await held.begun;
    const second = await start(1, "b");
    expect((await runners[0].cancelRun(second.runId)).status).toBe("cancelled");
    expect(await endOf(second.runId)).toBe("cancelled");
    held.release();
    expect(await endOf(first.runId)).toBe("succeeded");
    expect(await texts()).toEqual(["user: a", "app: one"]);
  });

  it("start a queued run when the run ahead ends on another runner", async () => {
    const held = heldStep("one");
    const { start, endOf, texts } = await createWorld([held.step, "two", "three"], new InMemoryRunNotifications());
    await start(0, "a");
    await held.begun;
    const second = await start(1, "b");
    const third = await start(0, "c");
    held.release();
    expect([await endOf(second.runId), await endOf(third.runId)]).toEqual(["succeeded", "succeeded"]);
    expect(await texts()).toEqual(["user: a", "app: one", "user: b", "app: two", "user: c", "app: three"]);
  });

  it("store the message of a queued run when they begin it, without a further commit", async () => {
    const held = heldStep("one");
    const { start, store, endOf, texts } = await createWorld([held.step, "two"], new InMemoryRunNotifications());
    const append = vi.spyOn(store, "append");
    await start(0, "a");
    await held.begun;
    const second = await start(1, "b");
    held.release();
    expect(await endOf(second.runId)).toBe("succeeded");
    expect(await texts()).toEqual(["user: a", "app: one", "user: b", "app: two"]);
    expect(append).not.toHaveBeenCalled();
  });

  it.each(["interrupt", "rollback"] as const)(
    "drop queued runs of both runners when a newer message replaces them (%s)",
    async (policy) => {
      const held = heldStep("never");
      const { start, store, endOf, texts } = await createWorld([held.step, "newest"], new InMemoryRunNotifications());
      const first = await start(0, "a");
      await held.begun;
      const waiting = [await start(0, "b"), await start(1, "c"), await start(1, "d", "interrupt")];
      const last = await start(0, "e", policy);
      expect(await endOf(last.runId)).toBe("succeeded");
      const ends = await Promise.all([first, ...waiting].map(({ runId }) => endOf(runId)));
      expect(ends).toEqual(["cancelled", "cancelled", "cancelled", "cancelled"]);
      for (const { runId } of waiting)
        expect((await store.get(runId))?.error?.message).toBe("A newer message took this run's place.");
      expect((await texts()).slice(-2)).toEqual(["user: e", "app: newest"]);
      expect((await texts()).filter((text) => /^user: [a-e]$/.test(text))).toEqual(["user: a", "user: e"]);
    },
  );

  it("interrupt a run of another runner", async () => {
    const held = heldStep("never");
    const { start, endOf } = await createWorld([held.step, "two"], new InMemoryRunNotifications());
    const first = await start(0, "a");
    await held.begun;
    const second = await start(1, "b", "interrupt");
    expect([await endOf(first.runId), await endOf(second.runId)]).toEqual(["cancelled", "succeeded"]);
  });

  it("start queued runs by polling when every notification is lost", async () => {
    const held = heldStep("one");
    const notifications = new LostNotifications();
    const { start, endOf } = await createWorld([held.step, "two"], notifications);
    const first = await start(0, "a");
    await held.begun;
    const second = await start(1, "b");
    held.release();
    expect(await endOf(second.runId)).toBe("succeeded");
    expect(notifications.sent[0]).toEqual({ kind: "awaited", runId: first.runId });
  });

  it("send no notification about a run that no other runner waits for", async () => {
    const notifications = new LostNotifications();
    const { start, endOf } = await createWorld(["one"], notifications);
    expect(await endOf((await start(0, "a")).runId)).toBe("succeeded");
    expect(notifications.sent).toEqual([]);
  });
});
