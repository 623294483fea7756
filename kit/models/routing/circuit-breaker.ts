import type { BaseLlm } from "#kit/models/base-llm.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { checkOptions, clock as clockRule, integer, type OptionRules } from "#kit/schema/check-options.ts";

/** Options of `CircuitBreakers`. */
export interface CircuitBreakerOptions {
  /** Failures in a row after which a model is not called; 5 by default. */
  readonly failures?: number | undefined;
  /** How long it is not called then, in milliseconds; 30,000 by default. After that one call tries it. */
  readonly openMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const RULES: OptionRules<CircuitBreakerOptions> = {
  failures: integer(1),
  openMs: integer(0, " milliseconds"),
  clock: clockRule,
};

const DEFAULT_FAILURES = 5;
const DEFAULT_OPEN_MS = 30_000;

/**
 * The circuit breakers of models, one for each model object. A name is the same object wherever the model registry
 * resolves it, so that all agents of a process share what one of them has found out about a model.
 */
export class CircuitBreakers {
  readonly #breakers = new WeakMap<BaseLlm, CircuitBreaker>();
  readonly #options: CircuitBreakerOptions;

  /** Throws `INVALID_FIELD`. */
  constructor(options: CircuitBreakerOptions = {}) {
    checkOptions("new CircuitBreakers", options, RULES);
    this.#options = options;
  }

  of(model: BaseLlm): CircuitBreaker {
    const known = this.#breakers.get(model);
    if (known !== undefined) return known;
    const breaker = new CircuitBreaker(this.#options);
    this.#breakers.set(model, breaker);
    return breaker;
  }
}

/** The breakers of models that are given no others. */
export const defaultCircuitBreakers = new CircuitBreakers();

/** Keeps calls from one model while it fails: closed at first, open after failures in a row, and then half open. */
export class CircuitBreaker {
  readonly #failures: number;
  readonly #openMs: number;
  readonly #clock: Clock;
  #failed = 0;
  #openUntil = 0;
  #isTrying = false;

  constructor({ failures = DEFAULT_FAILURES, openMs = DEFAULT_OPEN_MS, clock = systemClock }: CircuitBreakerOptions) {
    this.#failures = failures;
    this.#openMs = openMs;
    this.#clock = clock;
  }

  /** Whether the model may be called: not while the breaker is open, and once only while it is half open. */
  get isClosed(): boolean {
    return this.#failed < this.#failures || (this.#clock.monotonic() >= this.#openUntil && !this.#isTrying);
  }

  /** A call begins. `settle` ends it; an outcome that says nothing about the model is `unknown`. */
  begin(): { settle(outcome: "success" | "failure" | "unknown"): void } {
    const isTrial = this.#failed >= this.#failures;
    if (isTrial) this.#isTrying = true;
    let isSettled = false;
    return {
      settle: (outcome) => {
        if (isSettled) return;
        isSettled = true;
        if (isTrial) this.#isTrying = false;
        if (outcome === "success") this.#failed = 0;
        if (outcome !== "failure") return;
        this.#failed += 1;
        this.#openUntil = this.#clock.monotonic() + this.#openMs;
      },
    };
  }
}
