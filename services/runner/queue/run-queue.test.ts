import { describe, expect, it, vi } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemoryRunNotifications } from "#ports/runs/run-notifications.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { briefEntry, createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";

describe("a second message on a busy session", () => {
  it("is queued, in the order of arrival", async () => {
    const held = heldStep("one");
    const { start, read, texts } = await createRunnerWorld([held.step, "two", "three"]);
    const first = await start("a");
    const second = await start("b");
    const third = await start("c");
    expect([first.status, second.status, third.status]).toEqual(["running", "pending", "pending"]);
    await held.begun;
    held.release();
    expect((await read(third.runId)).map(briefEntry)).toEqual(["3.1 three #6", "3.2 succeeded"]);
    expect(await texts()).toEqual(["user: a", "app: one", "user: b", "app: two", "user: c", "app: three"]);
  });

  it("asks for the lease again while a long run of the same process is ahead, which keeps its grant valid", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const held = heldStep("one");
      const { start, read, store } = await createRunnerWorld([held.step, "two"]);
      await start("a");
      const second = await start("b");
      await held.begun;
      const begin = vi.spyOn(store, "begin");
      await vi.advanceTimersByTimeAsync(60_000);
      expect(begin.mock.calls.map(([{ runId }]) => runId)).toEqual([second.runId]);
      held.release();
      expect((await read(second.runId)).map(briefEntry).at(-1)).toMatch(/succeeded$/);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that may not be queued is refused", async () => {
    const held = heldStep("one");
    const { start } = await createRunnerWorld([held.step]);
    const first = await start("a");
    await expect(start("b", { policy: "reject" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
      details: { runId: first.runId },
    });
    held.release();
  });

  it("that interrupts cancels the active run", async () => {
    const held = heldStep("one");
    const { start, read, texts } = await createRunnerWorld([held.step, "two"]);
    const first = await start("a");
    await held.begun;
    const second = await start("b", { policy: "interrupt" });
    expect(briefEntry((await read(first.runId)).at(-1) ?? { kind: "resync" })).toBe("1.2 cancelled");
    expect((await read(second.runId)).map(briefEntry)).toEqual(["2.1 two #4", "2.2 succeeded"]);
    expect(await texts()).toEqual(["user: a", "app: RUN_CANCELLED", "user: b", "app: two"]);
  });
});

describe("a queued message whose app was removed", () => {
  it("is cancelled, and releases its slot", async () => {
    const held = heldStep("one");
    const { start, read, service, deps } = await createRunnerWorld([held.step]);
    const first = await start("a");
    const second = await start("b");
    await held.begun;
    vi.spyOn(deps.agentLoader, "loadAgent").mockRejectedValue(new PlatformError("APP_NOT_FOUND", "It was taken away."));
    held.release();
    await read(first.runId);
    expect((await read(second.runId)).map(briefEntry)).toEqual(["0.1 cancelled"]);
    await service.whenIdle();
    expect(service.load).toEqual({ busySlots: 0, queued: 0, oldestQueuedMs: 0 });
  });
});

describe("a queued run that is first in its queue", () => {
  it.each(["STORE_UNAVAILABLE", "SERVICE_TIMEOUT"] as const)(
    "tries again, and is not cancelled, when the store fails with %s",
    async (reason) => {
      const held = heldStep("one");
      // The next try needs no wait: each request for an end is answered immediately.
      const runNotifications = new InMemoryRunNotifications();
      using _ = runNotifications.onNotify(({ kind, runId }) => {
        if (kind === "awaited") runNotifications.notify({ kind: "ended", runId });
      });
      const { start, read, store, texts } = await createRunnerWorld([held.step, "two"], { runNotifications });
      await start("a");
      const second = await start("b");
      await held.begun;
      const begin = vi.spyOn(store, "begin").mockRejectedValueOnce(new PlatformError(reason, "No answer."));
      held.release();
      expect((await read(second.runId)).map(briefEntry)).toEqual(["2.1 two #4", "2.2 succeeded"]);
      expect(begin).toHaveBeenCalledTimes(2);
      expect(await texts()).toEqual(["user: a", "app: one", "user: b", "app: two"]);
    },
  );

  it("releases its app at its end, so that a replaced version is closed", async () => {
    const held = heldStep("one");
    const model = new ScriptedModel([held.step, "two", "three"]);
    const closed: string[] = [];
    const version = (name: string) =>
      createApp({
        name: KEY.appName,
        rootAgent: new LlmAgent({ name: KEY.appName, model }),
        plugins: [{ name, close: () => void closed.push(name) }],
      });
    const { start, read, service, deps } = await createRunnerWorld([], {
      agentLoader: new StaticAgentLoader([version("old")]),
    });
    await start("a");
    const second = await start("b");
    await held.begun;
    held.release();
    await read(second.runId);
    await service.whenIdle();
    const newer = new StaticAgentLoader([version("new")]);
    vi.spyOn(deps.agentLoader, "loadAgent").mockImplementation((name) => newer.loadAgent(name));
    await read((await start("c")).runId);
    await expect.poll(() => closed).toEqual(["old"]);
  });
});

describe("a second message that rolls back", () => {
  it("rolls the active run back, so that the model never gets its message", async () => {
    const held = heldStep("one");
    const { start, read, model } = await createRunnerWorld(["hello", held.step, "two"]);
    await read((await start("hi")).runId);
    const first = await start("a");
    await held.begun;
    const second = await start("b", { policy: "rollback" });
    expect(briefEntry((await read(first.runId)).at(-1) ?? { kind: "resync" })).toBe("2.2 cancelled");
    expect((await read(second.runId)).map(briefEntry)).toEqual(["3.1 two #7", "3.2 succeeded"]);
    expect(model.requests.at(-1)?.contents).toEqual([userContent("hi"), modelContent("hello"), userContent("b")]);
  });
});
