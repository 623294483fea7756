import { expect } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** One operation of a store. */
export interface StoreOperation {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  /** The answer of a healthy store; absent if it differs from call to call. */
  readonly answer?: unknown;
}

/** Can fail the n-th low-level call of a store. */
export interface Faults<Fault> {
  failCall(number: number, fault: Fault): void;
  heal(): void;
  readonly hasFailed: boolean;
}

// More calls than any operation makes, so that an endless loop fails the test.
const MAX_CALLS = 200;

/**
 * Fails each low-level call of each operation once. The operation answers as a healthy store does, or fails with an
 * error that reports the store as unavailable; it never takes the fault for "not found". Afterwards every operation
 * works.
 */
export async function expectNoLastingFault<Fault>(
  faults: Faults<Fault>,
  fault: Fault,
  operations: readonly StoreOperation[],
): Promise<void> {
  for (const { name, run, answer } of operations) {
    for (let call = 1; call <= MAX_CALLS; call += 1) {
      faults.failCall(call, fault);
      const [result] = await Promise.allSettled([run()]);
      const { hasFailed } = faults;
      faults.heal();
      const place = `${name}, call ${call}`;
      if (result?.status === "rejected") expectUnavailable(result.reason, place);
      else if (answer !== undefined) expect(result?.value, place).toEqual(answer);
      await expectHealthy(operations, place);
      if (!hasFailed) break;
      expect(call, `${name} makes too many calls`).toBeLessThan(MAX_CALLS);
    }
  }
}

function expectUnavailable(error: unknown, place: string): void {
  expect(error, place).toBeInstanceOf(PlatformError);
  const { code, message } = error as PlatformError;
  expect(code, `${place}: ${message}`).toBe("UNAVAILABLE");
  expect(message, place).not.toContain("/private/place");
}

async function expectHealthy(operations: readonly StoreOperation[], place: string): Promise<void> {
  for (const { name, run, answer } of operations) {
    const result = await run().catch((error: unknown) => ({ failed: error }));
    const expected = answer ?? expect.not.objectContaining({ failed: expect.anything() });
    if (answer === undefined && result === undefined) continue;
    expect(result, `${name} after ${place}`).toEqual(expected);
  }
}
