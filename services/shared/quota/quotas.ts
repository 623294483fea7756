import { isUnavailable, type PlatformError } from "#kit/errors/platform-error.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { nothingOf, type QuotaAnswer, type QuotaLedger, type QuotaReservation } from "#ports/quota/quota-ledger.ts";
import type { RunQuota } from "#ports/runs/run-quota.ts";
import { type AppliedLimit, LimitFinder, type QuotaUse, tenantScope } from "./applied-limit.ts";
import {
  BUDGET_LIMITS,
  isStorageLimit,
  nameIn,
  QUOTA_LIMIT_NAMES,
  QUOTA_SCOPES,
  type QuotaLimit,
  type QuotaScope,
  type QuotaSubject,
} from "./quota-limits.ts";
import type { QuotaObserver } from "./quota-metrics.ts";
import { quotaExceeded, quotaUnavailable } from "./quota-refusals.ts";
import type { QuotaRules } from "./quota-rules.ts";
import { RESERVATION_LEASE_MS } from "./quota-settings.ts";
import { readStoredLimits, type StorageReaders, type StoredLimit } from "./stored-limits.ts";

export interface QuotasOptions {
  /** The current rules. */
  readonly rules: () => QuotaRules;
  readonly ledger: QuotaLedger;
  /** Counts active runs: the limits of runs are enforced where runs begin. */
  readonly runQuota: RunQuota;
  /** Reads what stores count, which enforce the limits of stored data; absent in processes that do not report usage. */
  readonly storage?: StorageReaders | undefined;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly observer?: QuotaObserver | undefined;
}

/** An attempt to count something: what is used of each limit, and the refusal if one has no room. */
export interface QuotaOutcome {
  readonly uses: readonly QuotaUse[];
  readonly refusal?: PlatformError;
}

const NOTHING_COUNTED: QuotaOutcome = { uses: [] };

/** The quotas of the operator's file: what has room, and what is refused. */
export class Quotas {
  readonly #options: QuotasOptions;
  readonly #limits = new LimitFinder();

  constructor(options: QuotasOptions) {
    this.#options = options;
  }

  get rules(): QuotaRules {
    return this.#options.rules();
  }

  get ledger(): QuotaLedger {
    return this.#options.ledger;
  }

  get runQuota(): RunQuota {
    return this.#options.runQuota;
  }

  /** The limits of these kinds that the subject has. */
  limitsOf(
    subject: QuotaSubject,
    limits: readonly QuotaLimit[] = QUOTA_LIMIT_NAMES,
    scopes: readonly QuotaScope[] = QUOTA_SCOPES,
  ): readonly AppliedLimit[] {
    return this.#limits.find(this.rules, { subject, limits, scopes });
  }

  /** Counts one request, in these scopes. No promise if the subject has no limit. */
  countRequest(subject: QuotaSubject, scopes?: readonly QuotaScope[]): QuotaOutcome | Promise<QuotaOutcome> {
    const limits = this.limitsOf(subject, ["requestsPerMinute"], scopes);
    if (limits.length === 0) return NOTHING_COUNTED;
    return this.#outcomeOf(limits, this.ledger.spend({ ...tenantScope(subject), charges: chargesOf(limits) }));
  }

  /**
   * Counts one of what is limited at this moment until the returned function is called. Throws `QUOTA_EXCEEDED`, and
   * `QUOTA_UNAVAILABLE` if the rules demand it.
   */
  async hold(subject: QuotaSubject, limit: "openStreams"): Promise<() => void> {
    const limits = this.limitsOf(subject, [limit]);
    if (limits.length === 0) return NOTHING_HELD;
    const { ids } = this.#options;
    const reservation: QuotaReservation = {
      ...tenantScope(subject),
      id: ids.next(),
      charges: chargesOf(limits),
      leaseMs: RESERVATION_LEASE_MS,
    };
    const { refusal } = await this.#outcomeOf(limits, this.ledger.reserve(reservation));
    if (refusal !== undefined) throw refusal;
    return () => this.ledger.settle(reservation, nothingOf(reservation));
  }

