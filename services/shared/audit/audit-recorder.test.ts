import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { Version } from "#kit/version.ts";
import { type ChainHead, emptyChain, type SealedRecord } from "#ports/audit/audit-chain.ts";
import type { AuditDecision, AuditEvent } from "#ports/audit/audit-event.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";
import { type AuditLine, verifyChain } from "#ports/audit/verify-chain.ts";
import { ErrorLog } from "#test/helpers/error-log.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MetricRegistry } from "../metrics/metric-registry.ts";
import { prometheusText } from "../metrics/metrics-text.ts";
import { createAuditMetrics } from "./audit-metrics.ts";
import { AuditRecorder } from "./audit-recorder.ts";

/** Keeps records in memory, or fails, or answers never. */
class FakeAuditLog implements AuditLog {
  readonly found: readonly AuditEvent[];
  readonly batches: (readonly SealedRecord[])[] = [];
  state: "works" | "fails" | "hangs" = "works";
  isClosed = false;

  constructor(found: readonly AuditEvent[] = []) {
    this.found = found;
  }

  get head(): ChainHead {
    return emptyChain("c");
  }

  get records(): readonly SealedRecord[] {
    return this.batches.flat();
  }

  async append(records: readonly SealedRecord[]): Promise<void> {
    if (this.state === "hangs") return new Promise(() => {});
    if (this.state === "fails") throw new Error("the disk is full");
    this.batches.push(records);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
  }
}

function createWorld(found?: readonly AuditEvent[]) {
  const log = new FakeAuditLog(found);
  const clock = new FixedClock();
  const logger = new ErrorLog();
  const registry = new MetricRegistry();
  const recorder = new AuditRecorder({ log, clock, logger, observer: createAuditMetrics(registry) });
  /** What each record is about: the request's id of a decision. */
  const subjects = (): readonly unknown[] =>
    log.records.map(({ line }) => {
      const { event } = JSON.parse(line) as { event: AuditEvent };
      return event.kind === "decision" ? event.requestId : event;
    });
  const counted = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(prometheusText(registry))?.[1];
  return { log, clock, logger, recorder, subjects, counted };
}

const decision = (requestId: string, changes: Partial<AuditDecision> = {}): AuditDecision => ({
  kind: "decision",
  timeMs: 7,
  subject: "key:a",
  action: "createKey",
  resource: {},
  decision: "allowed",
  requestId,
  ...changes,
});

