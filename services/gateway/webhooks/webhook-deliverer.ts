import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { Webhook, WebhookDelivery, WebhookEvent } from "#ports/webhooks/webhook.ts";
import type { DueWork, TakenWork, WebhookKey, WebhookStore } from "#ports/webhooks/webhook-store.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";
import type { GatewayDeps } from "../deps.ts";
import { DueLoop } from "../due/due-loop.ts";
import { retryDelay } from "./delivery-times.ts";
import { reportRuns } from "./report-runs.ts";
import type { WebhookDirectory } from "./webhook-directory.ts";
import type { WebhookSender } from "./webhook-sender.ts";

type DelivererDeps = Pick<
  GatewayDeps,
  "runJournal" | "evalJobs" | "apiKeys" | "auditor" | "countWebhook" | "clock" | "ids" | "logger"
>;

export interface WebhookDelivererOptions {
  readonly store: WebhookStore;
  readonly directory: WebhookDirectory;
  readonly sender: WebhookSender;
  /** Whether other processes store work too, which this one finds by looking. */
  readonly isShared: boolean;
  readonly leaseMs?: number;
  readonly lookMs?: number;
}

/** How long a process may be silent before another one takes its work: longer than a call of a receiver. */
const LEASE_MS = 30_000;
const LOOK_MS = 5_000;
const PAGE = 100;
/** Work at the same time, of the process and for one webhook. */
const MAX_WORK = 256;
const MAX_OF_WEBHOOK = 32;
/**
 * The webhooks of one host together have at most this part of the places that are free, but always one: so many stalled hosts as can be
 * leave places to the others.
 */
const PART_OF_FREE = 4;
/** When work is looked at again that this process has no room for, or that another one has. */
const POSTPONED_MS = 1_000;
/** The same for one webhook alone, at least. */
const CROWDED_MS = 2_000;

/**
 * Turns the ends of runs into messages, and sends the messages. Both are leased: one process at a time sends the messages of
 * a webhook and session, in their order, and another one continues when it was lost.
 */
export class WebhookDeliverer {
  readonly #deps: DelivererDeps;
  readonly #options: WebhookDelivererOptions;
  readonly #loop: DueLoop;
  /** By the keys of their rows. */
  readonly #working = new Map<string, Promise<void>>();
  /** Work in progress by the name of its webhook, and by its host. */
  readonly #counts = new Map<string, number>();
  readonly #end = new AbortController();

  constructor(deps: DelivererDeps, options: WebhookDelivererOptions) {
    this.#deps = deps;
    this.#options = options;
    const { isShared, lookMs = LOOK_MS } = options;
    const { logger } = deps;
    const problem = "webhooks cannot be read";
    this.#loop = new DueLoop({ lookOnce: () => this.#lookOnce(), isShared, lookMs, logger, problem });
  }

  /** Work of this process may be due. */
  look(): void {
    this.#loop.look();
  }

