import type { AppScope } from "#kit/names/app-scope.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { RunPlace } from "#kit/runs/stream/run-quota.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import { appScopeName } from "#shared/metrics/named-counts.ts";
import { outsideCallScope } from "#shared/security/call-scope.ts";
import type { RunnerDeps } from "../deps.ts";

type RunningRunsOptions = Pick<RunnerDeps, "runJournal" | "clock">;

interface Counts {
  /** Infinity until the count is complete, because its duration determines how long it is valid. */
  goodUntil: number;
  readonly counts: Promise<{ app: number; readonly users: ReadonlyMap<string, number> }>;
}

const PAGE_SIZE = 200;
/** Keeps counting below a tenth of the time: while the quota is unavailable, each message asks for a count. */
const GOOD_FOR_TIMES_ITS_COST = 10;
const MAX_GOOD_FOR_MS = 1000;

/**
 * Counts active runs by their records. Expensive, and up to a second old; runs that begin concurrently are not counted.
 */
export class RunningRuns {
  readonly #options: RunningRunsOptions;
  readonly #apps = new Map<string, Counts>();

  constructor(options: RunningRunsOptions) {
    this.#options = options;
  }

  /** Returns the limit that is reached without the requested place. Its run `hasRecord` if it is already active. */
  async full(place: RunPlace, { hasRecord }: { readonly hasRecord: boolean }): Promise<"app" | "user" | undefined> {
    const { userId, maxOfApp, maxOfUser } = place;
    const { app, users } = await this.#countsOf(place);
    const own = hasRecord ? 1 : 0;
    if (maxOfUser > 0 && (users.get(userId) ?? 0) - own >= maxOfUser) return "user";
    return maxOfApp > 0 && app - own >= maxOfApp ? "app" : undefined;
  }

  #countsOf(scope: AppScope): Counts["counts"] {
    const app = appScopeName(scope);
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    for (const [name, { goodUntil }] of this.#apps) if (startedAt >= goodUntil) this.#apps.delete(name);
    const known = this.#apps.get(app);
    if (known !== undefined) return known.counts;
    const counting: Counts = {
      goodUntil: Number.POSITIVE_INFINITY,
      counts: outsideCallScope(() => this.#count(scope)),
    };
    this.#apps.set(app, counting);
    const settle = (): void => {
      const now = clock.monotonic();
      counting.goodUntil = now + Math.min((now - startedAt) * GOOD_FOR_TIMES_ITS_COST, MAX_GOOD_FOR_MS);
    };
    // A failed count is not kept.
    counting.counts.then(settle, () => this.#apps.delete(app));
    return counting.counts;
  }

  async #count({ tenantId, appName }: AppScope): Counts["counts"] {
    const users = new Map<string, number>();
    let app = 0;
    const { runJournal } = this.#options;
    const request = { ...inTenant(tenantId), appName, statuses: ["running"], pageSize: PAGE_SIZE } as const;
    for await (const { runs } of allPages((place) => runJournal.list({ ...request, ...place }))) {
      for (const { session } of runs) users.set(session.userId, (users.get(session.userId) ?? 0) + 1);
      app += runs.length;
    }
    return { app, users };
  }
}
