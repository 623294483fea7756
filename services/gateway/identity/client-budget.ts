import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { RateBudget, type RateBudgetOptions } from "#ports/quota/rate-budget.ts";

/** How many clients together may use as much as one of them. */
const CLIENTS = 3;
const MAX_REMEMBERED = 10_000;

/**
 * Limits how often something happens that anybody can cause: for each client, so that one of them leaves room for the
 * others, and for all together. A client is an IPv4 address, or a network of IPv6, of which one machine has all addresses.
 */
export class ClientBudget {
  readonly #ofOne: RateBudgetOptions;
  readonly #ofAll: RateBudget;
  readonly #clients = new BoundedCache<RateBudget>(MAX_REMEMBERED);

  /** The limits are those of one client. */
  constructor(ofOne: RateBudgetOptions) {
    const { clock, perSecond, mostSaved } = ofOne;
    this.#ofOne = ofOne;
    this.#ofAll = new RateBudget({ clock, perSecond: perSecond * CLIENTS, mostSaved: mostSaved * CLIENTS });
  }

  /** How often it may happen in so many seconds, of all clients together. */
  mostWithin(seconds: number): number {
    const { perSecond, mostSaved } = this.#ofOne;
    return (mostSaved + perSecond * seconds) * CLIENTS;
  }

  /** Whether it may happen once more now. `address` is that of the connection; undefined if it is lost. */
  take(address: string | undefined): boolean {
    const client = clientOf(address ?? "");
    let budget = this.#clients.get(client);
    if (budget === undefined) this.#clients.set(client, (budget = new RateBudget(this.#ofOne)));
    return budget.take() && this.#ofAll.take();
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS_OF_NETWORK = 4;

function clientOf(address: string): string {
  const [, inner] = MAPPED.exec(address) ?? [];
  if (inner !== undefined || !address.includes(":")) return inner ?? address;
  // Node writes the groups without leading zeros, and "::" for several groups of zeros.
  const [start = ""] = address.split("::");
  const groups = start === "" ? [] : start.split(":");
  return [...groups, "0", "0", "0", "0"].slice(0, GROUPS_OF_NETWORK).join(":");
}