  /** Gives all work back, so that another process continues it at once. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#end.abort();
    await Promise.all(this.#working.values());
  }

  /** Adds the event to the messages of each webhook that wants it. */
  async report(event: WebhookEvent & { readonly type: Exclude<WebhookEvent["type"], "webhook.test"> }): Promise<void> {
    const { store, directory } = this.#options;
    const nowMs = this.#deps.clock.now();
    for (const webhook of await directory.wanting(event.session, event.type))
      if (await this.#isAllowed(webhook)) await store.post(keyOf(webhook), event, nowMs);
    this.look();
  }

  async #lookOnce(): Promise<number | "again" | undefined> {
    const { store, directory } = this.#options;
    const { clock } = this.#deps;
    await directory.refresh();
    const due = await store.listDue(PAGE);
    let started = 0;
    for (const one of due) {
      const delayMs = one.dueMs - clock.now();
      if (delayMs > 0) return delayMs;
      if (this.#loop.isStopped || this.#working.size >= MAX_WORK) return POSTPONED_MS;
      if (this.#working.has(one.key)) continue;
      const laterMs = Math.round(CROWDED_MS * (1 + Math.random()));
      if (this.#isCrowded(one)) await store.postpone(one, clock.now() + laterMs);
      else this.#start(one);
      started += 1;
    }
    if (due.length === 0) return undefined;
    return due.length === PAGE && started > 0 ? "again" : POSTPONED_MS;
  }

  #start(due: DueWork): void {
    const names = this.#receiverOf(due);
    for (const name of names) this.#counts.set(name, this.#countOf(name) + 1);
    const work = this.#work(due)
      .catch((error: unknown) => this.#deps.logger.warn({ error, work: due.key }, "work of a webhook was not done"))
      .finally(() => {
        this.#working.delete(due.key);
        for (const name of names) {
          const left = this.#countOf(name) - 1;
          if (left > 0) this.#counts.set(name, left);
          else this.#counts.delete(name);
        }
        // More of it may be due.
        this.look();
      });
    this.#working.set(due.key, work);
  }

  /** Whether its receiver has its share of the process's places. */
  #isCrowded(due: DueWork): boolean {
    const [webhook, host] = this.#receiverOf(due);
    if (webhook === undefined) return false;
    const share = Math.max(1, Math.floor((MAX_WORK - this.#working.size) / PART_OF_FREE));
    return this.#countOf(webhook) >= MAX_OF_WEBHOOK || (host !== undefined && this.#countOf(host) >= share);
  }

  /** The names of a message's webhook and of its host. Runs have no receiver: looking at them calls nobody. */
  #receiverOf(due: DueWork): readonly string[] {
    const webhook = webhookIn(due);
    if (webhook === undefined) return [];
    const host = this.#options.directory.hostOf(webhook);
    return [JSON.stringify(webhook), ...(host === undefined ? [] : [host])];
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  async #work(due: DueWork): Promise<void> {
    const { store, leaseMs = LEASE_MS } = this.#options;
    const taken = await store.take(due, this.#deps.clock.now() + leaseMs);
    if (taken?.kind === "runs") await this.#followRuns(taken);
    if (taken?.kind === "messages") await this.#send(taken);
  }

  async #followRuns(taken: Extract<TakenWork, { kind: "runs" }>): Promise<void> {
    const { clock } = this.#deps;
    const { session, runs } = taken;
    const { appName, userId } = session;
    const tenantId = tenantOf(session);
    // Evaluations whose requester reaches all users are of no user.
    const principal =
      userId === "" ? { tenantId, appName, scopes: [EVERY_USER_SCOPE] } : { tenantId, appName, userId, scopes: [] };
    const report = await inCallScope({ principal }, () =>
      reportRuns(this.#deps, runs, { session, nowMs: clock.now() }),
    );
    // A process that is lost here leaves the runs to another one, which adds the same messages.
    for (const event of report.events) await this.report(event);
    await this.#options.store.settleRuns(taken, report.left, report.dueMs);
  }

  async #send(taken: Extract<TakenWork, { kind: "messages" }>): Promise<void> {
    const { store, leaseMs = LEASE_MS } = this.#options;
    const { clock } = this.#deps;
    for (let waiting: readonly string[] | undefined = taken.waiting; waiting !== undefined; ) {
      const [id] = waiting;
      if (id === undefined) return;
      const delivery = await store.getDelivery(taken.webhook, id);
      if (delivery?.state !== "waiting") {
        waiting = await store.skipMessage(taken, id, clock.now() + leaseMs);
        continue;
      }
      const sent = await this.#attempt(taken.webhook, delivery);
      if (sent === undefined) return store.giveBack(taken, clock.now());
      waiting = await store.settleMessage(taken, { delivery: sent, untilMs: clock.now() + leaseMs });
      this.#count(sent);
    }
  }

  /** The delivery after one more attempt; undefined if this process ends. */
  async #attempt(key: WebhookKey, delivery: WebhookDelivery): Promise<WebhookDelivery | undefined> {
    const { store, sender } = this.#options;
    if (this.#end.signal.aborted) return undefined;
    const [webhook, secrets] = await Promise.all([store.get(key), store.secretsOf(key)]);
    if (webhook === undefined || secrets === undefined || !webhook.enabled)
      return { ...delivery, state: "dead", problem: "the webhook is off" };
    try {
      const outcome = await sender.send(webhook.url, { delivery, secrets, signal: this.#end.signal });
      const lastMs = this.#deps.clock.now();
      const { problem, status, delayMs } = outcome;
      const answer = outcome.text === undefined || outcome.text === "" ? undefined : outcome.text.slice(0, MAX_ANSWER);
      const attempts = delivery.attempts + 1;
      const tried = { ...delivery, attempts, lastMs, status, answer, problem, nextMs: undefined };
      if (problem === undefined) return { ...tried, state: "delivered" };
      if (status === GONE) await this.#turnOff(webhook, "gone");
      const ageMs = lastMs - delivery.createdMs;
      const pauseMs = status === GONE ? undefined : retryDelay({ attempts, ageMs, askedMs: delayMs });
      return pauseMs === undefined ? { ...tried, state: "dead" } : { ...tried, nextMs: lastMs + pauseMs };
    } catch (error) {
      if (this.#end.signal.aborted) return undefined;
      throw error;
    }
  }

  #count({ state, webhookId, session, problem, id }: WebhookDelivery): void {
    const { countWebhook } = this.#deps;
    countWebhook?.(state === "waiting" ? "failed" : state);
    if (state === "dead") this.#note("giveUpWebhookMessage", { webhookId, session }, problem ?? id);
  }

  /** Whether the key that made the webhook is still valid. */
  async #isAllowed(webhook: Webhook): Promise<boolean> {
    const { apiKeys } = this.#deps;
    if (webhook.keyId === undefined || apiKeys === undefined) return true;
    if ((await apiKeys.callerOfId(webhook.keyId)) !== undefined) return true;
    await this.#turnOff(webhook, "key_revoked");
    return false;
  }

  async #turnOff(webhook: Webhook, disabledReason: "gone" | "key_revoked"): Promise<void> {
    const updatedMs = this.#deps.clock.now();
    await this.#options.store.update(keyOf(webhook), (now) => ({ ...now, enabled: false, disabledReason, updatedMs }));
    this.#note(
      "turnOffWebhook",
      { webhookId: webhook.id, session: { ...webhook, appName: "", userId: "" } },
      disabledReason,
    );
  }

  #note(
    action: string,
    { webhookId, session }: { readonly webhookId: string; readonly session: Omit<SessionKey, "id"> },
    reason: string,
  ): void {
    const { auditor, clock, ids } = this.#deps;
    const { tenantId, appName, userId } = session;
    auditor?.note({
      kind: "decision",
      timeMs: clock.now(),
      ...(tenantId !== undefined && { tenantId }),
      subject: `webhook:${webhookId}`,
      action,
      resource: { ...(appName !== "" && { appName, userId }), id: webhookId },
      decision: "refused",
      reason,
      requestId: ids.next(),
    });
  }
}

const GONE = 410;
/** The most characters that are kept of an answer. */
const MAX_ANSWER = 1024;

function keyOf({ id, tenantId }: Webhook): WebhookKey {
  return { ...inTenant(tenantId), webhookId: id };
}

/** The webhook in the key of work; undefined for runs of sessions. */
function webhookIn({ key }: DueWork): WebhookKey | undefined {
  const [kind = "", tenantId = "", webhookId = ""] = key.split("/");
  return kind === "messages" ? { tenantId, webhookId: decodeURIComponent(webhookId) } : undefined;
}
