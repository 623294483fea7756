import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { repeatWrite } from "./repeat-write.ts";

const unavailable = new PlatformError("SERVICE_UNAVAILABLE", "unavailable");
const lost = new PlatformError("LEASE_LOST", "lost");

it.each(["SERVICE_UNAVAILABLE", "SERVICE_TIMEOUT"] as const)("repeats a write that failed with %s", async (reason) => {
  let calls = 0;
  const write = async (): Promise<number> => {
    calls += 1;
    if (calls === 1) throw new PlatformError(reason, "No answer.");
    return calls;
  };
  expect(await repeatWrite(write, { clock: new FixedClock(), forMs: 1000 })).toBe(2);
});

it("repeats a write until the store is there", async () => {
  let calls = 0;
  const write = async (): Promise<number> => {
    calls += 1;
    if (calls < 3) throw unavailable;
    return calls;
  };
  expect(await repeatWrite(write, { clock: new FixedClock(), forMs: 1000 })).toBe(3);
});

it("gives up when its time is over, with what the store said", async () => {
  const clock = new FixedClock();
  let calls = 0;
  const write = async (): Promise<never> => {
    calls += 1;
    clock.advance(400);
    throw unavailable;
  };
  await expect(repeatWrite(write, { clock, forMs: 1000 })).rejects.toBe(unavailable);
  expect(calls).toBe(3);
});

it("does not repeat what was refused", async () => {
  let calls = 0;
  const write = async (): Promise<never> => {
    calls += 1;
    throw lost;
  };
  await expect(repeatWrite(write, { clock: new FixedClock(), forMs: 1000 })).rejects.toBe(lost);
  expect(calls).toBe(1);
});
