import { expect, it } from "vitest";
import { type LogFields, type Logger, silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ExportingLogger, type LogRecord } from "./otlp-log.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

it("exports lines from the level on, with the fields of its parents and the trace of the moment", () => {
  const records: LogRecord[] = [];
  let traceParent: string | undefined;
  const exporter = { add: (added: readonly LogRecord[]) => void records.push(...added) };
  const clock = new FixedClock();
  const logger = new ExportingLogger(silentLogger, { exporter, clock, level: "info", traceParent: () => traceParent });
  logger.debug({}, "unseen");
  traceParent = `00-${TRACE_ID}-b7ad6b7169203331-01`;
  logger.child({ service: "runner" }).warn({ runId: "r" }, "Bearer abcdefghijklmnopqrstuvwxyz0123456789 failed");
  expect(records).toEqual([
    {
      time: clock.now(),
      level: "warn",
      message: expect.stringMatching(/\[redacted\] failed$/),
      attributes: { service: "runner", runId: "r" },
      traceId: TRACE_ID,
      spanId: "b7ad6b7169203331",
    },
  ]);
});

it("writes each line to the process's own log too, with its level and all fields", () => {
  const lines: unknown[] = [];
  const inner = (own: LogFields): Logger => ({
    debug: (fields, message) => lines.push(["debug", { ...own, ...fields }, message]),
    info: (fields, message) => lines.push(["info", { ...own, ...fields }, message]),
    warn: (fields, message) => lines.push(["warn", { ...own, ...fields }, message]),
    error: (fields, message) => lines.push(["error", { ...own, ...fields }, message]),
    child: (fields) => inner({ ...own, ...fields }),
  });
  const records: LogRecord[] = [];
  const logger = new ExportingLogger(inner({}), {
    exporter: { add: (added) => void records.push(...added) },
    clock: new FixedClock(),
    level: "debug",
    traceParent: () => undefined,
  })
    .child({ service: "runner" })
    .child({ part: "queue" });
  const levels = ["debug", "info", "warn", "error"] as const;
  for (const level of levels) logger[level]({ at: level, password: "hunter2" }, `says ${level}`);
  const fields = (level: string) => ({ service: "runner", part: "queue", at: level, password: "hunter2" });
  expect(lines).toEqual(levels.map((level) => [level, fields(level), `says ${level}`]));
  expect(records.map(({ level, message }) => [level, message])).toEqual(
    levels.map((level) => [level, `says ${level}`]),
  );
  for (const { attributes } of records) expect(attributes).toMatchObject({ service: "runner", part: "queue" });
  // Credentials do not leave the process.
  expect(JSON.stringify(records)).not.toContain("hunter2");
});

it("exports nothing of a silent log", () => {
  const records: LogRecord[] = [];
  const exporter = { add: (added: readonly LogRecord[]) => void records.push(...added) };
  const options = { exporter, clock: new FixedClock(), level: "silent", traceParent: () => undefined } as const;
  new ExportingLogger(silentLogger, options).error({}, "unseen");
  expect(records).toEqual([]);
});
