import { toEventJson } from "#kit/events/event-record.ts";
import type { RunEmission } from "#kit/runs/base/event-writer.ts";
import type { PublishedEntry, RunStream } from "#kit/runs/stream/run-stream.ts";
import type { RunError, RunRecord, TerminalRunStatus } from "#kit/sessions/run-record.ts";

export interface RunPublisherOptions {
  readonly run: Pick<RunRecord, "runId" | "session" | "epoch" | "attempts">;
  readonly runStream: RunStream;
  /** A stream that cannot be written loses what is shown of the moment; the run goes on. */
  readonly onError: (error: unknown) => void;
  readonly onWritten?: () => void;
}

/** Writes one attempt of a run to its stream: numbered, in order, and what one turn of the event loop produced in one go. */
export class RunPublisher {
  readonly #options: RunPublisherOptions;
  #last = 0;
  #waiting: PublishedEntry[] = [];
  #scheduled = false;
  #isAnnounced = false;
  #publishing: Promise<void> | undefined;

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

  /** Resolves when the stream has what was emitted so far. */
  async flush(): Promise<void> {
    await this.#publishAll();
  }

  /** Something is not known here that readers have to see: they find the gap, and look into the store. */
  leaveGap(): void {
    this.#next();
  }

  /** Nothing follows. Resolves when the stream has everything. */
  async end(status: TerminalRunStatus, error?: RunError): Promise<void> {
    const { epoch } = this.#options.run;
    this.#waiting.push({ kind: "end", epoch, n: this.#next(), status, ...(error !== undefined && { error }) });
    await this.#publishAll();
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #add(entry: PublishedEntry): void {
    this.#waiting.push(entry);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#publishAll();
    });
  }

  /** One call at a time, so that entries stay in order; what comes meanwhile goes with the next. */
  #publishAll(): Promise<void> {
    this.#publishing ??= this.#publish().then(() => {
      this.#publishing = undefined;
      // Added after the last look of the loop and before this callback.
      return this.#waiting.length > 0 ? this.#publishAll() : undefined;
    });
    return this.#publishing;
  }

  async #publish(): Promise<void> {
    const { run, runStream, onError, onWritten } = this.#options;
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        await runStream.publish(run.runId, entries, this.#isAnnounced ? undefined : run.session);
        this.#isAnnounced = true;
        onWritten?.();
      } catch (error) {
        onError(error);
      }
    }
  }
}
