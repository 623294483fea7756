import { PlatformError } from "../errors/platform-error.ts";
import type { Event } from "../events/event.ts";

/** One of several turns that run at the same time. */
export interface Turn {
  readonly events: AsyncGenerator<Event, void, undefined>;
  /** Called when the turn has ended by itself; `gaveEvents` does not count partial events. */
  readonly onEnd?: (gaveEvents: boolean) => void;
}

type Arrival = { readonly turn: Turn } & (
  | { readonly kind: "event"; readonly event: Event }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly error: unknown }
);

/**
 * Yields the turns' events in order of arrival. A turn is resumed once its event was consumed, because its next step
 * depends on what is stored. The first failure is thrown and ends the other turns; a reader that stops also ends them.
 * `stop` is then aborted, so the turns must observe its signal. All turns have ended when this generator has ended.
 */
export async function* mergeTurns(turns: readonly Turn[], stop: AbortController): AsyncGenerator<Event> {
  const arrivals: Arrival[] = [];
  const withEvents = new Set<Turn>();
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
        if (arrival.event.partial !== true) withEvents.add(turn);
        yield arrival.event;
        advance(turn);
        continue;
      }
      active.delete(turn);
      if (kind === "failure") throw arrival.error;
      turn.onEnd?.(withEvents.has(turn));
    }
  } finally {
    if (active.size > 0) await endAll(active, stop);
  }
}

async function endAll(turns: Iterable<Turn>, stop: AbortController): Promise<void> {
  stop.abort(new PlatformError("RUN_CANCELLED", "Another agent ended the work that this one was part of."));
  // Errors of the other turns are consequences of the abort, or later than the failure that is thrown.
  await Promise.allSettled(Array.from(turns, ({ events }) => events.return()));
}
