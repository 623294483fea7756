import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { InMemorySessionTables } from "./in-memory-session-tables.ts";
import { operationsInPlace } from "./operation-runner.ts";
import { RunOperations } from "./run-operations.ts";
import type { SessionLimits } from "./session-limits.ts";
import { TabularSessionStore } from "./tabular-session-store.ts";

export interface InMemorySessionStoreOptions {
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly limits?: SessionLimits | undefined;
  readonly storage?: StorageLimits | undefined;
}

/** Sessions, runs and leases in the memory of one process. For tests, demos and servers that need no history. */
export class InMemorySessionStore extends TabularSessionStore<ReturnType<InMemorySessionTables["create"]>> {
  constructor({ clock = systemClock, ids = new UuidV7Generator(), limits, storage }: InMemorySessionStoreOptions = {}) {
    const operations = new RunOperations(new InMemorySessionTables(), { clock, ids, limits, storage });
    const steps = { read: async <T>(step: () => T) => step(), write: async <T>(step: () => T) => step() };
    super({ runner: operationsInPlace(steps, operations), ids, limits });
  }
}
