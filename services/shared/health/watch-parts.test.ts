import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { Readiness } from "./readiness.ts";
import { watchPart } from "./watch-parts.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A part that is ready or not, with how often it was asked. */
function createWorld(isUp: boolean, readyIntervalMs?: number) {
  const part = { isUp, asked: 0 };
  const readiness = new Readiness(["server"]);
  const changes: boolean[] = [];
  readiness.ready("server");
  const check = async (): Promise<void> => {
    part.asked += 1;
    if (!part.isUp) throw new Error("away");
  };
  const watched = { name: "store", check, ...(readyIntervalMs !== undefined && { readyIntervalMs }) };
  const watch = watchPart(watched, { states: readiness, logger: silentLogger, intervalMs: 1000 });
  readiness.onChange((isReady) => changes.push(isReady));
  return { part, readiness, changes, watch };
}

it("is not ready before the part's first successful check", async () => {
  const { part, readiness, changes } = createWorld(false);
  await vi.advanceTimersByTimeAsync(3000);
  expect(readiness.missing).toEqual(["store"]);
  part.isUp = true;
  await vi.advanceTimersByTimeAsync(500);
  expect([readiness.missing, changes]).toEqual([[], [false, true]]);
});

it("stays ready when the part is lost later: one failed check is ignored, and two in a row are reported", async () => {
  const { part, readiness, changes } = createWorld(true);
  await vi.advanceTimersByTimeAsync(0);
  part.isUp = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(readiness.unavailable).toEqual([]);
  part.isUp = true;
  await vi.advanceTimersByTimeAsync(1000);
  part.isUp = false;
  await vi.advanceTimersByTimeAsync(1500);
  expect([readiness.unavailable, readiness.missing, changes]).toEqual([["store"], [], [false, true]]);
  part.isUp = true;
  await vi.advanceTimersByTimeAsync(500);
  expect(readiness.unavailable).toEqual([]);
});

it("checks a ready part seldom where that was asked for, and often while it is unavailable", async () => {
  const { part } = createWorld(true, 10_000);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(part.asked).toBe(4);
  part.isUp = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(part.asked).toBe(5);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(part.asked).toBe(9);
});

it("stops checking when it is disposed of", async () => {
  const { part, watch } = createWorld(true);
  await vi.advanceTimersByTimeAsync(0);
  watch[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(part.asked).toBe(1);
});
