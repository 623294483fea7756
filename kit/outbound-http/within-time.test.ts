import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withinTime } from "./within-time.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("answers as the call does, and leaves no timer behind", async () => {
  expect(await withinTime(Promise.resolve(7), 100, "It")).toBe(7);
  await expect(withinTime(Promise.reject(new Error("refused")), 100, "It")).rejects.toThrow("refused");
  expect(vi.getTimerCount()).toBe(0);
});

it("throws when the time is over, and ignores what the call does later", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const late = expect(withinTime(promise, 100, "The server")).rejects.toThrow(
    "The server has not answered within 100 ms.",
  );
  await vi.advanceTimersByTimeAsync(99);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await late;
  reject(new Error("late"));
  await vi.advanceTimersByTimeAsync(1);
});
