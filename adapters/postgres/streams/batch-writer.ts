import type { OutgoingBatch } from "#ports/runs/reading/run-batch.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { storeUnavailable } from "../database/postgres-errors.ts";
import type { PostgresSignals } from "./signals.ts";
import { signalName } from "./stream-names.ts";
import { writeBatches } from "./stream-rows.ts";

/** Limits of one statement. */
const MAX_FLUSH_BATCHES = 500;
const MAX_FLUSH_CHARACTERS = 4 * 1024 * 1024;

export interface BatchWriterOptions {
  readonly database: PostgresDatabase;
  readonly signals: PostgresSignals;
  /** The most characters that may wait or be on the way; a larger batch is refused unless it is alone. */
  readonly maxPendingCharacters: number;
}

export interface WriteRequest {
  readonly stream: string;
  readonly batch: OutgoingBatch;
  readonly maxBytes: number;
  /** The digest of the session whose watchers are notified. */
  readonly session?: string | undefined;
}

interface Waiting extends WriteRequest {
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Writes the batches of all runs of the process with one statement, and then notifies their readers. One statement at a
 * time: what is published in the meantime is written together by the next one, which has one batch of each run.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  /** By streams; a stream that had its turn goes to the end. */
  readonly #waiting = new Map<string, Waiting[]>();
  #pendingCharacters = 0;
  #isFlushing = false;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /** Resolves when the batch is written, or left out because it is not new. Throws `STORE_UNAVAILABLE`. */
  async write(request: WriteRequest): Promise<void> {
    const { stream, batch } = request;
    const { length } = batch.body;
    if (this.#pendingCharacters + length > this.#options.maxPendingCharacters && this.#pendingCharacters > 0)
      throw storeUnavailable(new Error("Too much data waits for the database already."));
    const waiting: Waiting = { ...request, done: Promise.withResolvers<void>() };
    const ofStream = this.#waiting.get(stream);
    if (ofStream === undefined) this.#waiting.set(stream, [waiting]);
    else ofStream.push(waiting);
    this.#pendingCharacters += length;
    void this.#flush();
    try {
      await waiting.done.promise;
    } finally {
      this.#pendingCharacters -= length;
    }
  }

  async #flush(): Promise<void> {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // What this turn of the event loop publishes is written together.
    await Promise.resolve();
    while (this.#waiting.size > 0) await this.#writeNext();
    this.#isFlushing = false;
  }

  async #writeNext(): Promise<void> {
    const { database, signals } = this.#options;
    const flushed = this.#takeNext();
    try {
      await writeBatches(database, flushed);
    } catch (error) {
      for (const { done } of flushed) done.reject(error);
      return;
    }
    for (const { stream, session, done } of flushed) {
      signals.send("rows", signalName(stream));
      if (session !== undefined) signals.send("session", session);
      done.resolve();
    }
  }

  #takeNext(): readonly Waiting[] {
    const taken: Waiting[] = [];
    let characters = 0;
    for (const [stream, [first, ...others]] of [...this.#waiting]) {
      if (first === undefined) continue;
      const isFull = taken.length === MAX_FLUSH_BATCHES || characters + first.batch.body.length > MAX_FLUSH_CHARACTERS;
      if (isFull && taken.length > 0) break;
      taken.push(first);
      characters += first.batch.body.length;
      this.#waiting.delete(stream);
      // Behind the streams that have not had their turn.
      if (others.length > 0) this.#waiting.set(stream, others);
    }
    return taken;
  }
}
