import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";
import type { GatewayDeps } from "../deps.ts";
import { type RetentionDeps, RetentionPass } from "./retention-pass.ts";
import type { RetentionRules } from "./retention-rules.ts";

export interface RetentionScheduleOptions {
  /** The current content of the operator's file. */
  readonly rules: () => RetentionRules;
  /** Time until the first look, for tests. */
  readonly firstLookMs?: number;
  readonly lookMs?: number;
  /** How often the claim of a pass is renewed; shorter than claims live. */
  readonly renewMs?: number;
}

/** One pass in each such part of the day, of all processes together. */
const PASS_EVERY_MS = 6 * 60 * 60 * 1000;
/** A process that begins serves requests first. */
const FIRST_LOOK_MS = 60_000;
/** How often a process looks whether the pass of this time was made; one that was lost is repeated by then. */
const LOOK_MS = 10 * 60 * 1000;
const RENEW_MS = 20_000;
/** Of the server itself: no caller's key has this form, because a guard puts the caller's user behind it. */
const CLAIM = "server:retention:";

/**
 * Makes one pass of retention every six hours. Gateways claim it in the store that they share for idempotency keys, so
 * that one of them makes it; another one takes it when the claim is no longer renewed. A pass that two make at the same
 * time, because their claims are not shared, deletes and counts nothing twice.
 */
export class RetentionSchedule implements AsyncDisposable {
  readonly #deps: RetentionDeps & Pick<GatewayDeps, "ids" | "idempotencyStore">;
  readonly #options: RetentionScheduleOptions;
  readonly #end = new AbortController();
  /** The part of the time whose pass is done. */
  #doneSlot: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(deps: RetentionDeps & Pick<GatewayDeps, "ids" | "idempotencyStore">, options: RetentionScheduleOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#lookIn(options.firstLookMs ?? FIRST_LOOK_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookIn(delayMs: number): void {
    if (this.#end.signal.aborted) return;
    // Processes that were started together do not look together.
    const wait = delayMs * (0.75 + Math.random() / 2);
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => this.#lookIn(this.#options.lookMs ?? LOOK_MS));
    }, wait).unref();
  }

  async #look(): Promise<void> {
    const { clock, ids, idempotencyStore, logger } = this.#deps;
    const slot = Math.floor(clock.now() / PASS_EVERY_MS);
    if (slot === this.#doneSlot) return;
    const claim = new PassClaim(idempotencyStore, `${CLAIM}${slot}`, ids.next());
    try {
      const found = await claim.take();
      if (found === "done") this.#doneSlot = slot;
      if (found !== "taken") return;
      if (await this.#pass(claim)) this.#doneSlot = slot;
    } catch (error) {
      logger.warn({ error }, "the pass of retention cannot be claimed");
    }
  }

  async #pass(claim: PassClaim): Promise<boolean> {
    const { ids, logger } = this.#deps;
    const { rules, renewMs = RENEW_MS } = this.#options;
    const passId = ids.next();
    const lost = new AbortController();
    const renewal = setInterval(() => {
      claim.renew().then(
        (isOurs) => isOurs || lost.abort(new Error("Another process makes the pass.")),
        (error: unknown) => logger.warn({ error }, "the claim of the pass of retention cannot be renewed"),
      );
    }, renewMs).unref();
    try {
      const signal = AbortSignal.any([this.#end.signal, lost.signal]);
      const { deleted, failed } = await new RetentionPass(this.#deps, { rules: rules(), passId, signal }).run();
      if (deleted.length > 0 || failed > 0)
        logger.info({ passId, deleted, failed }, "retention deleted what is too old");
      await claim.complete();
      return true;
    } catch (error) {
      if (!this.#end.signal.aborted && !lost.signal.aborted)
        logger.warn({ error, passId }, "the pass of retention did not end, and is repeated");
      if (!lost.signal.aborted) await claim.release().catch(() => undefined);
      return false;
    } finally {
      clearInterval(renewal);
    }
  }
}

/** The claim of one pass, which lives for a minute unless it is renewed. */
class PassClaim {
  readonly #store: IdempotencyStore;
  readonly #key: string;
  readonly #holder: string;

  constructor(store: IdempotencyStore, key: string, holder: string) {
    this.#store = store;
    this.#key = key;
    this.#holder = holder;
  }

  async take(): Promise<"taken" | "done" | "held"> {
    const found = await this.#store.claim(this.#key, this.#holder);
    if (found === undefined) return "taken";
    return found.isDone ? "done" : "held";
  }

  /** False if another process has it now. */
  async renew(): Promise<boolean> {
    const found = await this.#store.claim(this.#key, this.#holder);
    if (found !== undefined && found.fingerprint !== this.#holder) return false;
    if (found === undefined) return true;
    await this.#store.release(this.#key);
    const other = await this.#store.claim(this.#key, this.#holder);
    return other === undefined || other.fingerprint === this.#holder;
  }

  async complete(): Promise<void> {
    await this.#store.complete(this.#key, { fingerprint: this.#holder });
  }

  async release(): Promise<void> {
    await this.#store.release(this.#key);
  }
}
