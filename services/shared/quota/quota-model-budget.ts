import type { ModelBudget, ModelCallEstimate, ReservedCall, RunBudget } from "#kit/budget/model-budget.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { QuotaAnswer, QuotaReservation } from "#ports/quota/quota-ledger.ts";
import { type AppliedLimit, tenantScope } from "./applied-limit.ts";
import { type CallTokens, microUsdOf, type Price, sumOf, tokensOf } from "./prices.ts";
import { BUDGET_LIMITS, isMoney, type QuotaSubject } from "./quota-limits.ts";
import { hasAny } from "./quota-rules.ts";
import { RESERVATION_LEASE_MS } from "./quota-settings.ts";
import type { Quotas } from "./quotas.ts";

export interface QuotaModelBudgetOptions {
  readonly quotas: Quotas;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  /** For tests. */
  readonly sleep?: Sleep;
}

/** How long a call waits while only reservations of calls in progress leave it no room. */
const MAX_WAIT_MS = 30_000;
const ASK_AGAIN_MS = 200;
/** Models whose missing price was logged; beyond these, nothing more is logged. */
const MAX_LOGGED_MODELS = 100;

/** The budgets of the operator's file, for the runs and evaluations of this process. */
export class QuotaModelBudget implements ModelBudget {
  readonly #options: QuotaModelBudgetOptions;
  readonly #withoutPrice = new Set<string>();

  constructor(options: QuotaModelBudgetOptions) {
    this.#options = options;
  }

  ofRun({ session, request }: Pick<RunRecord, "session" | "request">): RunBudget | undefined {
    const { appName, userId } = session;
    return this.ofSubject({ ...tenantScope(session), appName, userId, keyId: request.keyId });
  }

  /** The budget for model calls that count for the subject; undefined if there is no limit. */
  ofSubject(subject: QuotaSubject): RunBudget | undefined {
    if (!hasAny(this.#options.quotas.rules, BUDGET_LIMITS)) return undefined;
    return { reserve: (call, signal) => this.#reserve(subject, call, signal) };
  }

  async #reserve(subject: QuotaSubject, call: ModelCallEstimate, signal: AbortSignal): Promise<ReservedCall> {
    const { quotas, ids } = this.#options;
    // Read for each call: the file may have changed during the run.
    const limits = quotas.limitsOf(subject, BUDGET_LIMITS);
    if (limits.length === 0) return NOTHING_RESERVED;
    const price = this.#priceOf(call.model, limits);
    const { reservedOutputTokens } = quotas.rules;
    const expected = tokensOf({
      promptTokenCount: call.promptTokens,
      candidatesTokenCount: call.maxOutputTokens ?? reservedOutputTokens,
    });
    const reservation: QuotaReservation = {
      ...tenantScope(subject),
      id: ids.next(),
      leaseMs: RESERVATION_LEASE_MS,
      charges: limits.map((limit) => ({ ...limit, amount: amountOf(limit, expected, price) })),
    };
    await this.#takeWhenFree(reservation, limits, signal);
    const settle = (used: UsageMetadata): void => {
      const tokens = tokensOf(used);
      quotas.ledger.settle(
        reservation,
        limits.map((limit) => amountOf(limit, tokens, price)),
      );
    };
    return { settle };
  }

  async #takeWhenFree(
    reservation: QuotaReservation,
    limits: readonly AppliedLimit[],
    signal: AbortSignal,
  ): Promise<void> {
    const { quotas, clock, sleep: pause = sleep } = this.#options;
    const giveUpAt = clock.monotonic() + MAX_WAIT_MS;
    for (;;) {
      let answer: QuotaAnswer;
      try {
        answer = await quotas.ledger.reserve(reservation);
      } catch (error) {
        const refusal = quotas.refusalOfOutage("budgets", error);
        if (refusal !== undefined) throw refusal;
        // The call is made without a reservation. What it uses is counted when the counts can be reached.
        return;
      }
      if (answer.kind === "taken") return;
      const [applied, state] = [limits[answer.index], answer.states[answer.index]];
      if (applied === undefined || state === undefined) return;
      if (!answer.isReserved || clock.monotonic() >= giveUpAt) throw quotas.refusalOf({ applied, state });
      await pause(ASK_AGAIN_MS * (0.5 + Math.random() / 2), signal);
    }
  }

  #priceOf(model: string, limits: readonly AppliedLimit[]): Price | undefined {
    const { quotas, logger } = this.#options;
    const price = quotas.rules.prices.of(model);
    if (price !== undefined || !limits.some(({ limit }) => isMoney(limit))) return price;
    if (quotas.rules.unpricedModels === "refuse")
      throw new PlatformError(
        "MODEL_WITHOUT_PRICE",
        `The model ${model} has no price, which a budget of money needs: the operator should add it to PRICES_FILE or QUOTAS_FILE.`,
        {
          details: { model },
        },
      );
    if (!this.#withoutPrice.has(model) && this.#withoutPrice.size < MAX_LOGGED_MODELS) {
      this.#withoutPrice.add(model);
      logger.warn({ model }, "the model has no price in QUOTAS_FILE or PRICES_FILE: its calls count as free");
    }
    return undefined;
  }
}

const NOTHING_RESERVED: ReservedCall = { settle: () => {} };

function amountOf({ limit }: AppliedLimit, tokens: CallTokens, price: Price | undefined): number {
  if (!isMoney(limit)) return sumOf(tokens);
  return price === undefined ? 0 : microUsdOf(tokens, price);
}