const START = { kind: "start", timeMs: new FixedClock().now(), version: Version.FAIRLEAD_VERSION };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the recorder of decisions", () => {
  it("writes what opening the log has found, its start, and decisions in their order, as one chain", async () => {
    const torn = { kind: "torn", timeMs: 1, bytes: 3, keptIn: "f" } as const;
    const { recorder, subjects, log } = createWorld([torn]);
    recorder.note(decision("1"));
    await recorder.require(decision("2"));
    recorder.note(decision("3"));
    await recorder[Symbol.asyncDispose]();
    expect(subjects()).toEqual([torn, START, "1", "2", "3"]);
    expect(log.isClosed).toBe(true);
    async function* lines(): AsyncIterable<AuditLine> {
      for (const { line, seq } of log.records) yield { text: line, place: `${seq}` };
    }
    expect(await verifyChain(lines())).toEqual({ chains: [expect.objectContaining({ first: 1, seq: 5 })], notes: [] });
  });

  it("writes the decisions of one turn in one batch", async () => {
    const { recorder, log } = createWorld();
    for (let number = 0; number < 50; number += 1) recorder.note(decision(String(number)));
    await recorder.require(decision("last"));
    expect(log.batches.map((batch) => batch.length)).toEqual([52]);
  });

  it("gathers decisions for which no action waits, for 50 ms", async () => {
    const { recorder, log } = createWorld();
    for (let round = 0; round < 10; round += 1) {
      recorder.note(decision(String(round)));
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(log.batches.map((batch) => batch.length)).toEqual([6, 5]);
    recorder.note(decision("noted"));
    await recorder.require(decision("required"));
    expect(log.batches.map((batch) => batch.length)).toEqual([6, 5, 2]);
    for (let number = 0; number < 501; number += 1) recorder.note(decision(String(number)));
    await vi.advanceTimersByTimeAsync(50);
    expect(log.batches.map((batch) => batch.length)).toEqual([6, 5, 2, 500]);
    await vi.advanceTimersByTimeAsync(50);
    expect(log.records).toHaveLength(514);
  });

  it("refuses actions that need a record while the log fails, and writes the others later, once", async () => {
    verifies("authentication:audit:fail-closed");
    const { recorder, subjects, log, logger, counted } = createWorld();
    await recorder.require(decision("1"));
    log.state = "fails";
    recorder.note(decision("2"));
    await expect(recorder.require(decision("3"))).rejects.toMatchObject({ reason: "AUDIT_UNAVAILABLE" });
    recorder.note(decision("4"));
    await expect(recorder.require(decision("5"))).rejects.toMatchObject({
      reason: "AUDIT_UNAVAILABLE",
      httpStatus: 503,
      details: { retryAfterSeconds: "1" },
    });
    await vi.advanceTimersByTimeAsync(2500);
    expect(counted("fairlead_audit_write_failures_total")).toBe("3");
    expect(logger.errors).toHaveLength(1);
    log.state = "works";
    await vi.advanceTimersByTimeAsync(1000);
    // The third was sealed when the log failed; the fifth was never queued.
    expect(subjects()).toEqual([START, "1", "2", "3", "4"]);
    await recorder.require(decision("6"));
    expect(subjects().at(-1)).toBe("6");
    expect(counted("fairlead_audit_records_total")).toBe("6");
  });

  it("refuses an action whose record is not durable in time", async () => {
    const { recorder, log } = createWorld();
    log.state = "hangs";
    const refused = expect(recorder.require(decision("1"))).rejects.toMatchObject({ reason: "AUDIT_UNAVAILABLE" });
    await vi.advanceTimersByTimeAsync(5000);
    await refused;
  });

  it("counts what it cannot keep, in a metric and in the next record", async () => {
    verifies("authentication:audit:fail-closed");
    const { recorder, subjects, log, counted } = createWorld();
    await recorder.require(decision("first"));
    log.state = "fails";
    recorder.note(decision("failed"));
    await vi.advanceTimersByTimeAsync(50);
    for (let number = 0; number < 10_003; number += 1) recorder.note(decision(String(number), { timeMs: number }));
    expect(counted("fairlead_audit_records_lost_total")).toBe("3");
    log.state = "works";
    await vi.advanceTimersByTimeAsync(1050);
    expect(subjects().slice(0, 5)).toEqual([START, "first", "failed", { kind: "lost", timeMs: 10_000, count: 3 }, "0"]);
    expect(subjects()).toHaveLength(10_004);
  });

  it("counts equal refusals of a minute in one record", async () => {
    verifies("authentication:audit:refusals");
    const { recorder, log, clock } = createWorld();
    for (let number = 1; number <= 1000; number += 1)
      recorder.note(decision(String(number), { decision: "refused", reason: "SCOPE_MISSING" }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(log.records).toHaveLength(2);
    clock.advance(60_000);
    await vi.advanceTimersByTimeAsync(5050);
    expect(log.records.map(({ line }) => JSON.parse(line).event)).toMatchObject([
      { kind: "start" },
      { requestId: "1" },
      { requestId: "1000", count: 999 },
    ]);
  });

  it("writes counted refusals when it is closed, and reports what it could not write", async () => {
    const { recorder, log, logger } = createWorld();
    for (const requestId of ["1", "2", "3"]) recorder.note(decision(requestId, { decision: "refused", reason: "X" }));
    log.state = "fails";
    await recorder[Symbol.asyncDispose]();
    expect(logger.errors.map(({ count }) => count)).toEqual([undefined, 3]);
    expect(log.isClosed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
