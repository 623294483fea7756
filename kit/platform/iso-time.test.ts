import { describe, expect, it } from "vitest";
import { fromIsoTime, toIsoTime } from "./iso-time.ts";

describe("ISO times", () => {
  it("are written in UTC with milliseconds", () => {
    expect(toIsoTime(1_767_225_600_250)).toBe("2026-01-01T00:00:00.250Z");
  });

  it("are read in any zone, and in UTC without one", () => {
    const times = ["2026-01-01T00:00:00.250Z", "2026-01-01T02:00:00.250+02:00", "2026-01-01T00:00:00.250"];
    expect(times.map(fromIsoTime)).toEqual([1_767_225_600_250, 1_767_225_600_250, 1_767_225_600_250]);
    expect(fromIsoTime("2026-01-01")).toBe(1_767_225_600_000);
    expect(fromIsoTime("teatime")).toBeUndefined();
  });
});
