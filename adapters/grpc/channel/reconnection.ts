import { type Client, connectivityState } from "@grpc/grpc-js";
import type { Clock } from "#kit/platform/clock.ts";

/**
 * Lets calls of a service that is away wait a moment for it: between two attempts to connect they would fail at once, and with them the
 * requests of everybody whom a restart of the service need not concern.
 */
export class Reconnection {
  readonly #client: Client;
  readonly #patienceMs: number;
  readonly #clock: Clock;
  #waiting: Promise<void> | undefined;

  constructor(client: Client, { patienceMs, clock }: { readonly patienceMs: number; readonly clock: Clock }) {
    this.#client = client;
    this.#patienceMs = patienceMs;
    this.#clock = clock;
  }

  /** Undefined when nothing is to be waited for; otherwise resolves when the service is back, or was given its time. */
  get wait(): Promise<void> | undefined {
    if (this.#patienceMs === 0) return undefined;
    if (this.#client.getChannel().getConnectivityState(false) !== connectivityState.TRANSIENT_FAILURE) return undefined;
    this.#waiting ??= this.#untilBack().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  #untilBack(): Promise<void> {
    const deadline = this.#clock.now() + this.#patienceMs;
    return new Promise((resolve) => this.#client.waitForReady(deadline, () => resolve()));
  }
}
