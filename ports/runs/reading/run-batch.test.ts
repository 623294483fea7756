import { describe, expect, it } from "vitest";
import type { EndEntry, EventEntry, PublishedEntry } from "#ports/runs/run-stream.ts";
import { decodeBatch, toBatches } from "./run-batch.ts";

function event(n: number, json = `{"n":${n}}`, epoch = 1): EventEntry {
  return { kind: "event", epoch, n, eventId: `e-${n}`, json, partial: true };
}

function end(n: number): EndEntry {
  return { kind: "end", epoch: 1, n, status: "succeeded" };
}

const ranges = (entries: readonly PublishedEntry[]) =>
  toBatches(entries).map(({ epoch, from, to }) => [epoch, from, to]);

describe("toBatches", () => {
  it("puts what follows without a hole into one batch", () => {
    expect(toBatches([event(4), event(5), end(6)])).toMatchObject([
      { epoch: 1, from: 4, to: 6, ended: true, continuesRun: false },
    ]);
  });

  it("cuts at holes and at epochs", () => {
    expect(ranges([event(1), event(2), event(5), event(1, "{}", 2), event(2, "{}", 2)])).toEqual([
      [1, 1, 2],
      [1, 5, 5],
      [2, 1, 2],
    ]);
  });

  it("leaves out what does not grow and what follows the end", () => {
    expect(ranges([event(2), event(2), event(1), event(3), end(4), event(5)])).toEqual([[1, 2, 4]]);
  });

  it("cuts what is too large for one message", () => {
    const large = "x".repeat(100 * 1024);
    expect(ranges([event(1, large), event(2, large), event(3, large), event(4, large), event(5)])).toEqual([
      [1, 1, 2],
      [1, 3, 5],
    ]);
    expect(ranges([event(1, "x".repeat(1024 * 1024)), event(2)])).toEqual([
      [1, 1, 1],
      [1, 2, 2],
    ]);
  });

  it("makes nothing of nothing", () => {
    expect(toBatches([])).toEqual([]);
  });

  it("marks a run that continues an earlier attempt", () => {
    expect(toBatches([{ kind: "attempt", epoch: 2, n: 1, attempt: 2 }])).toMatchObject([{ continuesRun: true }]);
    expect(toBatches([{ kind: "attempt", epoch: 2, n: 1, attempt: 1 }])).toMatchObject([{ continuesRun: false }]);
  });
});

describe("decodeBatch", () => {
  const entries: readonly PublishedEntry[] = [
    { kind: "attempt", epoch: 900_000_000_000_000, n: 999_999_999_999_990, attempt: 3 },
    {
      kind: "event",
      epoch: 900_000_000_000_000,
      n: 999_999_999_999_991,
      eventId: 'a\n"^',
      json: '{"t":"é 日本 🙂\\n"}',
      partial: false,
      sequence: 7,
    },
    { kind: "event", epoch: 900_000_000_000_000, n: 999_999_999_999_992, eventId: "", json: "\n\n", partial: true },
    { kind: "event", epoch: 900_000_000_000_000, n: 999_999_999_999_993, eventId: "e", json: "", partial: false },
    {
      kind: "end",
      epoch: 900_000_000_000_000,
      n: 999_999_999_999_994,
      status: "failed",
      error: { code: "INTERNAL", reason: "RUN_FAILED", message: "no" },
    },
  ];

  it("gives back what was encoded, with its link", () => {
    const payload = `1.7\n${toBatches(entries)[0]?.body}`;
    expect(decodeBatch(payload)).toEqual({
      after: { epoch: 1, n: 7 },
      isStart: false,
      last: entries.at(-1),
      entries,
      characters: payload.length,
    });
  });

  it("marks a run's first batch", () => {
    const payload = `^1.0\n${toBatches([event(1)])[0]?.body}`;
    expect(decodeBatch(payload)).toMatchObject({ after: { epoch: 1, n: 0 }, isStart: true });
  });

  it.each([
    "",
    "1.7",
    "1.7\n",
    "1.7\n{}\n",
    "1.7\n[2,1,1,[]]\n",
    "1.7\n[1,1,1,[]]\n",
    'x\n[1,1,1,[["e",0,1]]]\n',
    '1.7\n[1,1,1,[["e",5,1]]]\nabc',
    '1.7\n[1,1,1,[["e",2,1]]]\nabc',
  ])("makes nothing of %j", (payload) => {
    expect(decodeBatch(payload)).toBeUndefined();
  });
});
