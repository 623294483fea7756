import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { TabularCredentialService } from "./tabular-credential-service.ts";

interface InMemoryCredentialServiceOptions {
  readonly clock?: Clock | undefined;
  /** The most credentials of one user; 1,000 if absent. */
  readonly maxPerUser?: number | undefined;
}

/** Credentials in the memory of this process; they are lost when it ends. */
export class InMemoryCredentialService extends TabularCredentialService {
  constructor({ clock = systemClock, maxPerUser }: InMemoryCredentialServiceOptions = {}) {
    super({ table: new InMemoryRowTable(), clock, maxPerUser });
  }
}
