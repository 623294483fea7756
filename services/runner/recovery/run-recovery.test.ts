import { describe, expect, it, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { ScriptedStep } from "#kit/testing/scripted-model.ts";
import { InMemoryRunNotifications } from "#ports/runs/run-notifications.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import { runnerConfigSchema } from "../config.ts";
import type { RecoveryKind } from "../metrics/run-observer.ts";

const OTHER = { ...KEY, id: "other" };
const NO_LOAD = { busySlots: 0, queued: 0, oldestQueuedMs: 0 };

/** A runner, and runs of another runner that was lost. */
async function createWorld(steps: readonly ScriptedStep[], settings: Readonly<Record<string, string>> = {}) {
  const logger = new RecordingLogger();
  const recovered: RecoveryKind[] = [];
  const observer = {
    runStarted: () => {},
    runEnded: () => {},
    runRecovered: (kind: RecoveryKind) => void recovered.push(kind),
  };
  const runNotifications = new InMemoryRunNotifications();
  const config = loadConfig(runnerConfigSchema, settings);
  const world = await createRunnerWorld(steps, { logger, observer, runNotifications, config });
  const { store, clock } = world;
  await store.createSession(OTHER);
  const begin = (runId: string, session = KEY, holder = "lost") =>
    store.begin({
      runId,
      session,
      invocationId: `e-${runId}`,
      request: { newMessage: userContent(runId) },
      policy: "enqueue",
      holder,
      leaseMs: 1000,
      haveRevision: 0,
    });
  const recordOf = async (runId: string): Promise<RunRecord> => {
    const record = await store.get(runId);
    if (record === undefined) throw new Error(`no run ${runId}`);
    return record;
  };
  /** A run of the session whose runner was lost more than a lease ago. */
  const lose = async (runId: string, session = KEY): Promise<RunRecord> => {
    await begin(runId, session);
    clock.advance(100_000);
    return recordOf(runId);
  };
  const warnings = () => logger.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  return { ...world, logger, recovered, runNotifications, begin, recordOf, lose, warnings };
}

describe("a run whose runner was lost", () => {
  it("is recovered once, executed and reported", async () => {
    const { service, lose, store, recovered, logger } = await createWorld(["done"]);
    const record = await lose("run");
    expect(await Promise.all([service.recover(record), service.recover(record)])).toEqual([
      "recovered",
      "not-available",
    ]);
    await service.whenIdle();
    expect([(await store.get("run"))?.status, recovered, service.load]).toEqual(["succeeded", ["resumed"], NO_LOAD]);
    expect(logger.lines.find(({ message }) => message === "run recovered")?.fields).toEqual({
      runId: "run",
      sessionId: KEY.id,
      attempts: 2,
    });
  });

  it("is not available when it is active here, when it has ended, and when the runner drains", async () => {
    const held = heldStep("done");
    const { service, start, recordOf, lose, store } = await createWorld([held.step]);
    const { runId } = await start("hi");
    await held.begun;
    const begin = vi.spyOn(store, "begin");
    expect(await service.recover(await recordOf(runId))).toBe("not-available");
    expect(begin).not.toHaveBeenCalled();
    const active = await recordOf(runId);
    held.release();
    await service.whenIdle();
    expect([await service.recover(active), service.load]).toEqual(["not-available", NO_LOAD]);
    const lost = await lose("lost", OTHER);
    service.drain();
    begin.mockClear();
    expect(await service.recover(lost)).toBe("not-available");
    expect(begin).not.toHaveBeenCalled();
  });

  it("stays where it is when all slots are taken", async () => {
    const held = heldStep("done");
    const { service, start, lose } = await createWorld([held.step], { MAX_CONCURRENT_RUNS: "1" });
    await start("hi");
    await held.begun;
    expect(await service.recover(await lose("lost", OTHER))).toBe("no-slot");
    expect(service.load.busySlots).toBe(1);
    held.release();
    await service.whenIdle();
  });

  it("stays where it is when its app cannot be loaded here", async () => {
    const { service, lose, deps, warnings } = await createWorld([]);
    const record = await lose("run");
    vi.spyOn(deps.agentLoader, "loadAgent").mockRejectedValue(new PlatformError("APP_NOT_FOUND", "It was removed."));
    expect(await service.recover(record)).toBe("no-app");
    expect([warnings(), service.load]).toEqual([["the app of an abandoned run cannot be loaded here"], NO_LOAD]);
  });

  it("stays where it is when the store fails, and is recovered later", async () => {
    const { service, lose, store, warnings } = await createWorld(["done"]);
    const record = await lose("run");
    vi.spyOn(store, "begin").mockRejectedValueOnce(new PlatformError("STORE_UNAVAILABLE", "away"));
    expect(await service.recover(record)).toBe("not-available");
    expect([warnings(), service.load]).toEqual([["an abandoned run cannot be recovered"], NO_LOAD]);
    expect(await service.recover(record)).toBe("recovered");
    await service.whenIdle();
    expect((await store.get("run"))?.status).toBe("succeeded");
  });

  it("is queued here when its session is busy", async () => {
    const held = heldStep("one");
    const { service, start, begin, recordOf, store, recovered } = await createWorld([held.step, "two"]);
    await start("hi");
    await held.begun;
    await begin("queued");
    expect(await service.recover(await recordOf("queued"))).toBe("recovered");
    expect(service.load).toMatchObject({ busySlots: 1, queued: 1 });
    held.release();
    await service.whenIdle();
    expect([(await store.get("queued"))?.status, recovered]).toEqual(["succeeded", []]);
  });
});

describe("the notification that a run was handed over", () => {
  it("recovers the run if its record is pending", async () => {
    const { service, begin, store, runNotifications, recovered, logger } = await createWorld(["done"]);
    const begun = await begin("run");
    if (begun.kind !== "started") throw new Error("the run did not start");
    await store.release(begun.lease);
    const done = logger.next("run recovered");
    runNotifications.notify({ kind: "available", runId: "run" });
    await done;
    await service.whenIdle();
    expect([(await store.get("run"))?.status, recovered]).toEqual(["succeeded", ["handed-over"]]);
  });

  it.each(["active", "unknown"])("does nothing for a run that is %s", async (runId) => {
    const { begin, store, runNotifications, warnings } = await createWorld([]);
    await begin("active");
    const [get, asked] = [vi.spyOn(store, "get"), vi.spyOn(store, "begin")];
    runNotifications.notify({ kind: "available", runId });
    await expect.poll(() => get).toHaveBeenCalledWith(runId, undefined);
    await get.mock.results[0]?.value;
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked.mock.calls, warnings()]).toEqual([[], []]);
  });

  it("is logged when the record cannot be read", async () => {
    const { store, runNotifications, logger } = await createWorld([]);
    const warned = logger.next("a run that was handed over cannot be read");
    vi.spyOn(store, "get").mockRejectedValueOnce(new PlatformError("STORE_UNAVAILABLE", "away"));
    runNotifications.notify({ kind: "available", runId: "run" });
    expect((await warned).fields["runId"]).toBe("run");
  });
});
