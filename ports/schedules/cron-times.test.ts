import { describe, expect, it } from "vitest";
import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { assertTiming, nextTick, type Timing, ticksBetween } from "./cron-times.ts";

const at = (text: string): number => fromIsoTime(text) ?? Number.NaN;

function ticks(cron: string, timeZone: string, from: string, count: number): readonly string[] {
  const timing: Timing = { kind: "cron", cron, timeZone };
  const found: number[] = [];
  for (let after = at(from); found.length < count; after = found.at(-1) ?? after) {
    const next = nextTick(timing, after);
    if (next === undefined) break;
    found.push(next);
  }
  return found.map((tick) => toIsoTime(tick).replace(":00.000Z", "Z"));
}

describe("ticks of a cron expression", () => {
  it("follow the clock on the wall of the zone, in summer and in winter", () => {
    verifies("schedules:times");
    expect(ticks("0 9 * * MON-FRI", "Europe/Berlin", "2026-10-23T00:00Z", 3)).toEqual([
      "2026-10-23T07:00Z",
      "2026-10-26T08:00Z",
      "2026-10-27T08:00Z",
    ]);
    expect(ticks("@daily", "America/New_York", "2026-01-01T00:00Z", 2)).toEqual([
      "2026-01-01T05:00Z",
      "2026-01-02T05:00Z",
    ]);
  });

  it("happen once at the end of an hour that is skipped, whatever times the expression names in it", () => {
    verifies("schedules:times");
    // In Berlin 02:00 to 03:00 of 29 March 2026 does not exist: 03:00 is 01:00 UTC.
    expect(ticks("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-30T00:30Z",
    ]);
    expect(ticks("15,45 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 3)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-30T00:15Z",
      "2026-03-30T00:45Z",
    ]);
    expect(ticks("30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 3)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-29T01:30Z",
      "2026-03-30T00:30Z",
    ]);
    // Samoa left out the whole of 30 December 2011.
    expect(ticks("0 9 * * *", "Pacific/Apia", "2011-12-29T00:00Z", 3)).toEqual([
      "2011-12-29T19:00Z",
      "2011-12-30T10:00Z",
      "2011-12-30T19:00Z",
    ]);
  });

  it("happen in the first of two hours with one name", () => {
    verifies("schedules:times");
    expect(ticks("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2)).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
    ]);
  });

  it("follow real time if the expression means every hour or every few hours", () => {
    verifies("schedules:times");
    expect(ticks("0 * * * *", "Europe/Berlin", "2026-10-24T23:30Z", 4)).toEqual([
      "2026-10-25T00:00Z",
      "2026-10-25T01:00Z",
      "2026-10-25T02:00Z",
      "2026-10-25T03:00Z",
    ]);
    expect(ticks("@hourly", "Europe/Berlin", "2026-03-29T00:30Z", 2)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-29T02:00Z",
    ]);
  });

  it("are the same from the past and from the future, and each is after the one before", () => {
    const zones = ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Cairo"];
    const crons = ["30 2 * * *", "0,30 0,23 * * *", "15 */6 * * *", "59 23 L * *", "*/20 1-4 * * *"];
    const starts = ["2026-03-06T00:00Z", "2026-10-23T00:00Z", "2018-10-30T00:00Z", "2011-12-28T00:00Z"];
    fc.assert(
      fc.property(
        ...([fc.constantFrom(...zones), fc.constantFrom(...crons), fc.constantFrom(...starts)] as const),
        fc.integer({ min: 0, max: 5 * 24 * 60 }),
        (timeZone, cron, start, minutes) => {
          const timing: Timing = { kind: "cron", cron, timeZone };
          const forward: number[] = [];
          for (let after = at(start) + minutes * 60_000; forward.length < 12; ) {
            after = nextTick(timing, after) ?? Number.NaN;
            forward.push(after);
          }
          expect(forward).toEqual([...new Set(forward)].toSorted((one, other) => one - other));
          expect(ticksBetween(timing, forward[0] ?? 0, forward.at(-1) ?? 0, 100)).toEqual(forward);
        },
      ),
      { numRuns: 60 },
    );
  });
});

it("finds the newest ticks of a long time, and no more than asked for", () => {
  const timing: Timing = { kind: "cron", cron: "* * * * *", timeZone: "UTC" };
  const [from, to] = [at("2020-01-01T00:00Z"), at("2026-01-01T00:00:30Z")];
  expect(ticksBetween(timing, from, to, 3).map(toIsoTime)).toEqual([
    "2025-12-31T23:58:00.000Z",
    "2025-12-31T23:59:00.000Z",
    "2026-01-01T00:00:00.000Z",
  ]);
});

describe("a timing", () => {
  const now = at("2026-06-01T00:00Z");
  const problem = (timing: Timing, minIntervalMs = 60_000): unknown => {
    try {
      assertTiming(timing, now, minIntervalMs);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it.each([
    ["0 9 * *", "UTC", "cron"],
    ["61 * * * *", "UTC", "cron"],
    ["* * * * * *", "UTC", "cron"],
    ["@reboot", "UTC", "cron"],
    ["", "UTC", "cron"],
    ["0 0 30 2 *", "UTC", "cron"],
    [`${"1,".repeat(60)}1 * * * *`, "UTC", "cron"],
    ["0 9 * * *", "Mars/Olympus", "timeZone"],
    ["0 9 * * *", "x".repeat(5000), "timeZone"],
  ])("is refused: %j in %j", (cron, timeZone, field) => {
    verifies("schedules:times");
    expect(problem({ kind: "cron", cron, timeZone })).toMatchObject({ reason: "INVALID_FIELD", details: { field } });
  });

  it("is refused if it is in the past, or more frequent than the server allows", () => {
    expect(problem({ kind: "at", atMs: now })).toMatchObject({ reason: "INVALID_FIELD", details: { field: "at" } });
    expect(problem({ kind: "at", atMs: now + 1 })).toBe(undefined);
    const often: Timing = { kind: "cron", cron: "0,10 9 * * *", timeZone: "UTC" };
    expect(problem(often, 600_000)).toBe(undefined);
    expect(problem(often, 600_001)).toMatchObject({
      message: "`cron` ticks every 600 s, and this server allows one tick in 600.001 s (SCHEDULE_MIN_SECONDS).",
    });
  });
});
