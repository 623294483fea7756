import { type Clock, systemClock } from "./clock.ts";
import { type IdGenerator, UuidV7Generator } from "./id-generator.ts";

/** Where an object gets time and ids from. */
export interface Sources {
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Sources in options; tests pass their own. */
export interface ClockAndIdsOptions {
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
}

/** By default the clock of the operating system and UUIDs of version 7. */
export function completeClockAndIds({ clock = systemClock, ids = new UuidV7Generator() }: ClockAndIdsOptions): Sources {
  return { clock, ids };
}
