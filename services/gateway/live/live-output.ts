import { isUnavailable } from "#kit/errors/platform-error.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunStreamEntry } from "#ports/runs/run-stream.ts";
import type { RunEnd } from "../streams/follow-run.ts";
import type { RunRelay } from "../streams/relay-run.ts";
import type { LiveShare } from "./live-account.ts";

/** Characters of entries that wait for the client or for a read of the store. */
const MAX_WAITING_CHARACTERS = 1024 * 1024;
/** How often the stored events are read again while their store is unavailable, and how long. */
const STORE_PAUSE_MS = 500;
const STORE_ATTEMPTS = 120;

export interface LiveOutputOptions {
  readonly relay: Pick<RunRelay, "relay">;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Where entries are counted while they wait. */
  readonly share: LiveShare;
  /** Called when chunks are dropped. */
  readonly onDrop?: ((chunks: number) => void) | undefined;
}

const RESYNC: RunStreamEntry = Object.freeze({ kind: "resync" });

/**
 * What a live run emits, on its way to the client: in order, and no faster than the client takes it. If too much waits,
 * chunks are dropped, and the stored events are read from the store.
 */
export class LiveOutput {
  readonly #relay: Pick<RunRelay, "relay">;
  readonly #signal: AbortSignal;
  readonly #ended = Promise.withResolvers<RunEnd | undefined>();
  #waiting: RunStreamEntry[] = [];
  #waitingCharacters = 0;
  #isRelaying = false;
  #isOver = false;

  readonly #share: LiveShare;
  readonly #onDrop: (chunks: number) => void;

  constructor({ relay, signal, share, onDrop = () => {} }: LiveOutputOptions) {
    this.#relay = relay;
    this.#share = share;
    this.#onDrop = onDrop;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#ended.resolve(undefined), { once: true });
  }

  /**
   * Resolves with the run's end when the client has everything up to it, or with undefined when the client has left.
   * Rejects if the end cannot be read.
   */
  get ended(): Promise<RunEnd | undefined> {
    return this.#ended.promise;
  }

  /** Passes the entries to the client, now or when it has taken those before. */
  add(entries: readonly RunStreamEntry[]): void {
    if (this.#isRelaying) return this.#keep(entries);
    if (this.#isOver || this.#signal.aborted) return;
    const relayed = this.#relay.relay(entries);
    if (relayed !== undefined) void this.#follow(relayed);
  }

  /** No runner emits more: the run's end is in its record, if it did not come. */
  finish(): void {
    if (!this.#isOver) this.add([RESYNC]);
  }

  #keep(entries: readonly RunStreamEntry[]): void {
    for (const entry of entries) {
      this.#waiting.push(entry);
      if (entry.kind !== "event") continue;
      this.#waitingCharacters += entry.json.length;
      this.#share.change(entry.json.length);
    }
    if (this.#waitingCharacters > MAX_WAITING_CHARACTERS || this.#share.isOver) this.#skip();
  }

  #skip(): void {
    this.#onDrop(this.#waiting.filter((entry) => entry.kind === "event" && entry.partial).length);
    this.#take();
    this.#waiting = [RESYNC];
  }

  /** The entries that wait, which then do not. */
  #take(): readonly RunStreamEntry[] {
    const entries = this.#waiting;
    this.#share.change(-this.#waitingCharacters);
    this.#waiting = [];
    this.#waitingCharacters = 0;
    return entries;
  }

  async #follow(relaying: Promise<RunEnd | undefined>): Promise<void> {
    this.#isRelaying = true;
    try {
      let end = await this.#untilRead(relaying);
      while (end === undefined && this.#waiting.length > 0 && !this.#signal.aborted) {
        end = await this.#untilRead(this.#relay.relay(this.#take()));
      }
      if (end === undefined) return;
      this.#isOver = true;
      this.#ended.resolve(end);
    } catch (error) {
      this.#isOver = true;
      this.#ended.reject(error);
    } finally {
      this.#isRelaying = false;
    }
  }

  /** While the store is unavailable, everything that waits is left to the next read of it. */
  async #untilRead(relaying: Promise<RunEnd | undefined> | undefined): Promise<RunEnd | undefined> {
    let reading = relaying;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await reading;
      } catch (error) {
        if (!isUnavailable(error) || attempt === STORE_ATTEMPTS) throw error;
      }
      await sleep(STORE_PAUSE_MS, this.#signal);
      this.#take();
      reading = this.#relay.relay([RESYNC]);
    }
  }
}
