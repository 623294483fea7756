import { type Frame, type Observation, textOf } from "./recorder.ts";

/** The stored events of the run whose stream was read: their ids without the user's, in order. */
export interface StoredRun {
  readonly eventIds: readonly string[];
}

/**
 * Finds faults in the order, the completeness or the chunks of one reader's stream. A stream may repeat events that it
 * reads from the store (they have no position) and everything after a resync, or after a connection that began anew.
 */
export function checkStream(observation: Observation, stored: StoredRun | undefined): readonly string[] {
  const check = new StreamCheck(`${observation.tag} on ${observation.path}`, observation.path !== "/run_sse");
  for (const frame of observation.frames) check.take(frame);
  const isEnded = observation.frames.some((frame) => frame.kind === "end" && frame.status === "succeeded");
  check.compare(stored, isEnded);
  return check.problems;
}

class StreamCheck {
  readonly problems: string[] = [];
  readonly #name: string;
  /** Readers of `/run_sse` get no frames `attempt` and `resync`. */
  readonly #hasNamedFrames: boolean;
  readonly #seen: string[] = [];
  #last: { readonly epoch: number; readonly n: number } | undefined;
  /** Since a resync or a connection without a position. */
  #mayRepeat: boolean;
  /** Undefined if chunks may be missing. */
  #chunks: string | undefined = "";

  constructor(name: string, hasNamedFrames: boolean) {
    this.#name = name;
    this.#hasNamedFrames = hasNamedFrames;
    this.#mayRepeat = !hasNamedFrames;
  }

  take(frame: Frame): void {
    switch (frame.kind) {
      case "connect":
        if (frame.after !== undefined) return;
        this.#restart();
        return;
      case "attempt":
        this.#chunks = "";
        return;
      case "resync":
        this.#restart();
        this.#mayRepeat = true;
        this.#chunks = undefined;
        return;
      case "event":
        this.#takeEvent(frame);
        return;
      default:
        return;
    }
  }

  compare(stored: StoredRun | undefined, isEnded: boolean): void {
    if (stored === undefined) return;
    const places = this.#seen.map((id) => stored.eventIds.indexOf(id));
    if (places.includes(-1)) this.#say("I1 an event was shown that is not stored");
    if (places.some((place, index) => index > 0 && place <= (places[index - 1] ?? -1)))
      this.#say("I3 events were shown in another order than they are stored");
    if (isEnded && this.#seen.length < stored.eventIds.length)
      this.#say(`I3 only ${this.#seen.length} of ${stored.eventIds.length} stored events were shown`);
  }

  /** The newest event whose cursor has not arrived: a connection that was cut before it repeats the event. */
  #unplaced: string | undefined;

  #takeEvent({ event, cursor }: Extract<Frame, { kind: "event" }>): void {
    if (cursor === undefined) this.#chunks = undefined;
    else this.#follow(cursor);
    if (event.partial === true) {
      if (this.#chunks !== undefined) this.#chunks += textOf(event);
      return;
    }
    const whole = textOf(event);
    if (this.#chunks !== undefined && this.#chunks !== "" && event.errorCode === undefined) {
      if (!whole.endsWith(": done") && whole !== this.#chunks) this.#say("I3 the chunks are not the whole text");
    }
    if (cursor === undefined) this.#unplaced = event.id;
    // After an event from the store, the first chunks of the next one may be lost too.
    this.#chunks = cursor === undefined ? undefined : "";
    if (!this.#seen.includes(event.id)) this.#seen.push(event.id);
    else if (cursor !== undefined && !this.#mayRepeat && event.id !== this.#unplaced)
      this.#say(`I3 event ${event.id} was shown twice`);
  }

  #follow(cursor: string): void {
    const [epoch = 0, n = 0] = cursor.split(".").map(Number);
    const last = this.#last;
    this.#last = { epoch, n };
    if (last === undefined) {
      // The first entry of a later attempt is its marker.
      if (!this.#mayRepeat && n > 2) this.#say(`I3 the stream began at ${cursor}`);
      return;
    }
    // The chunks of the attempt before it are void.
    if (epoch > last.epoch && !this.#hasNamedFrames) this.#chunks = "";
    // A later attempt begins with its marker, and may publish stored events again, which readers do not get twice.
    const isNext = epoch === last.epoch ? n === last.n + 1 : epoch > last.epoch && n <= 2 + this.#seen.length;
    if (isNext) return;
    const isLater = epoch > last.epoch || (epoch === last.epoch && n > last.n);
    if (isLater && this.#mayRepeat) this.#chunks = undefined;
    else this.#say(`I3 ${cursor} follows ${last.epoch}.${last.n}`);
  }

  #restart(): void {
    // The very first connection repeats nothing.
    this.#mayRepeat ||= this.#seen.length > 0 || this.#last !== undefined || this.#chunks === undefined;
    this.#last = undefined;
    if (this.#chunks !== undefined) this.#chunks = "";
  }

  #say(problem: string): void {
    this.problems.push(`${problem} (${this.#name})`);
  }
}
