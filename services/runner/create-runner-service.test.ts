import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemoryRunNotifications, type RunNotification } from "#ports/runs/run-notifications.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import type { ObservedEnd, RunnerLoad } from "./metrics/run-observer.ts";
import { openAnalytics } from "./open-analytics.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACE_PARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

describe("a runner service", () => {
  it("begins runs with its lease, and keeps the place of a lost run in the queue for 60 leases", async () => {
    const { store, start, service, deps } = await createRunnerWorld(["yes"]);
    const begin = vi.spyOn(store, "begin");
    await start("hi");
    await service.whenIdle();
    const leaseMs = deps.config.LEASE_MS;
    expect(begin.mock.lastCall?.[0]).toMatchObject({ leaseMs, abandonAfterMs: 60 * leaseMs, holder: "here" });
  });

  it.each([
    [undefined, false],
    ["full", true],
  ] as const)("stores the texts of errors as the setting says: %s", async (errorDetail, hasText) => {
    const failing = await createRunnerWorld([new TypeError("broken")], errorDetail && { errorDetail });
    const { runId } = await failing.start("hi");
    await failing.service.whenIdle();
    const message = (await failing.store.get(runId))?.error?.message;
    expect(message?.includes("TypeError: broken")).toBe(hasText);
  });

  it("continues the trace of the request that starts a run, and stores it with the run", async () => {
    const spans: SpanRecord[] = [];
    const { service } = await createRunnerWorld(["yes", "yes"], {
      spanSinks: [(_session, ended) => void spans.push(...ended)],
    });
    const request = { newMessage: userContent("hi") };
    const principal = { tenantId: DEFAULT_TENANT, ...KEY, scopes: [] };
    const traced = await inCallScope({ principal, traceParent: TRACE_PARENT }, () =>
      service.startRun({ session: KEY, request }),
    );
    await service.whenIdle();
    expect([traced.request.traceParent, new Set(spans.map(({ traceId }) => traceId))]).toEqual([
      TRACE_PARENT,
      new Set([TRACE_ID]),
    ]);
    expect((await service.startRun({ session: KEY, request })).request).toStrictEqual(request);
    await service.whenIdle();
  });

  it("writes rows about the runs of all apps to the folder of the setting", async () => {
    const folder = mkdtempSync(join(tmpdir(), "analytics-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { service, start } = await createRunnerWorld(["yes"], {
      openAnalyticsPlugins: await openAnalytics({ ANALYTICS_DIR: folder, ANALYTICS_FILE: "" }),
    });
    onTestFinished(() => service[Symbol.asyncDispose]());
    await start("hi");
    await service.whenIdle();
    const lines = (): readonly string[] =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
    await expect.poll(() => lines().map((line) => JSON.parse(line).event_type)).toContain("INVOCATION_COMPLETED");
    expect(readdirSync(folder)).toContain("views.sql");
  });

  it("starts no second run for the same idempotency key", async () => {
    const { service, model } = await createRunnerWorld(["yes"]);
    const request = { session: KEY, request: { newMessage: userContent("hi") }, idempotencyKey: "once" };
    const first = await service.startRun(request);
    await service.whenIdle();
    expect([(await service.startRun(request)).runId, model.callCount]).toEqual([first.runId, 1]);
  });

  it("lists and describes its apps", async () => {
    const { service } = await createRunnerWorld([]);
    expect([await service.listApps(), (await service.describeApp("app")).rootAgent.name]).toEqual([["app"], "app"]);
  });

  it("reports its load, its leases and how long runs took", async () => {
    const held = heldStep("yes");
    const ended: ObservedEnd[] = [];
    let read: (() => RunnerLoad) | undefined;
    const observer = {
      runStarted: () => {},
      runEnded: (end: ObservedEnd) => void ended.push(end),
      watchLoad: (load: () => RunnerLoad) => {
        read = load;
      },
    };
    const logger = new RecordingLogger();
    const { start, service, clock } = await createRunnerWorld([held.step], { observer, logger });
    clock.advance(1000);
    await start("hi");
    await held.begun;
    expect(read?.()).toEqual({ busySlots: 1, queued: 0, oldestQueuedMs: 0 });
    clock.advance(70);
    held.release();
    await service.whenIdle();
    expect(ended.map(({ appName, durationMs }) => [appName, durationMs])).toEqual([["app", 70]]);
    expect(logger.lines.find(({ message }) => message === "run ended")?.fields).toMatchObject({
      status: "succeeded",
      attempts: 1,
      durationMs: 70,
    });
  });

  it("notifies a runner that waits for the end of a run", async () => {
    const held = heldStep("yes");
    const runNotifications = new InMemoryRunNotifications();
    const { start, service } = await createRunnerWorld([held.step], { runNotifications });
    const { runId } = await start("hi");
    await held.begun;
    const { promise, resolve } = Promise.withResolvers<RunNotification>();
    using _ = runNotifications.onNotify((notification) => {
      if (notification.kind === "awaited") held.release();
      else resolve(notification);
    });
    runNotifications.notify({ kind: "awaited", runId });
    expect(await promise).toEqual({ kind: "ended", runId });
    await service.whenIdle();
  });

  it("closes its apps and its subscriptions, and logs an app that cannot be closed", async () => {
    const logger = new RecordingLogger();
    let subscriptions = 0;
    const runNotifications = {
      notify: () => {},
      onNotify: () => {
        subscriptions += 1;
        return { [Symbol.dispose]: () => void (subscriptions -= 1) };
      },
    };
    const app = createApp({
      name: "app",
      rootAgent: new LlmAgent({ name: "app", model: new ScriptedModel(["yes"]) }),
      plugins: [{ name: "backend", close: () => Promise.reject(new Error("no")) }],
    });
    const agentLoader = new StaticAgentLoader([app]);
    const { start, service } = await createRunnerWorld([], { runNotifications, agentLoader, logger });
    await start("hi");
    await service.whenIdle();
    expect(subscriptions).toBe(3);
    await service[Symbol.asyncDispose]();
    expect(subscriptions).toBe(0);
    expect(logger.lines.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      "an app could not be closed",
    ]);
    await expect(start("again")).rejects.toMatchObject({ reason: "SERVER_SHUTTING_DOWN" });
  });
});

describe("the log of a runner service", () => {
  it("has the outage of the run stream", async () => {
    const logger = new RecordingLogger();
    const { start, service, runStream } = await createRunnerWorld(["yes"], { logger });
    runStream.publish = () => Promise.reject(new PlatformError("STORE_UNAVAILABLE", "away"));
    const { runId } = await start("hi");
    await service.whenIdle();
    const warned = logger.lines.filter(({ level }) => level === "warn");
    expect(warned.map(({ message, fields }) => [message, fields["runId"]])).toEqual([
      ["run stream not written", runId],
    ]);
  });

  it("has a run whose end could neither be stored nor read", async () => {
    const logger = new RecordingLogger();
    const { start, service, store } = await createRunnerWorld(["yes"], { logger });
    vi.spyOn(store, "finish").mockRejectedValue(new PlatformError("SERVICE_TIMEOUT", "too slow"));
    vi.spyOn(store, "get").mockRejectedValue(new PlatformError("STORE_UNAVAILABLE", "away"));
    await start("hi");
    await service.whenIdle();
    expect(logger.lines.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
      "run could not be finished",
      "the record of a failed run cannot be read",
    ]);
  });
});
