import { expect, it } from "vitest";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { decideTick } from "./decide-tick.ts";
import type { Schedule } from "./schedule.ts";

const at = (time: string): number => fromIsoTime(`2026-06-01T${time}Z`) ?? Number.NaN;

function hourly(members: Partial<Schedule>): Schedule {
  return {
    ...{ id: "s", appName: "app", userId: "ada", source: "user", owner: { groups: [] }, lastTicks: [] },
    timing: { kind: "cron", cron: "0 * * * *", timeZone: "UTC" },
    newMessage: { role: "user", parts: [{ text: "Hello" }] },
    ...{ overlap: "skip", catchUp: "one", enabled: true, createdMs: 0, updatedMs: 0, nextMs: at("10:00") },
    ...members,
  };
}

function decided(members: Partial<Schedule>, time: string, given: { isActive?: boolean; isBegun?: boolean } = {}) {
  const nowMs = at(time);
  const { isActive = false, isBegun = false } = given;
  return decideTick({ schedule: hourly(members), nowMs, isActive, isBegun });
}

it("starts a tick that is due, and waits for one that is not", () => {
  expect(decided({}, "09:59:59")).toEqual({ nextMs: at("10:00"), records: [] });
  expect(decided({}, "10:00")).toEqual({ startMs: at("10:00"), nextMs: at("11:00"), records: [] });
  expect(decided({ nextMs: undefined }, "10:00")).toEqual({ records: [] });
});

it("leaves out, delays or starts a tick while a run is active", () => {
  verifies("schedules:overlap");
  const skipped = { tickMs: at("10:00"), outcome: "skipped", timeMs: at("10:00") };
  expect(decided({}, "10:00", { isActive: true })).toEqual({ nextMs: at("11:00"), records: [skipped] });
  expect(decided({ overlap: "queue" }, "10:00", { isActive: true })).toEqual({
    nextMs: at("10:00"),
    isWaiting: true,
    records: [],
  });
  expect(decided({ overlap: "allow" }, "10:00", { isActive: true })).toMatchObject({ startMs: at("10:00") });
});

it("starts none, the newest or all of the ticks that were missed", () => {
  verifies("schedules:catch-up");
  const missed = (time: string, count: number) => [{ tickMs: at(time), outcome: "missed", timeMs: at("13:30"), count }];
  expect(decided({ catchUp: "none" }, "13:30")).toEqual({ nextMs: at("14:00"), records: missed("13:00", 4) });
  expect(decided({ catchUp: "one" }, "13:30")).toEqual({
    startMs: at("13:00"),
    nextMs: at("14:00"),
    records: missed("12:00", 3),
  });
  expect(decided({ catchUp: "all", overlap: "queue" }, "13:30")).toEqual({
    startMs: at("10:00"),
    nextMs: at("11:00"),
    records: [],
  });
});

it("starts a tick that is in time after those that were missed", () => {
  expect(decided({ catchUp: "none" }, "13:00:10")).toMatchObject({ startMs: at("13:00"), records: [{ count: 3 }] });
  expect(decided({ catchUp: "one" }, "13:00:10")).toMatchObject({
    startMs: at("12:00"),
    nextMs: at("13:00"),
    records: [{ count: 2 }],
  });
});

it("does not count ticks as missed that wait for a run, or that a lost gateway had taken", () => {
  verifies("schedules:catch-up");
  const waited = { overlap: "queue", catchUp: "none", seenMs: at("12:59:58") } as const;
  expect(decided(waited, "13:00")).toEqual({ startMs: at("10:00"), nextMs: at("11:00"), records: [] });
  expect(decided({ catchUp: "none" }, "10:30", { isBegun: true })).toMatchObject({ startMs: at("10:00") });
  expect(decided({ catchUp: "none" }, "10:30")).toMatchObject({ records: [{ outcome: "missed", count: 1 }] });
});

it("catches up the newest hundred ticks, also after years", () => {
  verifies("schedules:catch-up");
  const minutely = { timing: { kind: "cron", cron: "* * * * *", timeZone: "UTC" }, nextMs: 0 } as const;
  const decision = decided({ ...minutely, catchUp: "all", overlap: "allow" }, "13:30");
  expect(decision).toEqual({
    startMs: at("11:51"),
    nextMs: at("11:52"),
    records: [{ tickMs: 0, outcome: "missed", timeMs: at("13:30"), count: 1 }],
  });
});

it("is over after a single time, which is caught up too", () => {
  const once = { timing: { kind: "at", atMs: at("10:00") } } as const;
  expect(decided(once, "10:00")).toEqual({ startMs: at("10:00"), nextMs: undefined, records: [] });
  expect(decided(once, "15:00")).toMatchObject({ startMs: at("10:00") });
  expect(decided({ ...once, catchUp: "none" }, "15:00")).toMatchObject({ nextMs: undefined, records: [{ count: 1 }] });
});
