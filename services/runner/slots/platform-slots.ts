import { setTimeout as pause } from "node:timers/promises";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { RunLimit, RunPlace, RunQuota } from "#ports/runs/run-quota.ts";
import type { AppliedLimit } from "#shared/quota/applied-limit.ts";
import type { RunnerDeps } from "../deps.ts";
import { ActiveRunCount } from "./active-run-count.ts";
import { busy, type LeaveSlot, type SlotOwner } from "./run-limits.ts";

type PlatformSlotsOptions = Pick<RunnerDeps, "runJournal" | "clock" | "ids" | "logger" | "config" | "quotas"> & {
  readonly runQuota: RunQuota;
};

interface Asking {
  readonly waits: boolean;
  readonly hasRecord?: boolean;
}

/** A run's place, and the limits of the settings and of the operator's quotas in it. */
interface LimitedPlace extends RunPlace {
  readonly owner: SlotOwner;
  readonly quotaLimits: readonly AppliedLimit[];
}

/** Returns undefined if no limit applies over all processes. */
export function createPlatformSlots(
  options: Omit<PlatformSlotsOptions, "runQuota"> & { readonly runQuota?: RunQuota | undefined },
): PlatformSlots | undefined {
  const { config, quotas } = options;
  // Without a count of all processes this one is the only process, whose `RunSlots` enforce the settings.
  const runQuota = options.runQuota ?? quotas?.runQuota;
  const isLimited = config.MAX_CONCURRENT_RUNS_PER_APP > 0 || config.MAX_CONCURRENT_RUNS_PER_USER > 0;
  return (isLimited || quotas !== undefined) && runQuota !== undefined
    ? new PlatformSlots({ ...options, runQuota })
    : undefined;
}

/** Longest pause between two requests of a waiting run: shorter than the quota keeps its place in the queue. */
const ASK_AGAIN_MS = 200;

/**
 * Enforces the limits of active runs over all processes: those of the settings, and the operator's quotas. `RunQuota`
 * counts; while it is unavailable, or its count may be incomplete, the session store's records of active runs are counted
 * as well for the limits of the settings. Every method releases the slot of
 * this process if the limit is reached.
 */
export class PlatformSlots {
  readonly #options: PlatformSlotsOptions;
  readonly #running: ActiveRunCount;

  constructor(options: PlatformSlotsOptions) {
    this.#options = options;
    this.#running = new ActiveRunCount(options);
  }

  /** Throws `RUNNER_BUSY`, `QUOTA_EXCEEDED` and `QUOTA_UNAVAILABLE`. */
  async take(owner: SlotOwner, leave: LeaveSlot): Promise<LeaveSlot> {
    const place = this.#placeFor(owner);
    const full = await this.#enter(place, { leave, waits: false });
    if (full !== undefined) throw full();
    return this.#leaver(place, leave);
  }

  /**
   * Returns undefined if the limit is reached. A recovered run `hasRecord` as an active one and must not count itself.
   */
  async tryTake(
    owner: SlotOwner,
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
    owner: SlotOwner,
    { signal, enter }: { readonly signal: AbortSignal; readonly enter: () => Promise<LeaveSlot | undefined> },
  ): Promise<LeaveSlot | undefined> {
    const place = this.#placeFor(owner);
    for (;;) {
      const leave = await enter();
      if (leave === undefined) return undefined;
      if (await this.#tryEnter(place, leave)) return this.#leaver(place, leave);
      await pause(ASK_AGAIN_MS * (0.5 + Math.random() / 2), undefined, { ref: false, signal }).catch(() => {});
    }
  }

  async #tryEnter(place: LimitedPlace, leave: LeaveSlot): Promise<boolean> {
    try {
      return (await this.#enter(place, { leave, waits: true })) === undefined;
    } catch (error) {
      // The store keeps the run's place in the queue, even while it is unavailable.
      this.#options.logger.warn({ error }, "the limits of a waiting run cannot be read");
      return false;
    }
  }

  #placeFor(owner: SlotOwner): LimitedPlace {
    const { ids, config, quotas } = this.#options;
    const { MAX_CONCURRENT_RUNS_PER_USER: maxOfUser, MAX_CONCURRENT_RUNS_PER_APP: maxOfApp } = config;
    const quotaLimits = quotas?.limitsOf(owner, ["concurrentRuns"]) ?? [];
    return {
      id: ids.next(),
      ...inTenant(owner.tenantId),
      owner,
      quotaLimits,
      limits: [
        ...(maxOfUser > 0 ? [{ name: `${USER_OF_APP}:${owner.appName}\n${owner.userId}`, max: maxOfUser }] : []),
        ...(maxOfApp > 0 ? [{ name: `${APP}:${owner.appName}`, max: maxOfApp }] : []),
        ...quotaLimits,
      ],
      leaseMs: config.LEASE_MS,
    };
  }

