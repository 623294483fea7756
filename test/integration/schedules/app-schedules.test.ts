import { expect, it, onTestFinished } from "vitest";
import type { AppSchedule } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { TabularScheduleStore } from "#ports/schedules/tabular-schedule-store.ts";
import { appSchedules } from "#services/gateway/schedules/app-schedules.ts";
import { newSchedule } from "#test/contract/schedules/schedule-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const NINE: AppSchedule = { name: "morning", userId: "newsroom", cron: "0 9 * * *", text: "What is new?" };

async function startWorld() {
  const clock = new FixedClock(fromIsoTime("2026-06-01T00:00:00Z") ?? 0);
  const world = await startGateway({ clock });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const store = new TabularScheduleStore({ table: new InMemoryRowTable() });
  const { runner, deps } = world;
  const described = await runner.describeApp("echo");
  let defined: readonly AppSchedule[] | PlatformError = [];
  runner.describeApp = async () => {
    if (defined instanceof PlatformError) throw defined;
    return { ...described, schedules: defined };
  };
  const apps = appSchedules(deps, { store, onChange: () => {} });
  const define = async (...schedules: readonly AppSchedule[]) => {
    defined = schedules;
    await apps.synchronise();
    return (await store.list({ pageSize: 100 })).schedules;
  };
  const fail = async (error: PlatformError) => {
    defined = error;
    await apps.synchronise();
    return (await store.list({ pageSize: 100 })).schedules;
  };
  return { ...world, clock, schedules: store, apps, define, fail };
}

it("keeps the schedules that an app defines, changes them with it, and deletes what it no longer has", async () => {
  verifies("schedules:apps");
  const { define, schedules } = await startWorld();
  await schedules.create(newSchedule("of-a-user", { appName: "echo" }), 10);
  const [first, ...others] = (await define(NINE)).filter(({ source }) => source === "app");
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    ...{ appName: "echo", userId: "newsroom", name: "morning", enabled: true, overlap: "skip", catchUp: "one" },
    timing: { kind: "cron", cron: "0 9 * * *", timeZone: "UTC" },
    newMessage: { role: "user", parts: [{ text: "What is new?" }] },
    nextMs: fromIsoTime("2026-06-01T09:00:00Z"),
  });
  expect((await define(NINE)).find(({ id }) => id === first?.id)).toEqual(first);
  const changed = await define({ ...NINE, cron: "0 8 * * *", overlap: "queue" });
  expect(changed.find(({ id }) => id === first?.id)).toMatchObject({
    overlap: "queue",
    nextMs: fromIsoTime("2026-06-01T08:00:00Z"),
  });
  const moved = await define({ ...NINE, userId: "desk" });
  expect(moved.filter(({ source }) => source === "app").map(({ userId }) => userId)).toEqual(["desk"]);
  expect((await schedules.list({ userId: "newsroom", pageSize: 10 })).schedules).toEqual([]);
  for (let pass = 1; pass < 5; pass += 1) expect(await define()).toHaveLength(2);
  expect((await define()).map(({ id }) => id)).toEqual(["of-a-user"]);
});

it("keeps a schedule and its pause while only some runners have its definition", async () => {
  verifies("schedules:apps");
  const { define, schedules } = await startWorld();
  const [{ id: scheduleId } = { id: "" }] = await define(NINE);
  await schedules.update({ scheduleId }, (schedule) => ({ ...schedule, enabled: false, nextMs: undefined }));
  for (let turn = 0; turn < 6; turn += 1) {
    for (let pass = 1; pass < 4; pass += 1) await define();
    expect(await define(NINE)).toMatchObject([{ id: scheduleId, enabled: false }]);
  }
});

it("leaves a paused schedule paused, and one whose time is unchanged its next tick", async () => {
  verifies("schedules:apps");
  const { define, schedules, clock } = await startWorld();
  const [{ id: scheduleId } = { id: "" }] = await define(NINE);
  clock.advance(10 * 60 * 60 * 1000);
  const [renamed] = await define({ ...NINE, text: "Anything?" });
  // The tick of nine o'clock is due, and stays so.
  expect(renamed?.nextMs).toBe(fromIsoTime("2026-06-01T09:00:00Z"));
  await schedules.update({ scheduleId }, (schedule) => ({ ...schedule, enabled: false, nextMs: undefined }));
  const [paused] = await define({ ...NINE, text: "Something?" });
  expect(paused).toMatchObject({ enabled: false, newMessage: { parts: [{ text: "Something?" }] } });
  expect(paused?.nextMs).toBe(undefined);
});

it("keeps what is stored while an app is broken or has a wrong time, and reports that once", async () => {
  verifies("schedules:apps");
  const { define, fail, logs } = await startWorld();
  await define(NINE);
  expect(await fail(new PlatformError("CONFIGURATION", "root_agent.yaml is broken."))).toHaveLength(1);
  expect(await define({ ...NINE, cron: "0 99 * * *" })).toMatchObject([{ timing: { cron: "0 9 * * *" } }]);
  const evening = { ...NINE, name: "evening", cron: "0 19 * * *" };
  expect((await define({ ...NINE, cron: "0 99 * * *" }, evening)).map(({ name }) => name).toSorted()).toEqual([
    "evening",
    "morning",
  ]);
  expect(logs.filter((line) => line.includes("schedules of apps"))).toHaveLength(2);
});

it("repeats the pass, and starts again while no runner answers", async () => {
  const { runner, deps, schedules } = await startWorld();
  let calls = 0;
  runner.listApps = async () => {
    calls += 1;
    throw new PlatformError("SERVICE_UNAVAILABLE", "No runner.");
  };
  const apps = appSchedules(deps, { store: schedules, onChange: () => {}, everyMs: 5 });
  apps.start();
  await expect.poll(() => calls).toBeGreaterThan(2);
  await apps.stop();
});
