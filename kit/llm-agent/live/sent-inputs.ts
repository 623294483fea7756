import type { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { BaseLlmConnection } from "#kit/models/base-llm-connection.ts";

/** Sends that are remembered at most: an hour of audio. The gateway remembers no more. */
const MAX_SENDS = 200_000;

/**
 * Which of the client's requests are not needed again. A request is settled when its event is stored, or when the
 * connection can do without it: immediately or, if the connection reports `unsettled`, as soon as the handle or the
 * events of the turn that cover it are stored.
 */
export class SentInputs {
  readonly #queue: LiveRequestQueue;
  readonly #connection: Pick<BaseLlmConnection, "unsettled">;
  /** The numbers of the requests that were sent, oldest first; 0 for what is no request, or has a stored event. */
  #sends: number[] = [];
  /** How many sends were made, and how many of the oldest are no longer in `#sends`. */
  #made = 0;
  #dropped = 0;

  constructor(queue: LiveRequestQueue, connection: Pick<BaseLlmConnection, "unsettled">) {
    this.#queue = queue;
    this.#connection = connection;
  }

  /** Something was sent to the model: the request of this number, which has no stored event, or none. */
  sent(n = 0): void {
    if (this.#connection.unsettled === undefined) return;
    this.#made += 1;
    this.#sends.push(n);
    if (this.#sends.length > MAX_SENDS) this.#drop(this.#made - MAX_SENDS / 2);
  }

  /** The newest request is handled. Reports what is settled. */
  handled(): void {
    const first = this.#sends.find((n) => n > 0);
    this.#queue.settle(first === undefined ? this.#queue.taken : first - 1);
  }

  /** How many of the sends are covered by the connection's newest handle, or by a completed turn. */
  get covered(): number {
    return this.#made - (this.#connection.unsettled ?? 0);
  }

  /** A handle or a turn that covers so many sends is stored. */
  store(covered: number): void {
    this.#drop(covered);
    this.handled();
  }

  #drop(until: number): void {
    const count = until - this.#dropped;
    if (count <= 0) return;
    this.#sends = this.#sends.slice(count);
    this.#dropped = until;
  }
}
