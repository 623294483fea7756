import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
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
