import type { TenantScoped } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { TenantData } from "#ports/tenants/tenant-data.ts";
import type { DeliveryState, Webhook, WebhookDelivery, WebhookEvent, WebhookSecrets } from "./webhook.ts";

export interface WebhookKey extends TenantScoped {
  readonly webhookId: string;
}

interface PageRequest {
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export interface ListWebhooksRequest extends TenantScoped, PageRequest {}
export interface ListDeliveriesRequest extends WebhookKey, PageRequest {
  /** All states if absent. */
  readonly state?: DeliveryState | undefined;
}

export interface WebhookPage {
  /** In the order of their ids. */
  readonly webhooks: readonly Webhook[];
  /** Absent on the last page. */
  readonly nextPageToken?: string | undefined;
}

export interface DeliveryPage {
  /** The newest first. A page may be short, or empty, although more follow. */
  readonly deliveries: readonly WebhookDelivery[];
  readonly nextPageToken?: string | undefined;
}

/** Work that has a time, without its content. */
export interface DueWork {
  readonly key: string;
  readonly dueMs: number;
}

/** A run, or the job of an evaluation, that is followed to its end. */
export interface WatchedRun {
  /** Absent: a run. */
  readonly kind?: "evaluation" | undefined;
  /** The run's id, or the job's. */
  readonly runId: string;
  /** When it was about to start. */
  readonly sinceMs: number;
  /** Whether its start has been reported. */
  readonly isStarted?: boolean | undefined;
}

/** Runs of one session, or messages of one webhook and session, that this process has until its lease ends. */
export type TakenWork =
  | {
      readonly kind: "runs";
      readonly key: string;
      readonly lease: string;
      readonly session: SessionKey;
      readonly runs: readonly WatchedRun[];
    }
  | {
      readonly kind: "messages";
      readonly key: string;
      readonly lease: string;
      readonly webhook: WebhookKey;
      /** Ids of deliveries, the next one first. */
      readonly waiting: readonly string[];
    };

/** The outcome of an attempt to send the first message. */
export interface SentMessage {
  readonly delivery: WebhookDelivery;
  /** Until when the process keeps the messages if more wait. */
  readonly untilMs: number;
}

/**
 * Webhooks, the runs that they will report, and their messages. A run is noted before it starts, and forgotten when its
 * end is among the messages, so that no end is lost with a process. For example, a process that sends what is due:
 *
 *     for (const due of await store.listDue(100)) {
 *       const taken = await store.take(due, clock.now() + 30_000);
 *       if (taken?.kind === "messages") await send(taken);
 *     }
 */
export interface WebhookStore extends TenantData {
  /** Throws `TOO_MANY_WEBHOOKS` if the tenant has `limit`. False if there is a webhook of this id. */
  create(webhook: Webhook, secrets: WebhookSecrets, limit: number): Promise<boolean>;
  get(key: WebhookKey): Promise<Webhook | undefined>;
  /** Throws `INVALID_CURSOR`. */
  list(request: ListWebhooksRequest): Promise<WebhookPage>;
  /** Stores what `change` returns, unless it returns undefined; it may be called several times. Undefined if there is none. */
  update(key: WebhookKey, change: (webhook: Webhook) => Webhook | undefined): Promise<Webhook | undefined>;
  /** Undefined if there is no such webhook. */
  secretsOf(key: WebhookKey): Promise<WebhookSecrets | undefined>;
  /** Returns whether there is such a webhook. */
  changeSecrets(key: WebhookKey, change: (secrets: WebhookSecrets) => WebhookSecrets): Promise<boolean>;
  /** With its messages. Returns whether there was one. */
  delete(key: WebhookKey): Promise<boolean>;
  /** The webhooks of all tenants; `undefined` if none has changed since the version that the caller has. */
  all(
    version: string | undefined,
  ): Promise<{ readonly version: string; readonly webhooks: readonly Webhook[] } | undefined>;

  /** Notes that the run is about to start. */
  watch(session: SessionKey, run: WatchedRun): Promise<void>;
  /** Adds the message, unless it was added before. Undefined if the webhook is gone. */
  post(webhook: WebhookKey, event: WebhookEvent, nowMs: number): Promise<WebhookDelivery | undefined>;
  getDelivery(key: WebhookKey, deliveryId: string): Promise<WebhookDelivery | undefined>;
  /** Throws `INVALID_CURSOR`. */
  listDeliveries(request: ListDeliveriesRequest): Promise<DeliveryPage>;
  /** Lets the message wait again, after others of its session. Undefined if there is none. */
  replay(key: WebhookKey, deliveryId: string, nowMs: number): Promise<WebhookDelivery | undefined>;

  /** The first work in the order of its times, with what a process has and future work. */
  listDue(limit: number): Promise<readonly DueWork[]>;
  /** Leases it until then. Undefined if another process has it, or it was only to be removed. */
  take(due: DueWork, untilMs: number): Promise<TakenWork | undefined>;
  /** Moves work to a later time without taking it. What changes meanwhile stays. */
  postpone(due: DueWork, toMs: number): Promise<void>;
  /** Gives work back that this process has not done. */
  giveBack(taken: TakenWork, dueMs: number): Promise<void>;
  /** Forgets the runs that are over, and gives the others back until then. */
  settleRuns(taken: TakenWork, left: readonly WatchedRun[], dueMs: number): Promise<void>;
  /**
   * Stores the attempt. A message that arrived or is dead makes room for the next one, which the process has until
   * `untilMs`; one that waits gives all back until its `nextMs`. Returns the ids that wait; undefined if this process has
   * lost them or given them back.
   */
  settleMessage(taken: TakenWork, sent: SentMessage): Promise<readonly string[] | undefined>;
  /** Forgets a message that no longer exists. */
  skipMessage(taken: TakenWork, deliveryId: string, untilMs: number): Promise<readonly string[] | undefined>;
}
