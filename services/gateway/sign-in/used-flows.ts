import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { RateBudget } from "../identity/rate-budget.ts";
import { identityUnavailable, invalidCredentials } from "../identity/refusals.ts";

const ENDS_PER_SECOND = 20;
const MOST_SAVED = 100;

/**
 * Decides which sign-ins may be completed by a request to their identity provider: each once in this process, and at
 * most 20 a second of all. Anybody can begin a sign-in and send codes for it.
 */
export class UsedFlows {
  readonly #used: BoundedCache<true>;
  readonly #budget: RateBudget;

  /** `flowSeconds` is the time for which a flow's cookie is valid. */
  constructor(clock: Clock, flowSeconds: number) {
    this.#budget = new RateBudget({ clock, perSecond: ENDS_PER_SECOND, mostSaved: MOST_SAVED });
    // As many as can be used while one of them is valid, so that none is forgotten before it expires.
    this.#used = new BoundedCache(MOST_SAVED + ENDS_PER_SECOND * flowSeconds);
  }

  /**
   * Marks the flow with this state as used. Throws `UNAUTHENTICATED` if it was, and `IDENTITY_UNAVAILABLE` if there are
   * too many, which leaves it unused.
   */
  use(state: string): void {
    if (this.#used.get(state) === true) throw invalidCredentials("This sign-in was already completed. Begin again.");
    if (!this.#budget.take())
      throw identityUnavailable("Too many sign-ins are being completed. Reload this page in a moment.", 1);
    this.#used.set(state, true);
  }
}
