import { expect, it } from "vitest";
import { type LogFields, silentLogger } from "#kit/platform/logger.ts";
import { OutageLog } from "./outage-log.ts";

function createWorld() {
  const time = { nowMs: 5000 };
  const lines: [string, LogFields, string][] = [];
  const logger = {
    ...silentLogger,
    warn: (fields: LogFields, message: string) => void lines.push(["warn", fields, message]),
    info: (fields: LogFields, message: string) => void lines.push(["info", fields, message]),
  };
  const messages = { begins: "not written", ends: "written again" };
  const log = new OutageLog({ clock: { now: () => 0, monotonic: () => time.nowMs }, logger, messages });
  return { time, lines, log };
}

const away = new Error("away");

it("logs an outage once, and the number of failures when it is over", () => {
  const { time, lines, log } = createWorld();
  log.worked();
  for (const runId of ["r1", "r2", "r1"]) {
    log.failed(away, { runId });
    time.nowMs += 400;
  }
  time.nowMs += 1000;
  log.worked();
  log.worked();
  expect(lines).toEqual([
    ["warn", { error: away, runId: "r1" }, "not written"],
    ["info", { failures: 3, durationMs: 2200 }, "written again"],
  ]);
});

it("counts intermittent failures as one outage", () => {
  const { time, lines, log } = createWorld();
  for (let round = 0; round < 50; round += 1) {
    log.failed(away, {});
    log.worked();
    time.nowMs += 999;
    log.worked();
  }
  expect(lines.map(([level]) => level)).toEqual(["warn"]);
  time.nowMs += 1;
  log.worked();
  expect(lines[1]).toEqual(["info", { failures: 50, durationMs: 49_951 }, "written again"]);
});

it("logs the next outage like the first", () => {
  const { time, lines, log } = createWorld();
  for (const runId of ["r1", "r2"]) {
    log.failed(away, { runId });
    time.nowMs += 2000;
    log.worked();
  }
  expect(lines.filter(([level]) => level === "warn").map(([, fields]) => fields["runId"])).toEqual(["r1", "r2"]);
});
