import { expect, it, onTestFinished } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { Schedule } from "#ports/schedules/schedule.ts";
import type { ScheduleStore } from "#ports/schedules/schedule-store.ts";
import { TabularScheduleStore } from "#ports/schedules/tabular-schedule-store.ts";
import type { WebhookEvent } from "#ports/webhooks/webhook.ts";
import { type AppRules, readAppRules } from "#services/gateway/access/app-rules.ts";
import type { RouteDeps } from "#services/gateway/deps.ts";
import { EVERYBODY } from "#services/gateway/identity/caller.ts";
import type { ManagedKeys } from "#services/gateway/identity/identity.ts";
import { ownKey } from "#services/gateway/requests/idempotency.ts";
import { Scheduler } from "#services/gateway/schedules/scheduler.ts";
import { newSchedule } from "#test/contract/schedules/schedule-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { RunScript } from "#test/helpers/worlds/scripted-runner.ts";

const TEN = fromIsoTime("2026-06-01T10:00:00Z") ?? 0;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface WorldOptions {
  readonly script?: RunScript;
  readonly appRules?: () => AppRules | undefined;
  readonly apiKeys?: ManagedKeys;
}

async function startWorld({ script, appRules = () => undefined, apiKeys }: WorldOptions = {}) {
  const clock = new FixedClock(TEN - MINUTE);
  const store = new TabularScheduleStore({ table: new InMemoryRowTable() });
  const audited: AuditDecision[] = [];
  const auditor = { note: (decision: AuditDecision) => void audited.push(decision), require: async () => {} };
  const world = await startGateway({ clock, ...(script && { script }), deps: { auditor } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const deps: GatewayDepsOfTest = { ...world.deps, apiKeys };
  const reported: WebhookEvent[] = [];
  const webhooks = { report: async (event: WebhookEvent) => void reported.push(event), look: () => {} };
  // What a gateway adds for its routes is not used by schedules.
  const routeDeps = { ...deps, webhooks, unguarded: deps, publicPath: "" } as unknown as RouteDeps;
  /** A gateway that is not stopped in the test. A step of its own that never ends is not waited for. */
  const lose = (used: ScheduleStore): Scheduler => {
    const scheduler = new Scheduler(routeDeps, { store: used, isShared: true, appRules, lookMs: 5 });
    scheduler.look();
    onTestFinished(() => void scheduler.stop());
    return scheduler;
  };
  const startScheduler = (): Scheduler => {
    const scheduler = lose(store);
    onTestFinished(() => scheduler.stop());
    return scheduler;
  };
  const add = async (members: Partial<Schedule> = {}) => {
    const schedule = newSchedule("s1", { appName: "echo", nextMs: TEN, owner: { groups: [] }, ...members });
    await store.create(schedule, 100);
  };
  const runs = async () => (await world.store.list({ pageSize: 100 })).runs.toReversed();
  const ticks = async () =>
    ((await store.get({ scheduleId: "s1" }))?.lastTicks ?? []).map(({ tickMs, outcome, reason, count }) =>
      [toIsoTime(tickMs).slice(11, 16), outcome, reason ?? count].filter((part) => part !== undefined).join(" "),
    );
  return { ...world, clock, schedules: store, startScheduler, lose, add, runs, ticks, audited, reported };
}

type GatewayDepsOfTest = Awaited<ReturnType<typeof startGateway>>["deps"];

/** Runs that end when the test says so. */
function heldRuns() {
  const open: (() => void)[] = [];
  const script: RunScript = async (run) => {
    await new Promise<void>((resolve) => open.push(resolve));
    run.say("done");
  };
  return { open, script };
}

it("starts one run for each tick, as the user and in a session of its own, though several gateways look", async () => {
  verifies("schedules:once");
  const { clock, startScheduler, add, runs, ticks, schedules, audited } = await startWorld();
  await add({ stateDelta: { mood: "good" }, timing: { kind: "cron", cron: "0 * * * *", timeZone: "UTC" } });
  for (let count = 0; count < 4; count += 1) startScheduler();
  clock.advance(MINUTE - 1);
  expect(await runs()).toEqual([]);
  clock.advance(1);
  await expect.poll(ticks).toEqual(["10:00 started"]);
  clock.advance(HOUR);
  await expect.poll(ticks).toEqual(["11:00 started", "10:00 started"]);
  const found = await runs();
  expect(
    found.map(({ session, idempotencyKey, policy }) => [session.userId, session.id, idempotencyKey, policy]),
  ).toEqual([
    ["ada", "s1-20260601T100000Z", ownKey("schedule", ["s1", "20260601T100000Z"]), "enqueue"],
    ["ada", "s1-20260601T110000Z", ownKey("schedule", ["s1", "20260601T110000Z"]), "enqueue"],
  ]);
  expect(found[0]?.request).toMatchObject({ newMessage: { parts: [{ text: "Hello" }] }, stateDelta: { mood: "good" } });
  const kept = await schedules.get({ scheduleId: "s1" });
  expect(kept?.lastTicks.map(({ runId }) => runId)).toEqual(found.map(({ runId }) => runId).reverse());
  expect(audited.map(({ subject, action, resource, decision }) => [subject, action, resource, decision])).toEqual(
    found.map(({ runId, session }) => [
      "schedule:s1",
      "startScheduledRun",
      { appName: "echo", userId: "ada", runId, sessionId: session.id, id: "s1" },
      "allowed",
    ]),
  );
});

it("starts nothing twice if a gateway is lost between the start of the run and the commit of it", async () => {
  verifies("schedules:once");
  const { clock, startScheduler, lose, add, runs, ticks, schedules } = await startWorld();
  // The tick is too late to be caught up when another gateway finds it.
  await add({ catchUp: "none" });
  const lost = Promise.withResolvers<void>();
  const killed: ScheduleStore = {
    ...boundMethods(schedules),
    settle: () => {
      lost.resolve();
      return new Promise(() => {});
    },
  };
  // Its last step never ends: its process is gone.
  lose(killed);
  clock.advance(MINUTE);
  await lost.promise;
  const [first] = await runs();
  expect(await ticks()).toEqual([]);
  clock.advance(10 * MINUTE);
  startScheduler();
  await expect.poll(ticks).toEqual(["10:00 started"]);
  expect((await runs()).map(({ runId }) => runId)).toEqual([first?.runId]);
});

it("finds the run of a tick whose schedule got another message while its gateway was lost", async () => {
  verifies("schedules:once");
  const { clock, startScheduler, add, runs, ticks, schedules } = await startWorld();
  await add();
  const before = startScheduler();
  clock.advance(MINUTE);
  await expect.poll(ticks).toEqual(["10:00 started"]);
  await before.stop();
  const newMessage = { role: "user", parts: [{ text: "Another" }] };
  await schedules.update({ scheduleId: "s1" }, (schedule) => ({ ...schedule, newMessage, nextMs: TEN, lastTicks: [] }));
  startScheduler();
  await expect.poll(ticks).toEqual(["10:00 started"]);
  expect(await runs()).toHaveLength(1);
});

it.each([
  ["skip", ["11:00 skipped", "10:00 started"], 1],
  ["allow", ["11:00 started", "10:00 started"], 2],
  ["queue", ["10:00 started"], 1],
] as const)("with overlap %s, while a run is active: %j", async (overlap, expected, count) => {
  verifies("schedules:overlap", "webhooks:schedules");
  const { open, script } = heldRuns();
  const { clock, startScheduler, add, runs, ticks, schedules, reported } = await startWorld({ script });
  await add({ overlap, catchUp: "none" });
  startScheduler();
  clock.advance(MINUTE);
  await expect.poll(ticks).toEqual(["10:00 started"]);
  clock.advance(HOUR);
  await expect
    .poll(async () => (await schedules.get({ scheduleId: "s1" }))?.seenMs ?? (await ticks()).length)
    .not.toBe(1);
  expect(await ticks()).toEqual(expected);
  expect(await runs()).toHaveLength(count);
  const skipped = reported.map(({ type, timeMs }) => [type, toIsoTime(timeMs).slice(11, 16)]);
  expect(skipped).toEqual(overlap === "skip" ? [["schedule.skipped", "11:00"]] : []);
  await expect.poll(() => open.length).toBe(count);
  for (const end of open.splice(0)) end();
  if (overlap !== "queue") return;
  // It waited, and was not missed.
  await expect.poll(async () => (await runs())[0]?.status).toBe("succeeded");
  clock.advance(5 * MINUTE);
  await expect.poll(ticks).toEqual(["11:00 started", "10:00 started"]);
  for (const end of open) end();
});

it("reports ticks that were missed to webhooks, together", async () => {
  verifies("webhooks:schedules");
  const { clock, startScheduler, add, ticks, reported } = await startWorld();
  await add({ catchUp: "none", timing: { kind: "cron", cron: "0 * * * *", timeZone: "UTC" } });
  // Nobody looks at ten, nor at eleven.
  clock.advance(MINUTE + HOUR + 30 * MINUTE);
  startScheduler();
  await expect.poll(ticks).toEqual(["11:00 missed 2"]);
  expect(reported).toEqual([
    {
      type: "schedule.missed",
      timeMs: TEN + HOUR,
      session: { appName: "echo", userId: "ada", id: "schedule-s1" },
      about: `missed/s1/${TEN + HOUR}`,
      data: { scheduleId: "s1", appName: "echo", userId: "ada", tickTime: TEN + HOUR, count: 2 },
    },
  ]);
});

it("repeats a start that failed for a reason that passes, and gives one up that does not", async () => {
  const { clock, startScheduler, add, runs, ticks, runner, audited } = await startWorld();
  await add();
  const { startRun } = runner;
  let refusal: PlatformError | undefined = new PlatformError("RUNNER_BUSY", "All places are taken.");
  let calls = 0;
  runner.startRun = (request) => {
    calls += 1;
    return refusal === undefined ? startRun.call(runner, request) : Promise.reject(refusal);
  };
  startScheduler();
  clock.advance(MINUTE);
  await expect.poll(() => calls).toBe(1);
  clock.advance(6_000);
  await expect.poll(() => calls).toBe(2);
  expect(await ticks()).toEqual([]);
  refusal = undefined;
  clock.advance(11_000);
  await expect.poll(ticks).toEqual(["10:00 started"]);
  expect(await runs()).toHaveLength(1);
  refusal = new PlatformError("SESSION_CLOSED", "The session is closed.");
  clock.advance(HOUR);
  await expect.poll(ticks).toEqual(["11:00 failed SESSION_CLOSED", "10:00 started"]);
  expect(audited.at(-1)).toMatchObject({ subject: "schedule:s1", decision: "refused", reason: "SESSION_CLOSED" });
});

it("starts nothing for a user who may no longer use the app, or whose API key was revoked", async () => {
  verifies("schedules:access");
  const rules = readAppRules({ apps: { echo: { users: ["ada"], groups: ["desk"] } } });
  const without = readAppRules({ apps: { echo: { users: ["bob"], groups: ["desk"] } } });
  let now = rules;
  let key: Partial<typeof EVERYBODY> | undefined = { userId: "ada" };
  const apiKeys = {
    callerOfId: async () => key && { ...EVERYBODY, scopes: new Set(["runs:write"] as const), ...key },
  } as unknown as ManagedKeys;
  const { clock, startScheduler, add, runs, ticks } = await startWorld({ appRules: () => now, apiKeys });
  await add({ owner: { groups: [], keyId: "k1" } });
  startScheduler();
  clock.advance(MINUTE);
  await expect.poll(ticks).toEqual(["10:00 started"]);
  now = without;
  clock.advance(HOUR);
  await expect.poll(async () => (await ticks())[0]).toBe("11:00 failed APP_NOT_FOUND");
  now = rules;
  key = undefined;
  clock.advance(HOUR);
  await expect.poll(async () => (await ticks())[0]).toBe("12:00 failed UNAUTHENTICATED");
  key = { userId: "bob" };
  clock.advance(HOUR);
  await expect.poll(async () => (await ticks())[0]).toBe("13:00 failed USER_NOT_ALLOWED");
  key = { userId: "ada", scopes: new Set(["sessions:read"]) };
  clock.advance(HOUR);
  await expect.poll(async () => (await ticks())[0]).toBe("14:00 failed SCOPE_MISSING");
  expect(await runs()).toHaveLength(1);
});

it("starts a single time once, keeps the schedule for a month, and then deletes it", async () => {
  const { clock, startScheduler, add, runs, ticks, schedules } = await startWorld();
  await add({ timing: { kind: "at", atMs: TEN }, sessionId: "fixed" });
  startScheduler();
  clock.advance(MINUTE);
  await expect.poll(ticks).toEqual(["10:00 started"]);
  expect((await runs()).map(({ session }) => session.id)).toEqual(["fixed"]);
  clock.advance(29 * 24 * HOUR);
  expect(await schedules.get({ scheduleId: "s1" })).toBeDefined();
  clock.advance(2 * 24 * HOUR);
  await expect.poll(() => schedules.get({ scheduleId: "s1" })).toBe(undefined);
  expect(await runs()).toHaveLength(1);
});

it("pauses while the store cannot take what is due", async () => {
  const { clock, lose, add, schedules } = await startWorld();
  await add();
  let looks = 0;
  let takes = 0;
  const scheduler = lose({
    ...boundMethods(schedules),
    listDue: (limit) => {
      looks += 1;
      return schedules.listDue(limit);
    },
    take: async () => {
      takes += 1;
      throw new PlatformError("STORE_UNAVAILABLE", "The store does not answer.");
    },
  });
  onTestFinished(() => scheduler.stop());
  clock.advance(MINUTE);
  await expect.poll(() => takes).toBeGreaterThan(0);
  // A scheduler without a pause would look again in each turn of the event loop.
  const before = looks;
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(looks - before).toBeLessThan(5);
});

/** The store's methods, which a test replaces one by one. */
function boundMethods(store: TabularScheduleStore): ScheduleStore {
  return {
    create: (...given) => store.create(...given),
    get: (key) => store.get(key),
    list: (request) => store.list(request),
    update: (...given) => store.update(...given),
    delete: (key) => store.delete(key),
    listDue: (limit) => store.listDue(limit),
    take: (...given) => store.take(...given),
    settle: (...given) => store.settle(...given),
    listData: (request) => store.listData(request),
    deleteData: (request) => store.deleteData(request),
  };
}
