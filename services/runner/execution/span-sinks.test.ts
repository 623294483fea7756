import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { spanSinks } from "./span-sinks.ts";

/** No content on spans. */
const QUIET = { TRACE_CONTENT: false, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "" } as const;

const KEY = { appName: "app", userId: "ada", id: "talk" };

it("stores the spans of a run, and exports them where there is an exporter", () => {
  const clock = new FixedClock();
  const logger = new RecordingLogger();
  const stored: unknown[] = [];
  const exported: unknown[] = [];
  const traceStore = new InMemoryTraceStore();
  traceStore.record = async (session, spans) => void stored.push([session, spans]);
  const spans: readonly SpanRecord[] = [];
  const exporter = { add: (added: readonly SpanRecord[]) => void exported.push(added) };
  for (const sink of spanSinks({ traceStore, exporter, config: QUIET, clock, logger })) sink(KEY, spans);
  expect([stored, exported]).toEqual([[[KEY, spans]], [spans]]);
  for (const sink of spanSinks({ traceStore, exporter: undefined, config: QUIET, clock, logger })) sink(KEY, spans);
  expect([stored.length, exported.length]).toEqual([2, 1]);
});

it("logs when traces are not stored, and when they are again", async () => {
  const clock = new FixedClock();
  const logger = new RecordingLogger();
  const traceStore = new InMemoryTraceStore();
  const record = traceStore.record.bind(traceStore);
  traceStore.record = () => Promise.reject(new PlatformError("STORE_UNAVAILABLE", "away"));
  const [sink] = spanSinks({ traceStore, exporter: undefined, config: QUIET, clock, logger });
  const lost = logger.next("trace not stored");
  sink?.(KEY, []);
  expect((await lost).fields["sessionId"]).toBe("talk");
  traceStore.record = record;
  clock.advance(60_000);
  const back = logger.next("traces are stored again");
  sink?.(KEY, []);
  expect((await back).level).toBe("info");
});
