import { type Client, connectivityState } from "@grpc/grpc-js";
import type { Clock } from "#kit/platform/clock.ts";

/**
 * Lets calls of an unavailable service wait for it for a short time: between two attempts to connect they would fail
 * immediately, so a restart of the service would fail requests that have nothing to do with it.
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

  /**
   * Undefined if no wait is needed; otherwise resolves when the service is available again or the time limit is
   * reached.
   */
  get wait(): Promise<void> | undefined {
    if (this.#patienceMs === 0) return undefined;
    if (this.#client.getChannel().getConnectivityState(false) !== connectivityState.TRANSIENT_FAILURE) return undefined;
    this.#waiting ??= this.#waitUntilReady().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  #waitUntilReady(): Promise<void> {
    const deadline = this.#clock.now() + this.#patienceMs;
    return new Promise((resolve) => this.#client.waitForReady(deadline, () => resolve()));
  }
}