  /** Returns what creates the refusal if a limit is reached, or undefined if the place was taken. */
  async #enter(
    place: LimitedPlace,
    { leave, waits, hasRecord = false }: { readonly leave: LeaveSlot } & Asking,
  ): Promise<Refusal | undefined> {
    if (place.limits.length === 0) return undefined;
    try {
      const full = await this.#ask(place, { waits, hasRecord });
      if (full !== undefined) leave();
      return full;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #ask(place: LimitedPlace, { waits, hasRecord = false }: Asking): Promise<Refusal | undefined> {
    const { runQuota, quotas, logger } = this.#options;
    try {
      const answer = await runQuota.take(place, { waits });
      if (answer.kind === "full") return this.#refusalOf(place, answer.limit);
      if (answer.isSure) return undefined;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const refusal = place.quotaLimits.length === 0 ? undefined : quotas?.refusalOfOutage("requests", error);
      if (refusal !== undefined) throw refusal;
      logger.debug({ error }, "active runs are counted by their records");
    }
    const full = await this.#fullByRecords(place, hasRecord).catch((error: unknown) => {
      runQuota.leave(place);
      throw error;
    });
    if (full === undefined) runQuota.hold(place);
    else runQuota.leave(place);
    return full === undefined ? undefined : () => busy(full);
  }

  async #fullByRecords({ owner }: LimitedPlace, hasRecord: boolean): Promise<SettingLimit | undefined> {
    const { MAX_CONCURRENT_RUNS_PER_USER: maxOfUser, MAX_CONCURRENT_RUNS_PER_APP: maxOfApp } = this.#options.config;
    if (maxOfUser === 0 && maxOfApp === 0) return undefined;
    const full = await this.#running.full({ ...owner, maxOfUser, maxOfApp }, { hasRecord });
    return full === undefined ? undefined : LIMITS[full];
  }

  #refusalOf({ quotaLimits }: LimitedPlace, { name, max }: RunLimit): Refusal {
    const applied = quotaLimits.find((limit) => limit.name === name);
    const { quotas } = this.#options;
    if (applied === undefined || quotas === undefined)
      return () => busy(name.startsWith(`${APP}:`) ? LIMITS.app : LIMITS.user);
    return () => quotas.refusalOf({ applied, state: { used: 0, reserved: max, resetMs: 0 } });
  }

  #leaver(place: LimitedPlace, leave: LeaveSlot): LeaveSlot {
    if (place.limits.length === 0) return leave;
    return () => {
      leave();
      this.#options.runQuota.leave(place);
    };
  }
}

type Refusal = () => PlatformError;

const LIMITS = { app: "MAX_CONCURRENT_RUNS_PER_APP", user: "MAX_CONCURRENT_RUNS_PER_USER" } as const;
type SettingLimit = (typeof LIMITS)[keyof typeof LIMITS];

/** The names under which runs are counted for the limits of the settings; quotas use the names of their own limits. */
const APP = "app";
const USER_OF_APP = "user-of-app";
