import { describe, expect, it, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { InMemoryRunNotifications } from "#ports/runs/run-notifications.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { briefEntry, createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";

describe("cancelRun", () => {
  it("aborts an active run immediately", async () => {
    const held = heldStep("never");
    const { start, read, service, store } = await createRunnerWorld([held.step]);
    const run = await start("hi");
    await held.begun;
    expect((await service.cancelRun(run.runId)).cancelRequested).toBe(true);
    expect((await read(run.runId)).map(briefEntry)).toEqual(["1.1 RUN_CANCELLED #2", "1.2 cancelled"]);
    expect((await store.get(run.runId))?.status).toBe("cancelled");
  });

  it("removes a run from the queue and publishes its end, while the run ahead continues", async () => {
    const held = heldStep("one");
    const { start, read, service } = await createRunnerWorld([held.step, "three"]);
    const first = await start("a");
    const second = await start("b");
    const third = await start("c");
    expect((await service.cancelRun(second.runId)).status).toBe("cancelled");
    expect((await read(second.runId)).map(briefEntry)).toEqual(["0.1 cancelled"]);
    held.release();
    expect((await read(first.runId)).map(briefEntry)).toEqual(["1.1 one #2", "1.2 succeeded"]);
    expect((await read(third.runId)).map(briefEntry)).toEqual(["2.1 three #4", "2.2 succeeded"]);
  });

  it("does not end a run for a notification whose request is not in the run's record", async () => {
    const held = heldStep("one");
    const runNotifications = new InMemoryRunNotifications();
    const { start, read, store } = await createRunnerWorld([held.step], { runNotifications });
    const { runId } = await start("hi");
    await held.begun;
    const get = vi.spyOn(store, "get");
    runNotifications.notify({ kind: "cancel", runId });
    await expect.poll(() => get).toHaveBeenCalledWith(runId, undefined);
    await get.mock.results[0]?.value;
    // The steps after reading the record have run in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    held.release();
    expect((await read(runId)).map(briefEntry)).toEqual(["1.1 one #2", "1.2 succeeded"]);
  });

  it("of a run that does not exist is refused", async () => {
    const { service } = await createRunnerWorld([]);
    await expect(service.cancelRun("none")).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
  });

  it("is forwarded to the runner that executes the run, if there are notifications", async () => {
    const sent: unknown[] = [];
    const runNotifications = {
      notify: (notification: unknown) => void sent.push(notification),
      onNotify: () => ({ [Symbol.dispose]: () => {} }),
    };
    for (const overrides of [{ runNotifications }, {}]) {
      const { store, service } = await createRunnerWorld([], overrides);
      await store.begin({
        ...{ runId: "run", session: KEY, invocationId: "i", request: {}, policy: "enqueue" },
        ...{ holder: "other", leaseMs: 60_000, haveRevision: 0 },
      });
      expect((await service.cancelRun("run")).cancelRequested).toBe(true);
      const newer = await service.startRun({ session: KEY, request: {}, policy: "interrupt" });
      expect(newer.status).toBe("pending");
      await service.abortRuns();
    }
    expect(sent.filter((notification) => JSON.stringify(notification).includes("cancel"))).toEqual([
      { kind: "cancel", runId: "run" },
      { kind: "cancel", runId: "run" },
    ]);
  });

  it("ends a run for a notification, active or queued, if the request is in its record", async () => {
    const held = heldStep("never");
    const runNotifications = new InMemoryRunNotifications();
    const { start, read, store } = await createRunnerWorld([held.step], { runNotifications });
    const [active, queued] = [await start("a"), await start("b")];
    await held.begun;
    for (const { runId } of [queued, active]) {
      await store.cancel(runId);
      runNotifications.notify({ kind: "cancel", runId });
    }
    expect((await read(queued.runId)).map(briefEntry)).toEqual(["0.1 cancelled"]);
    expect((await read(active.runId)).map(briefEntry).at(-1)).toBe("1.2 cancelled");
  });

  it("does nothing for a notification of a run that is not here, and logs one whose record cannot be read", async () => {
    const held = heldStep("one");
    const logger = new RecordingLogger();
    const runNotifications = new InMemoryRunNotifications();
    const { start, store, service } = await createRunnerWorld([held.step], { runNotifications, logger });
    const { runId } = await start("a");
    await held.begun;
    const get = vi.spyOn(store, "get").mockRejectedValue(new PlatformError("STORE_UNAVAILABLE", "away"));
    const warned = logger.next("a run's record cannot be read to cancel it");
    runNotifications.notify({ kind: "cancel", runId: "elsewhere" });
    runNotifications.notify({ kind: "cancel", runId });
    expect((await warned).fields["runId"]).toBe(runId);
    expect(get.mock.calls).toEqual([[runId, undefined]]);
    get.mockRestore();
    held.release();
    await service.whenIdle();
  });
});
