import type { AppScope } from "#kit/names/app-scope.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import { appScopeName, ownerName } from "#shared/metrics/named-counts.ts";
import { outsideCallScope } from "#shared/security/call-scope.ts";
import type { RunnerDeps } from "../deps.ts";

type RunningRunsOptions = Pick<RunnerDeps, "runJournal" | "clock">;

interface Count {
  /** Infinity until the count is complete, because its duration determines how long it is valid. */
  goodUntil: number;
  readonly count: Promise<number>;
}

interface RunsToCount extends AppScope {
  readonly userId: string;
  /** 0 for no limit. */
  readonly maxOfApp: number;
  /** Of the user in this app; 0 for no limit. */
  readonly maxOfUser: number;
}

type Counted = AppScope & { readonly userId?: string };

const PAGE_SIZE = 200;
/**
 * A count is valid for ten times as long as it took, so that counting takes at most a tenth of the time: while the
 * quota is unavailable, each message needs a count.
 */
const GOOD_FOR_TIMES_ITS_COST = 10;
const MAX_GOOD_FOR_MS = 1000;

/**
 * Counts active runs by their records. Expensive, and up to a second old; runs that begin concurrently are not counted.
 */
export class ActiveRunCount {
  readonly #options: RunningRunsOptions;
  readonly #counts = new Map<string, Count>();

  constructor(options: RunningRunsOptions) {
    this.#options = options;
  }

  /** Returns the limit that is reached without the requested place. Its run `hasRecord` if it is already active. */
  async full(
    { tenantId, appName, userId, maxOfApp, maxOfUser }: RunsToCount,
    { hasRecord }: { readonly hasRecord: boolean },
  ): Promise<"app" | "user" | undefined> {
    const own = hasRecord ? 1 : 0;
    const ofApp = { ...inTenant(tenantId), appName };
    if (maxOfUser > 0 && (await this.#countOf({ ...ofApp, userId })) - own >= maxOfUser) return "user";
    return maxOfApp > 0 && (await this.#countOf(ofApp)) - own >= maxOfApp ? "app" : undefined;
  }

  #countOf(counted: Counted): Promise<number> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    for (const [name, { goodUntil }] of this.#counts) if (startedAt >= goodUntil) this.#counts.delete(name);
    const { userId } = counted;
    const name = userId === undefined ? appScopeName(counted) : ownerName({ ...counted, userId });
    const known = this.#counts.get(name);
    if (known !== undefined) return known.count;
    const counting: Count = {
      goodUntil: Number.POSITIVE_INFINITY,
      count: outsideCallScope(() => this.#count(counted)),
    };
    this.#counts.set(name, counting);
    const settle = (): void => {
      const now = clock.monotonic();
      counting.goodUntil = now + Math.min((now - startedAt) * GOOD_FOR_TIMES_ITS_COST, MAX_GOOD_FOR_MS);
    };
    // A failed count is not kept.
    counting.count.then(settle, () => this.#counts.delete(name));
    return counting.count;
  }

  /** The journal returns no users to a runner, so one query counts one user or all of them. */
  async #count(counted: Counted): Promise<number> {
    let found = 0;
    const { runJournal } = this.#options;
    const request = { ...counted, statuses: ["running"], pageSize: PAGE_SIZE } as const;
    for await (const { runs } of allPages((place) => runJournal.list({ ...request, ...place }))) found += runs.length;
    return found;
  }
}
