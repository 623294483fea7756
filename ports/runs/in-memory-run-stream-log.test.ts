import { describe, expect, it } from "vitest";
import { LOG_OVERHEAD_BYTES, RunLog } from "./in-memory-run-stream-log.ts";
import type { EventEntry } from "./run-stream.ts";

const KIBIBYTE = 1024;
/** What an entry costs besides its JSON. */
const OVERHEAD = 160;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** An entry that takes so many bytes. */
function entry(n: number, bytes = 1000, epoch = 1): EventEntry {
  return { kind: "event", epoch, n, eventId: `e-${n}`, json: "x".repeat(bytes - OVERHEAD), partial: true };
}

function logOf(...entries: readonly EventEntry[]): RunLog {
  const log = new RunLog();
  log.append(entries, UNLIMITED);
  return log;
}

describe("a batch", () => {
  it("takes what is no more than 256 KiB together", () => {
    const halves = [entry(1, 128 * KIBIBYTE), entry(2, 128 * KIBIBYTE)];
    expect(logOf(...halves, entry(3)).readFrom(0)).toEqual({ batch: halves, next: 2 });
  });

  it("takes one entry that is larger", () => {
    const large = entry(1, 300 * KIBIBYTE);
    expect(logOf(large, entry(2)).readFrom(0)).toEqual({ batch: [large], next: 1 });
  });
});

describe("a bound", () => {
  it("drops nothing of a log that is as large as it may be", () => {
    const log = new RunLog();
    log.append([entry(1), entry(2)], LOG_OVERHEAD_BYTES + 2000);
    expect([log.bytes, log.readFrom(0)?.batch.length]).toEqual([LOG_OVERHEAD_BYTES + 2000, 2]);
  });

  it("drops what has to be freed and no more", () => {
    const log = logOf(entry(1), entry(2), entry(3));
    log.trim(1000);
    expect([log.bytes, log.readFrom(1)?.batch]).toEqual([LOG_OVERHEAD_BYTES + 2000, [entry(2), entry(3)]]);
  });

  it("keeps the indexes of the entries that are left, however many were dropped", () => {
    const log = new RunLog();
    for (let n = 1; n <= 1000; n += 1) log.append([entry(n)], LOG_OVERHEAD_BYTES + 10_000);
    expect(log.readFrom(log.seek({ epoch: 1, n: 995 }))).toEqual({
      batch: [996, 997, 998, 999, 1000].map((n) => entry(n)),
      next: 1000,
    });
  });
});

describe("a cursor", () => {
  it("is ahead of a log without entries", () => {
    expect(() => new RunLog().seek({ epoch: 1, n: 1 })).toThrow("Cursor 1.1 is ahead of the run's stream.");
  });

  it("of an earlier epoch may have missed something of a log that begins with a later one", () => {
    const log = logOf(entry(1, 1000, 2));
    expect([log.seek({ epoch: 1, n: 7 }), log.seek({ epoch: 2, n: 1 })]).toEqual([-1, 1]);
  });
});

describe("a waiter", () => {
  it("is called once, with the next entry, unless it was forgotten", () => {
    const log = new RunLog();
    const calls: string[] = [];
    const left = (): void => void calls.push("left");
    log.wait(() => calls.push("waits"));
    log.wait(left);
    log.forget(left);
    log.append([entry(1)], UNLIMITED);
    log.append([entry(2)], UNLIMITED);
    expect(calls).toEqual(["waits"]);
  });
});
