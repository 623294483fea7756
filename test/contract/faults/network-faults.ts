import { expect } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Faults } from "./transient-faults.ts";

/** A store behind a network, with its dependencies. */
export interface NetworkWorld<Store, Fault> extends AsyncDisposable {
  /** The store over the network that can fail. */
  readonly store: Store;
  readonly faults: Faults<Fault>;
  /** Resolves when the store has detected that its network is good again; absent if it detects that immediately. */
  readonly recovered?: () => Promise<void>;
  /** All stored data, read without the network. */
  readonly stored: () => Promise<unknown>;
}

/** One operation, on the data that `prepare` has stored. */
export interface NetworkOperation<Store, Prepared> {
  readonly name: string;
  readonly run: (store: Store, prepared: Prepared) => Promise<unknown>;
  /**
   * False if a repetition changes more or is refused: a new version, a name that is taken. Others find the work done;
   * default true.
   */
  readonly isRepeatable?: boolean;
}

export interface NetworkSuite<Store, Prepared, Fault> {
  readonly open: () => Promise<NetworkWorld<Store, Fault>>;
  readonly prepare: (store: Store) => Promise<Prepared>;
  /** The reasons that the errors of the fault may have. */
  readonly reasons: readonly string[];
}

// More messages than any operation sends, so that an endless loop fails the test.
const MAX_CALLS = 20;

/**
 * Fails each message of the operation once, each time in a new world. Afterwards either everything or nothing of the
 * operation is stored, and everything if it answered; its error has a known reason and names no address. Then the same
 * store object repeats the operation.
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

/** The text contains no addresses, files or texts of the library. */
const PLACES = /\d+\.\d+\.\d+\.\d+|\/private|\.ts\b|ECONN|node_modules/;

function expectNamed(error: unknown, reasons: readonly string[], place: string): void {
  expect(error, place).toBeInstanceOf(PlatformError);
  const { reason, message, details } = error as PlatformError;
  expect(reasons, `${place}: ${message}`).toContain(reason);
  expect(JSON.stringify([message, details]), place).not.toMatch(PLACES);
}
