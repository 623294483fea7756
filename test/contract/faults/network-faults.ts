import { expect } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Faults } from "./transient-faults.ts";

/** A store behind a network, with what it is made of. */
export interface NetworkWorld<Store, Fault> extends AsyncDisposable {
  /** Reached over the network that can fail. */
  readonly store: Store;
  readonly faults: Faults<Fault>;
  /** Resolves when the store knows that its network is good again; absent where that takes no time. */
  readonly recovered?: () => Promise<void>;
  /** All that is stored, read past the network. */
  readonly stored: () => Promise<unknown>;
}

/** One operation, on what `prepare` has stored. */
export interface NetworkOperation<Store, Prepared> {
  readonly name: string;
  readonly run: (store: Store, prepared: Prepared) => Promise<unknown>;
  /** False when a repetition changes more or is refused: a new version, a name that is taken. Others find the work done; default true. */
  readonly isRepeatable?: boolean;
}

export interface NetworkSuite<Store, Prepared, Fault> {
  readonly open: () => Promise<NetworkWorld<Store, Fault>>;
  readonly prepare: (store: Store) => Promise<Prepared>;
  /** What the errors of the fault may be. */
  readonly reasons: readonly string[];
}

// More messages than any operation sends: a loop that never ends is a fault of the test.
const MAX_CALLS = 20;

/**
 * Fails each message of the operation once, each time in a new world. What is stored is then everything or nothing of the operation, and
 * everything when it answered; its error has a known reason and names no place. Then the same store object does the operation again.
 */
export async function expectRecovery<Store, Prepared, Fault>(
  { open, prepare, reasons }: NetworkSuite<Store, Prepared, Fault>,
  { name, run, isRepeatable = true }: NetworkOperation<Store, Prepared>,
  fault: Fault,
): Promise<void> {
  await using healthy = await open();
  const prepared = await prepare(healthy.store);
  const before = await healthy.stored();
  const answer = await run(healthy.store, prepared);
  const after = await healthy.stored();
  for (let call = 1; ; call += 1) {
    expect(call, `${name} sends too many messages`).toBeLessThan(MAX_CALLS);
    const place = `${name}, message ${call}`;
    await using world = await open();
    const own = await prepare(world.store);
    world.faults.failCall(call, fault);
    const [outcome] = await Promise.allSettled([run(world.store, own)]);
    const { hasFailed } = world.faults;
    world.faults.heal();
    await world.recovered?.();
    const left = await world.stored();
    if (outcome?.status === "rejected") {
      expectNamed(outcome.reason, reasons, place);
      expect([before, after], place).toContainEqual(left);
    } else {
      expect(outcome?.value, place).toEqual(answer);
      expect(left, place).toEqual(after);
    }
    const [again] = await Promise.allSettled([run(world.store, own)]);
    if (isRepeatable || JSON.stringify(left) === JSON.stringify(before)) {
      expect(again, `${place}, again`).toEqual({ status: "fulfilled", value: answer });
      expect(await world.stored(), `${place}, again`).toEqual(after);
    } else if (again?.status === "rejected") {
      expect(reasons, `${place}, again`).not.toContain(again.reason.reason);
    }
    if (!hasFailed) break;
  }
}

/** Nothing of addresses, files or the library's texts. */
const PLACES = /\d+\.\d+\.\d+\.\d+|\/private|\.ts\b|ECONN|node_modules/;

function expectNamed(error: unknown, reasons: readonly string[], place: string): void {
  expect(error, place).toBeInstanceOf(PlatformError);
  const { reason, message, details } = error as PlatformError;
  expect(reasons, `${place}: ${message}`).toContain(reason);
  expect(JSON.stringify([message, details]), place).not.toMatch(PLACES);
}
