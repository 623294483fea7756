import type { Clock } from "#kit/platform/clock.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import { outsideCallScope } from "#shared/security/call-scope.ts";

/** How long a list is used: a new app is found after this time at the latest. */
const MAX_AGE_MS = 1000;

/** The names of the apps that runners have. While no runner answers, the last list is used. */
export class KnownApps {
  readonly #runner: Pick<RunnerService, "listApps">;
  readonly #clock: Pick<Clock, "monotonic">;
  #names: ReadonlySet<string> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<ReadonlySet<string>> | undefined;

  constructor(runner: Pick<RunnerService, "listApps">, clock: Pick<Clock, "monotonic">) {
    this.#runner = runner;
    this.#clock = clock;
  }

  /** Throws if no list could be read yet. */
  async names(): Promise<ReadonlySet<string>> {
    if (this.#names !== undefined && this.#clock.monotonic() - this.#readAt < MAX_AGE_MS) return this.#names;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<ReadonlySet<string>> {
    try {
      this.#names = new Set(await outsideCallScope(() => this.#runner.listApps()));
    } catch (error) {
      if (this.#names === undefined) throw error;
    }
    this.#readAt = this.#clock.monotonic();
    // One of the two lines above has set it.
    return this.#names as ReadonlySet<string>;
  }
}
