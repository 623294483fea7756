import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { ClientBudget } from "../identity/client-budget.ts";
import { identityUnavailable, invalidCredentials } from "../identity/refusals.ts";

const ENDS_PER_SECOND = 20;
const MOST_SAVED = 100;

/**
 * Decides which sign-ins may be completed by a request to their identity provider: each once in this process, and no more
 * than 20 a second for a client. Anybody can begin a sign-in and send codes for it.
 */
export class UsedFlows {
  readonly #used: BoundedCache<true>;
  readonly #budget: ClientBudget;

  /** `flowSeconds` is the time for which a flow's cookie is valid. */
  constructor(clock: Clock, flowSeconds: number) {
    this.#budget = new ClientBudget({ clock, perSecond: ENDS_PER_SECOND, mostSaved: MOST_SAVED });
    // All that can be used while one of them is valid: none is forgotten before it expires.
    this.#used = new BoundedCache(this.#budget.mostWithin(flowSeconds));
  }

  /**
   * Marks the flow with this state as used, by a client of this address. Throws `UNAUTHENTICATED` if it was, and
   * `IDENTITY_UNAVAILABLE` if there are too many, which leaves it unused.
   */
  use(state: string, address: string | undefined): void {
    if (this.#used.get(state) === true) throw invalidCredentials("This sign-in was already completed. Begin again.");
    if (!this.#budget.take(address))
      throw identityUnavailable("Too many sign-ins are being completed. Reload this page in a moment.", 1);
    this.#used.set(state, true);
  }
}