  /** Throws `QUOTA_EXCEEDED` if a budget of the subject is used up, so that a run need not begin. */
  async assertBudget(subject: QuotaSubject): Promise<void> {
    const limits = this.limitsOf(subject, BUDGET_LIMITS);
    if (limits.length === 0) return;
    const uses = await this.read(subject, limits).catch((error: unknown) => {
      // The runner decides before the first call of a model, by which time the counts may be readable again.
      if (isUnavailable(error)) return [];
      throw error;
    });
    const full = uses.find(({ applied, state }) => state.used >= applied.max);
    if (full !== undefined) throw this.refusalOf(full);
  }

  /** What is used of these limits. Throws `STORE_UNAVAILABLE`. */
  async read(subject: QuotaSubject, limits: readonly AppliedLimit[]): Promise<readonly QuotaUse[]> {
    const tenant = tenantScope(subject);
    const { storage } = this.#options;
    const counted = limits.filter(({ limit }) => !isStorageLimit(limit));
    const stored = storage === undefined ? [] : limits.flatMap((applied) => storedOf(applied, subject));
    const ofRuns = counted.filter(({ limit }) => limit === "concurrentRuns");
    const [states, amounts, active] = await Promise.all([
      this.ledger.read({ ...tenant, counts: counted }),
      stored.length === 0 ? [] : readStoredLimits(storage ?? {}, stored),
      ofRuns.length === 0 ? [] : this.runQuota.count({ ...tenant, names: ofRuns.map(({ name }) => name) }),
    ]);
    const uses = usesOf(counted, states).map((use) => {
      const runs = active[ofRuns.indexOf(use.applied)];
      return runs === undefined ? use : { ...use, state: { ...use.state, reserved: runs } };
    });
    const storedUses = stored.map(({ applied }, index) => {
      return { applied, state: { used: amounts[index] ?? 0, reserved: 0, resetMs: 0 } };
    });
    return inOrder(limits, [...uses, ...storedUses]);
  }

  /** The refusal of what has no room, counted. */
  refusalOf({ applied, state }: QuotaUse): PlatformError {
    this.#options.observer?.refused(applied);
    return quotaExceeded(applied, state);
  }

  /** The refusal of what must not be used while the counts cannot be read; undefined if the rules allow it. */
  refusalOfOutage(kind: "requests" | "budgets", error: unknown): PlatformError | undefined {
    if (!isUnavailable(error)) throw error;
    const { observer, logger } = this.#options;
    observer?.unavailable(kind);
    logger.debug({ error }, "quotas cannot be counted");
    return this.rules.whenUnavailable[kind] === "allow" ? undefined : quotaUnavailable(error);
  }

  async #outcomeOf(limits: readonly AppliedLimit[], answering: Promise<QuotaAnswer>): Promise<QuotaOutcome> {
    let answer: QuotaAnswer;
    try {
      answer = await answering;
    } catch (error) {
      const refusal = this.refusalOfOutage("requests", error);
      return { uses: [], refusal };
    }
    const uses = usesOf(limits, answer.states);
    const full = answer.kind === "refused" ? uses[answer.index] : undefined;
    return { uses, refusal: full && this.refusalOf(full) };
  }
}

const NOTHING_HELD = (): void => {};

/** The count of a limit of stored data. */
function storedOf(
  applied: AppliedLimit,
  subject: QuotaSubject,
): readonly (StoredLimit & { readonly applied: AppliedLimit })[] {
  const { scope, limit } = applied;
  if (scope === "key" || !isStorageLimit(limit)) return [];
  return [{ applied, limit, count: { ...tenantScope(subject), scope, name: nameIn(scope, subject) ?? "" } }];
}

function inOrder(limits: readonly AppliedLimit[], uses: readonly QuotaUse[]): readonly QuotaUse[] {
  return limits.flatMap((limit) => uses.find(({ applied }) => applied === limit) ?? []);
}

function chargesOf(limits: readonly AppliedLimit[]) {
  return limits.map((limit) => ({ ...limit, amount: 1 }));
}

function usesOf(limits: readonly AppliedLimit[], states: readonly QuotaUse["state"][]): readonly QuotaUse[] {
  return limits.flatMap((applied, index) => {
    const state = states[index];
    return state === undefined ? [] : [{ applied, state }];
  });
}
