import type { JWTPayload } from "jose";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { dateOf } from "#kit/platform/iso-time.ts";
import type { Caller } from "../caller.ts";
import { invalidCredentials } from "../refusals.ts";
import { assertAccessToken, CLOCK_TOLERANCE_SECONDS } from "./access-token.ts";
import type { Issuer } from "./issuer.ts";
import type { SigningKeys } from "./signing-keys.ts";
import { callerOfToken } from "./token-caller.ts";
import type { UncheckedToken } from "./token-form.ts";

/** Asymmetric ones alone: with others, a public key could serve as a shared secret. */
const ALGORITHMS = ["RS256", "ES256", "PS256", "EdDSA", "Ed25519"];
const REQUIRED_CLAIMS = ["sub", "iat", "exp"];

export interface TokenVerifierOptions {
  readonly issuer: Issuer;
  readonly keys: Pick<SigningKeys, "keyFor" | "endsAt">;
  readonly jose: Pick<typeof import("jose"), "jwtVerify" | "errors">;
  readonly clock: Clock;
}

/** Checks the tokens of one issuer. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
  }

  /** When the keys by which tokens are checked serve no more, by the monotonic clock. */
  get keysEndAt(): number {
    return this.#options.keys.endsAt;
  }

  /** The caller of a token. Throws `UNAUTHENTICATED` and `IDENTITY_UNAVAILABLE`. */
  async verify(token: string, unchecked: UncheckedToken): Promise<Caller> {
    const { issuer, clock } = this.#options;
    const { exp = 0 } = await this.#signedClaims(token);
    // The same bytes as those that were just checked.
    assertAccessToken(unchecked, issuer, clock.now());
    return callerOfToken(unchecked.claims, issuer, (exp + CLOCK_TOLERANCE_SECONDS) * 1000);
  }

  async #signedClaims(token: string): Promise<JWTPayload> {
    const { issuer, keys, jose, clock } = this.#options;
    try {
      const { payload } = await jose.jwtVerify(token, keys.keyFor, {
        algorithms: ALGORITHMS,
        issuer: issuer.issuer,
        audience: [...issuer.audience],
        requiredClaims: REQUIRED_CLAIMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: dateOf(clock.now()),
        typ: issuer.typ !== "" ? issuer.typ : undefined,
      });
      return payload;
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      throw this.#refusal(error);
    }
  }

  #refusal(error: unknown): PlatformError {
    const { errors } = this.#options.jose;
    if (error instanceof errors.JWTExpired) return invalidCredentials("The token has expired.", error);
    if (error instanceof errors.JWTClaimValidationFailed)
      return invalidCredentials(`The token's ${error.claim} is not accepted.`, error);
    if (error instanceof errors.JOSEAlgNotAllowed)
      return invalidCredentials(`The token's algorithm is not accepted: use one of ${ALGORITHMS.join(", ")}.`, error);
    return invalidCredentials("The token's signature is not valid, or its key is unknown.", error);
  }
}
