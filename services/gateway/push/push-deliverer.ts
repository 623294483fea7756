import { tenantOf } from "#kit/names/tenant.ts";
import type { DuePush, PushOutcome, PushStore } from "#ports/push/push-store.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { RouteDeps } from "../deps.ts";
import { DueLoop } from "../due/due-loop.ts";
import { TaskDelivery } from "./deliver-task.ts";
import type { PushSender } from "./push-sender.ts";

export interface PushDelivererOptions {
  readonly store: PushStore;
  readonly sender: PushSender;
  /** Whether other processes store deliveries too, which this one finds by looking. */
  readonly isShared: boolean;
  readonly counted: (outcome: PushOutcome) => void;
  readonly leaseMs?: number;
  readonly lookMs?: number;
}

/** How long a process may be silent before another one takes its deliveries. */
const LEASE_MS = 30_000;
/** How often deliveries of other processes are looked for. */
const LOOK_MS = 10_000;
/** A page of what is due. */
const PAGE = 100;
/** Tasks that are followed at the same time, of the process and for one payer. */
const MAX_FOLLOWED = 1_000;
const MAX_FOLLOWED_OF_PAYER = 500;
/** When a delivery of a payer with too many others is looked at again. */
const POSTPONED_MS = 15_000;
/** A delivery that had nothing to send for so long gives its place to others if there is none. */
const IDLE_MS = 10_000;

interface Followed {
  readonly due: DuePush;
  readonly delivery: TaskDelivery;
  readonly end: AbortController;
  readonly done: Promise<void>;
}

/**
 * Delivers the push notifications that are due. Each delivery is leased, so that one process at a time sends the updates of a
 * task to a target, and another one continues when that process was lost.
 */
export class PushDeliverer {
  readonly #deps: RouteDeps;
  readonly #options: PushDelivererOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #payers = new Map<string, number>();
  readonly #loop: DueLoop;

  constructor(deps: RouteDeps, options: PushDelivererOptions) {
    this.#deps = deps;
    this.#options = options;
    const { isShared, lookMs = LOOK_MS } = options;
    const { logger } = deps;
    const problem = "push notifications cannot be read";
    this.#loop = new DueLoop({ lookOnce: () => this.#lookOnce(), isShared, lookMs, logger, problem });
  }

  /** Looks for what is due, now. */
  look(): void {
    this.#loop.look();
  }

  /** Gives all deliveries back, so that another process continues them at once. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const followed = [...this.#followed.values()];
    for (const { end } of followed) end.abort();
    await Promise.all(followed.map(({ done }) => done));
  }

  /** Returns the time to the next delivery, if one is known; `again` if more may be due now. */
  async #lookOnce(): Promise<number | "again" | undefined> {
    const { store } = this.#options;
    const { clock } = this.#deps;
    const due = await store.listDue(PAGE);
    const postponed: DuePush[] = [];
    let taken = 0;
    for (const one of due) {
      const delayMs = one.dueMs - clock.now();
      if (delayMs > 0) {
        await this.#postpone(postponed);
        return delayMs;
      }
      // This process has it, and its lease is being renewed.
      if (this.#followed.has(one.key)) continue;
      if (this.#followed.size >= MAX_FOLLOWED) {
        await this.#postpone(postponed);
        this.#makeRoom();
        return POSTPONED_MS;
      }
      if ((this.#payers.get(one.payer) ?? 0) >= MAX_FOLLOWED_OF_PAYER) postponed.push(one);
      else if (await this.#take(one)) taken += 1;
    }
    await this.#postpone(postponed);
    if (due.length === 0) return undefined;
    return due.length === PAGE && taken + postponed.length > 0 ? "again" : LEASE_MS;
  }

  async #postpone(due: readonly DuePush[]): Promise<void> {
    const toMs = this.#deps.clock.now() + Math.round(POSTPONED_MS * (1 + Math.random()));
    if (due.length > 0) await this.#options.store.postpone(due, toMs);
  }

  async #take(due: DuePush): Promise<boolean> {
    const { store, sender, counted, leaseMs = LEASE_MS } = this.#options;
    const push = await store.take(due, this.#deps.clock.now() + leaseMs);
    if (push === undefined) return false;
    const { tenantId, appName, userId } = push.task.session;
    const end = new AbortController();
    const options = { store, sender, leaseMs, counted, signal: end.signal };
    const delivery = new TaskDelivery(this.#deps, options, push);
    this.#payers.set(due.payer, (this.#payers.get(due.payer) ?? 0) + 1);
    // The delivery reaches what the user reaches who asked for it.
    const principal = { tenantId: tenantOf({ tenantId }), appName, userId, scopes: [] };
    const done = inCallScope({ principal }, () => delivery.run()).finally(() => this.#ended(due));
    this.#followed.set(due.key, { due, delivery, end, done });
    return true;
  }

  #ended({ key, payer }: DuePush): void {
    this.#followed.delete(key);
    const ofPayer = (this.#payers.get(payer) ?? 0) - 1;
    if (ofPayer <= 0) this.#payers.delete(payer);
    else this.#payers.set(payer, ofPayer);
    // It may be due again soon.
    this.look();
  }

  #makeRoom(): void {
    for (const { delivery, end } of this.#followed.values()) if (delivery.idleMs > IDLE_MS) end.abort();
  }
}
