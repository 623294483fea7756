import { toPlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";

/** Share of a lease; the rest allows for the latency of the store and for clocks of different speed. */
const USABLE_SHARE = 0.9;

/** Longest time between two renewals, however long the lease: a renewal also keeps the run's credentials valid. */
const MAX_RENEWAL_MS = 25_000;

/** A run shortens that time by a random share, at most this one: runs that began together do not all renew at once. */
const MAX_SHORTENED_SHARE = 0.2;

/**
 * Renews the lease of a run that writes no events for a while, until the returned function is called. It tries at the
 * latest after a third of a lease, and after 25 seconds of a long one; a failed renewal is retried by the next one. The
 * run is aborted here when the store reports that its lease is lost, and also when nothing has extended the lease for 90 %
 * of its length: after that another runner may have recovered the run.
 */
export function keepLease(run: StartedRun): () => void {
  const keeper = new LeaseKeeper(run);
  return () => keeper.stop();
}

class LeaseKeeper {
  readonly #run: StartedRun;
  readonly #everyMs: number;
  #isKeeping = true;
  #isRenewing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: StartedRun) {
    this.#run = run;
    const longestMs = Math.min(run.leaseMs / 3, MAX_RENEWAL_MS);
    this.#everyMs = Math.ceil(longestMs * (1 - MAX_SHORTENED_SHARE * Math.random()));
    this.#schedule(this.#everyMs);
  }

  stop(): void {
    this.#isKeeping = false;
    clearTimeout(this.#timer);
  }

  #schedule(afterMs: number): void {
    if (this.#isKeeping) this.#timer = setTimeout(() => this.#look(), afterMs).unref();
  }

  #look(): void {
    const { leaseMs, record, services, writer } = this.#run;
    const leftMs = writer.keptAt + leaseMs * USABLE_SHARE - services.clock.monotonic();
    if (leftMs <= 0) return this.#lose(new LeaseLostError(record.runId));
    void this.#renew();
    this.#schedule(Math.min(this.#everyMs, leftMs));
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      await this.#run.writer.renew();
      this.#run.onLease?.("renewed");
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isRenewing = false;
    }
  }

  #fail(error: unknown): void {
    const { onLease, record, services } = this.#run;
    const { reason } = toPlatformError(error);
    if (reason === "LEASE_LOST" || reason === "SESSION_NOT_FOUND") return this.#lose(error);
    // Any other failure may be temporary; the next renewal or write tries again.
    onLease?.("failed");
    services.logger.warn({ error, runId: record.runId }, "lease not renewed");
  }

  #lose(reason: unknown): void {
    if (!this.#isKeeping) return;
    this.#isKeeping = false;
    this.#run.onLease?.("lost");
    this.#run.abort.abort(reason);
  }
}
