import { PlatformError } from "../errors/platform-error.ts";
import type { Event } from "../events/event.ts";

/** One of several turns that run at the same time. */
export interface Turn {
  readonly events: AsyncGenerator<Event, void, undefined>;
  /** Called when the turn has come to its end by itself; events that are pieces of one do not count. */
  readonly onEnd?: (gaveEvents: boolean) => void;
}

type Arrival = { readonly turn: Turn } & (
  | { readonly kind: "event"; readonly event: Event }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly error: unknown }
);

/**
 * The turns' events in the order in which they arrive. A turn goes on when its event was taken: what it does next
 * follows from what is stored. The first failure is thrown, and ends the others, as does who stops reading: `stop` is
 * aborted, which their work has to heed, and all have ended when this has.
 */
export async function* mergeTurns(turns: readonly Turn[], stop: AbortController): AsyncGenerator<Event> {
  const arrivals: Arrival[] = [];
  const spoken = new Set<Turn>();
  const active = new Set(turns);
  let wake: (() => void) | undefined;
  const arrive = (arrival: Arrival): void => {
    arrivals.push(arrival);
    wake?.();
  };
  const advance = (turn: Turn): void => {
    turn.events.next().then(
      ({ done, value }) => arrive(done === true ? { kind: "end", turn } : { kind: "event", turn, event: value }),
      (error: unknown) => arrive({ kind: "failure", turn, error }),
    );
  };
  try {
    turns.forEach(advance);
    while (active.size > 0) {
      const arrival = arrivals.shift();
      if (arrival === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const { kind, turn } = arrival;
      if (kind === "event") {
        if (arrival.event.partial !== true) spoken.add(turn);
        yield arrival.event;
        advance(turn);
        continue;
      }
      active.delete(turn);
      if (kind === "failure") throw arrival.error;
      turn.onEnd?.(spoken.has(turn));
    }
  } finally {
    if (active.size > 0) await endAll(active, stop);
  }
}

async function endAll(turns: Iterable<Turn>, stop: AbortController): Promise<void> {
  stop.abort(new PlatformError("RUN_CANCELLED", "Another agent ended the work that this one was part of."));
  // What the others throw while they end follows from the end, or comes after the failure that is told.
  await Promise.allSettled(Array.from(turns, ({ events }) => events.return()));
}
