import { setTimeout as pause } from "node:timers/promises";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { RunPlace, RunQuota } from "#kit/runs/stream/run-quota.ts";
import type { Owner } from "#shared/metrics/named-counts.ts";
import type { RunnerDeps } from "../deps.ts";
import { busy, type LeaveSlot } from "./run-limits.ts";
import { RunningRuns } from "./running-runs.ts";

type PlatformSlotsOptions = Pick<RunnerDeps, "runJournal" | "clock" | "ids" | "logger" | "config"> & {
  readonly runQuota: RunQuota;
};

interface Asking {
  readonly waits: boolean;
  readonly hasRecord?: boolean;
}

type Limit = "MAX_CONCURRENT_RUNS_PER_APP" | "MAX_CONCURRENT_RUNS_PER_USER";

/** Returns undefined if no limit applies over all processes. */
export function createPlatformSlots(
  options: Omit<PlatformSlotsOptions, "runQuota"> & { readonly runQuota?: RunQuota | undefined },
): PlatformSlots | undefined {
  const { config, runQuota } = options;
  const isLimited = config.MAX_CONCURRENT_RUNS_PER_APP > 0 || config.MAX_CONCURRENT_RUNS_PER_USER > 0;
  return isLimited && runQuota !== undefined ? new PlatformSlots({ ...options, runQuota }) : undefined;
}

/** Longest pause between two requests of a waiting run: shorter than the quota keeps its place in the queue. */
const ASK_AGAIN_MS = 200;

/**
 * Enforces the limits of apps and users over all processes. `RunQuota` counts; while it is unavailable, or its count
 * may be incomplete, the session store's records of active runs are counted as well. Every method releases the slot of
 * this process if the limit is reached.
 */
export class PlatformSlots {
  readonly #options: PlatformSlotsOptions;
  readonly #running: RunningRuns;

  constructor(options: PlatformSlotsOptions) {
    this.#options = options;
    this.#running = new RunningRuns(options);
  }

  /** Throws `RUNNER_BUSY`. */
  async take(owner: Owner, leave: LeaveSlot): Promise<LeaveSlot> {
    const place = this.#placeFor(owner);
    const full = await this.#enter(place, { leave, waits: false });
    if (full !== undefined) throw busy(full);
    return this.#leaver(place, leave);
  }

  /**
   * Returns undefined if the limit is reached. A recovered run `hasRecord` as an active one and must not count itself.
   */
  async tryTake(
    owner: Owner,
    { leave, hasRecord }: { readonly leave: LeaveSlot; readonly hasRecord: boolean },
  ): Promise<LeaveSlot | undefined> {
    const place = this.#placeFor(owner);
    const full = await this.#enter(place, { leave, waits: false, hasRecord });
    return full === undefined ? this.#leaver(place, leave) : undefined;
  }

  /**
   * Returns undefined if the signal is aborted. `enter` takes a slot of this process, which is released between
   * attempts.
   */
  async wait(
    owner: Owner,
    { signal, enter }: { readonly signal: AbortSignal; readonly enter: () => Promise<LeaveSlot | undefined> },
  ): Promise<LeaveSlot | undefined> {
    const place = this.#placeFor(owner);
    for (;;) {
      const leave = await enter();
      if (leave === undefined) return undefined;
      if (await this.#getsIn(place, leave)) return this.#leaver(place, leave);
      await pause(ASK_AGAIN_MS * (0.5 + Math.random() / 2), undefined, { ref: false, signal }).catch(() => {});
    }
  }

  async #getsIn(place: RunPlace, leave: LeaveSlot): Promise<boolean> {
    try {
      return (await this.#enter(place, { leave, waits: true })) === undefined;
    } catch (error) {
      // The store keeps the run's place in the queue, even while it is unavailable.
      this.#options.logger.warn({ error }, "it cannot be found out whether a waiting run may start");
      return false;
    }
  }

  #placeFor({ tenantId, appName, userId }: Owner): RunPlace {
    const { ids, config } = this.#options;
    return {
      id: ids.next(),
      ...inTenant(tenantId),
      appName,
      userId,
      maxOfApp: config.MAX_CONCURRENT_RUNS_PER_APP,
      maxOfUser: config.MAX_CONCURRENT_RUNS_PER_USER,
      leaseMs: config.LEASE_MS,
    };
  }

  /** Returns the limit that is reached, or undefined if the place was taken. */
  async #enter(
    place: RunPlace,
    { leave, waits, hasRecord = false }: { readonly leave: LeaveSlot } & Asking,
  ): Promise<Limit | undefined> {
    try {
      const full = await this.#ask(place, { waits, hasRecord });
      if (full !== undefined) leave();
      return full;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #ask(place: RunPlace, { waits, hasRecord = false }: Asking): Promise<Limit | undefined> {
    const { runQuota, logger } = this.#options;
    try {
      const answer = await runQuota.take(place, { waits });
      if (answer.kind === "full") return LIMITS[answer.of];
      if (answer.isSure) return undefined;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      logger.debug({ error }, "active runs are counted by their records");
    }
    const full = await this.#running.full(place, { hasRecord }).catch((error: unknown) => {
      runQuota.leave(place);
      throw error;
    });
    if (full === undefined) runQuota.hold(place);
    else runQuota.leave(place);
    return full === undefined ? undefined : LIMITS[full];
  }

  #leaver(place: RunPlace, leave: LeaveSlot): LeaveSlot {
    return () => {
      leave();
      this.#options.runQuota.leave(place);
    };
  }
}

const LIMITS = { app: "MAX_CONCURRENT_RUNS_PER_APP", user: "MAX_CONCURRENT_RUNS_PER_USER" } as const;
