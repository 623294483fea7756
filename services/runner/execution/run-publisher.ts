import { toEventJson } from "#kit/events/event-record.ts";
import type { RunEmission } from "#kit/runs/base/event-writer.ts";
import type { RunError, RunRecord, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { PublishedEntry, RunStream, RunStreamEntry } from "#ports/runs/run-stream.ts";
import { streamName } from "#ports/runs/stream-name.ts";

export interface RunPublisherOptions {
  readonly run: Pick<RunRecord, "runId" | "session" | "epoch" | "attempts">;
  readonly runStream: RunStream;
  /** Called when a publication fails. Its entries are lost to live readers; the run continues. */
  readonly onError: (error: unknown) => void;
  readonly onWritten?: () => void;
  /**
   * Gets the entries before the stream does: the run has a caller of its own, who follows it closely. Chunks are then
   * published together, because few others read them.
   */
  readonly direct?: ((entries: readonly RunStreamEntry[]) => void) | undefined;
}

/** How long chunks wait for others if the run has a caller of its own and each publication is a call to another process. */
const GATHER_MS = 250;

/**
 * Publishes one attempt of a run to its stream. It owns the numbering and the entries that wait to be published.
 * Entries that are emitted without a wait in between form one batch, one call is in progress at a time, and `end`
 * publishes the last entry.
 */
export class RunPublisher {
  readonly #options: RunPublisherOptions;
  #last = 0;
  #waiting: PublishedEntry[] = [];
  #isScheduled = false;
  #isAnnounced = false;
  #publishing: Promise<void> | undefined;
  /** The first waiting entries that the run's own caller has got. */
  #delivered = 0;
  #gathering: NodeJS.Timeout | undefined;
  /** Whether the newest publication was done when its call returned, so that it costs little. */
  #isInPlace = true;

  constructor(options: RunPublisherOptions) {
    this.#options = options;
    const { epoch, attempts } = options.run;
    if (attempts > 1) this.#add({ kind: "attempt", epoch, n: this.#next(), attempt: attempts });
  }

  emit(emissions: readonly RunEmission[]): void {
    const { epoch } = this.#options.run;
    for (const { event, stored } of emissions) {
      const n = this.#next();
      const eventId = event.id;
      if (stored === undefined)
        this.#add({ kind: "event", epoch, n, eventId, json: toEventJson(event), partial: true });
      else
        this.#add({ kind: "event", epoch, n, eventId, json: stored.json, partial: false, sequence: stored.sequence });
    }
  }

  /** Resolves when all entries emitted so far are published. */
  async flush(): Promise<void> {
    await this.#publishAll();
  }

  /** Skips a number, so that readers detect the gap and read the events that this runner lacks from the store. */
  leaveGap(): void {
    this.#deliver();
    this.#next();
    this.#options.direct?.([{ kind: "resync" }]);
  }

  /** Publishes the end; nothing may follow. Resolves when all entries are published. */
  async end(status: TerminalRunStatus, error?: RunError, time?: number): Promise<void> {
    const { epoch } = this.#options.run;
    this.#waiting.push({ kind: "end", epoch, n: this.#next(), status, error, ...(time === undefined ? {} : { time }) });
    await this.#publishAll();
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #add(entry: PublishedEntry): void {
    this.#waiting.push(entry);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Runs when the microtasks are done, and in the same turn of the event loop, before it polls again.
    process.nextTick(this.#publishScheduled);
  }

  readonly #publishScheduled = (): void => {
    this.#isScheduled = false;
    if (this.#deliver() || this.#options.direct === undefined || this.#isInPlace) void this.#publishAll();
    else this.#gathering ??= setTimeout(this.#publishGathered, GATHER_MS).unref();
  };

  readonly #publishGathered = (): void => {
    this.#gathering = undefined;
    void this.#publishAll();
  };

  /** Passes new entries to the run's own caller. Returns whether some of them are not chunks. */
  #deliver(): boolean {
    const { direct } = this.#options;
    if (direct === undefined || this.#delivered === this.#waiting.length) return false;
    const entries = this.#waiting.slice(this.#delivered);
    this.#delivered = this.#waiting.length;
    direct(entries);
    return entries.some((entry) => entry.kind !== "event" || !entry.partial);
  }

  /** Publishes with one call at a time, which keeps the order; entries that arrive meanwhile join the next call. */
  #publishAll(): Promise<void> | undefined {
    if (this.#publishing !== undefined) return this.#publishing;
    while (this.#waiting.length > 0) {
      const published = this.#publish();
      if (published === undefined) continue;
      this.#publishing = published.then(() => {
        this.#publishing = undefined;
        return this.#publishAll();
      });
      return this.#publishing;
    }
    return undefined;
  }

  /** One call; never throws or rejects. */
  #publish(): Promise<void> | undefined {
    const { run, runStream, onError, direct } = this.#options;
    this.#deliver();
    const entries = this.#waiting;
    this.#waiting = [];
    this.#delivered = 0;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    try {
      const session = this.#isAnnounced ? undefined : run.session;
      const published = runStream.publish(run.runId, entries, {
        ...streamName(run),
        session,
        isFollowed: direct !== undefined,
      });
      this.#isInPlace = published === undefined;
      if (published !== undefined) return published.then(this.#onPublished).catch(onError);
      this.#onPublished();
    } catch (error) {
      onError(error);
    }
    return undefined;
  }

  readonly #onPublished = (): void => {
    this.#isAnnounced = true;
    this.#options.onWritten?.();
  };
}
