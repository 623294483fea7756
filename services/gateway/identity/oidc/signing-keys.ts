import type { createLocalJWKSet, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from "jose";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { identityUnavailable } from "../refusals.ts";

/** From this age on, keys are fetched again in the background. */
const REFRESH_AGE_MS = 5 * 60_000;
/** Older keys are not used: the issuer may have withdrawn them. */
const MAX_AGE_MS = 10 * 60_000;
/** Shortest time between two requests to an issuer that has failed, or because tokens name unknown keys. */
const COOL_DOWN_MS = 10_000;

export interface SigningKeysOptions {
  readonly issuer: string;
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  readonly jose: Pick<typeof import("jose"), "createLocalJWKSet" | "errors">;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface KeySet {
  readonly keyFor: ReturnType<typeof createLocalJWKSet>;
  readonly fetchedAt: number;
}

/**
 * The keys by which an issuer signs, fetched when the first token arrives. While the issuer is unavailable, known keys
 * are used for ten minutes; then no token of it is accepted.
 */
export class SigningKeys {
  readonly #options: SigningKeysOptions;
  #known: KeySet | undefined;
  #fetch: Promise<KeySet> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  constructor(options: SigningKeysOptions) {
    this.#options = options;
  }

  /**
   * The key of a token's header. An unknown one is looked for once more at the issuer. Throws `IDENTITY_UNAVAILABLE` if
   * the issuer cannot be asked, and an error of the library if there is no such key.
   */
  readonly keyFor = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const known = await this.#current();
    try {
      return await known.keyFor(header, token);
    } catch (error) {
      if (!(error instanceof this.#options.jose.errors.JWKSNoMatchingKey)) throw error;
      const newest = this.#known ?? known;
      if (newest !== known) return newest.keyFor(header, token);
      if (this.#fetch === undefined && this.#isCoolingDown() && this.#failure === undefined) throw error;
      const newer = await this.#ask();
      return newer.keyFor(header, token);
    }
  };

  /** When the known keys serve no more, by the monotonic clock. */
  get endsAt(): number {
    return (this.#known?.fetchedAt ?? Number.NEGATIVE_INFINITY) + MAX_AGE_MS;
  }

  async #current(): Promise<KeySet> {
    const known = this.#known;
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#options.clock.monotonic() - known.fetchedAt;
    if (known === undefined || age >= MAX_AGE_MS) return this.#ask();
    if (age >= REFRESH_AGE_MS && !this.#isCoolingDown()) this.#refresh();
    return known;
  }

  #refresh(): void {
    // Each failure is logged where it happens.
    this.#ask().catch(() => {});
  }

  /** One request at a time. Throws `IDENTITY_UNAVAILABLE`. */
  async #ask(): Promise<KeySet> {
    if (this.#fetch === undefined && this.#failure !== undefined && this.#isCoolingDown())
      throw this.#unavailable(this.#failure);
    this.#fetch ??= this.#fetchNow().finally(() => {
      this.#fetch = undefined;
    });
    return this.#fetch;
  }

  async #fetchNow(): Promise<KeySet> {
    const { clock, fetchKeys, jose, logger, issuer } = this.#options;
    this.#askedAt = clock.monotonic();
    try {
      const keys = await fetchKeys();
      this.#known = { keyFor: jose.createLocalJWKSet(keys), fetchedAt: clock.monotonic() };
      this.#failure = undefined;
      return this.#known;
    } catch (error) {
      this.#failure = error;
      logger.warn({ error, issuer }, "the keys of an identity provider could not be fetched");
      throw this.#unavailable(error);
    }
  }

  #isCoolingDown(): boolean {
    return this.#options.clock.monotonic() - this.#askedAt < COOL_DOWN_MS;
  }

  #unavailable(cause: unknown): Error {
    return identityUnavailable("The identity provider cannot be asked for its keys. Try again soon.", 5, cause);
  }
}
