import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { AppInbox } from "#kit/core/app-settings/app-inbox.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import { outsideCallScope } from "#shared/security/call-scope.ts";

interface Known {
  readonly inbox: AppInbox | undefined;
  readonly readAt: number;
}

/** How long an app's setting is used: a change counts for runs that start after this time. */
const MAX_AGE_MS = 10_000;
const MAX_APPS = 1000;

/** The settings of apps for questions that nobody answers, as this process knows them. */
export class AppInboxes {
  readonly #runner: Pick<RunnerService, "describeApp">;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new BoundedCache<Known>(MAX_APPS);

  constructor(runner: Pick<RunnerService, "describeApp">, clock: Pick<Clock, "monotonic">) {
    this.#runner = runner;
    this.#clock = clock;
  }

  /** While no runner answers, the last setting is used. Throws if it could not be read yet. */
  async of(appName: string): Promise<AppInbox | undefined> {
    const known = this.#known.get(appName);
    if (known !== undefined && this.#clock.monotonic() - known.readAt < MAX_AGE_MS) return known.inbox;
    try {
      const { inbox } = await outsideCallScope(() => this.#runner.describeApp(appName));
      this.#known.set(appName, { inbox, readAt: this.#clock.monotonic() });
      return inbox;
    } catch (error) {
      if (known === undefined) throw error;
      return known.inbox;
    }
  }
}
