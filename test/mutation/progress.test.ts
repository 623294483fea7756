import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Progress, ProgressLog } from "./progress.ts";

const FAILED = { kind: "failed", test: "t", title: "a test", message: "wrong", faults: ["1"] } as const;

it("tries a fault once with each test, until one notices it", () => {
  const progress = new Progress();
  progress.add({ kind: "survived", fault: "1", test: "a" });
  expect([progress.isOpen("1", "a"), progress.isOpen("1", "b")]).toEqual([false, true]);
  progress.add({ kind: "noticed", fault: "1", test: "b", how: "Killed" });
  expect(progress.isOpen("1", "c")).toBe(false);
});

it("tries a fault again after a test that failed without it too", () => {
  const progress = new Progress();
  progress.add({ kind: "suspect", fault: "1", test: "a" });
  expect([progress.isOpen("1", "a"), progress.isSuspect("1", "a"), progress.isSuspect("1", "b")]).toEqual([
    true,
    true,
    false,
  ]);
});

it("gives a test up that fails twice without a fault", () => {
  const progress = new Progress();
  progress.add(FAILED);
  expect(progress.isFinished("t")).toBe(false);
  progress.add(FAILED);
  expect(progress.isFinished("t")).toBe(true);
  expect(progress.unused.get("t")?.reason).toBe("fails without a fault: wrong");
});

it("uses a test that fails once without a fault and then finishes", () => {
  const progress = new Progress();
  progress.add(FAILED);
  progress.add({ kind: "finished", test: "t" });
  expect([progress.isFinished("t"), progress.unused.size]).toEqual([true, 0]);
});

it("follows a log that another process appends to, also when a line is half written", () => {
  const folder = mkdtempSync(join(tmpdir(), "progress-"));
  try {
    const file = join(folder, "log");
    const reader = new ProgressLog(file);
    expect(reader.follow()).toBe(0);
    const writer = new ProgressLog(file);
    writer.append({ kind: "started", fault: "1", test: "ü" });
    appendFileSync(file, '{"kind":"survi');
    expect(reader.follow()).toBe(1);
    expect(reader.progress.last).toEqual({ kind: "started", fault: "1", test: "ü" });
    appendFileSync(file, 'ved","fault":"1","test":"ü"}\n');
    expect(reader.follow()).toBe(1);
    expect(reader.progress.survived).toEqual(new Set(["1"]));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
