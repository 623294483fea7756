import type { WebhookEventType } from "#kit/core/app-settings/app-webhooks.ts";
import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** The part of a webhook that its maker decides. */
export interface WebhookSettings {
  readonly name?: string | undefined;
  readonly url: string;
  /** The types that are sent. */
  readonly events: readonly WebhookEventType[];
  /** The apps whose events are sent; all if absent. */
  readonly apps?: readonly string[] | undefined;
  /** The user whose events are sent; all users of the tenant if absent. */
  readonly userId?: string | undefined;
  readonly enabled: boolean;
}

export interface Webhook extends WebhookSettings, TenantScoped {
  readonly id: string;
  /** Whether a user made it, or the app's definition. */
  readonly source: "user" | "app";
  /** The name of its secret in the server's file, if its definition names one. */
  readonly secretName?: string | undefined;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** The API key that made it: once the key is revoked, the webhook is turned off. */
  readonly keyId?: string | undefined;
  /** Why the server turned it off: its receiver answered 410, or its API key is revoked. */
  readonly disabledReason?: "gone" | "key_revoked" | undefined;
}

/** The secrets that sign a webhook's messages. While a secret is replaced, both are valid. */
export interface WebhookSecrets {
  readonly secret: string;
  readonly former?: string | undefined;
  /** When the former one ends. */
  readonly formerUntilMs?: number | undefined;
}

/** Something that is reported to each webhook that wants its type. */
export interface WebhookEvent {
  readonly type: WebhookEventType | "webhook.test";
  readonly timeMs: number;
  /** Events of one session arrive in order. */
  readonly session: SessionKey;
  /** A name of the event, as a text that is the same whenever it is reported: a repetition of it is the same delivery. */
  readonly about: string;
  readonly data: object;
}

export const DELIVERY_STATES = ["waiting", "delivered", "dead"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A message to one webhook, with what became of it. */
export interface WebhookDelivery extends TenantScoped {
  /** The message's id: its receiver drops what it has seen. */
  readonly id: string;
  readonly webhookId: string;
  readonly type: WebhookEvent["type"];
  readonly session: SessionKey;
  /** The JSON that is sent, the same bytes each time. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly createdMs: number;
  readonly attempts: number;
  /** Of the last attempt. */
  readonly lastMs?: number | undefined;
  readonly status?: number | undefined;
  /** Why it did not arrive. */
  readonly problem?: string | undefined;
  /** The beginning of the receiver's answer. */
  readonly answer?: string | undefined;
  /** When it is sent again; absent unless it failed and waits. */
  readonly nextMs?: number | undefined;
}

/** How long a delivery is shown after its end, delivered or dead. */
export const DELIVERY_KEPT_MS: number = 7 * 24 * 60 * 60 * 1000;
/** The most messages that wait for one webhook and session; further ones are dead at once. */
export const MAX_WAITING = 1_000;

/** Whether the webhook reports events of this type, app and user. */
export function wants(
  { enabled, events, apps, userId, ...webhook }: Webhook,
  session: Pick<SessionKey, "tenantId" | "appName" | "userId">,
  type?: WebhookEventType,
): boolean {
  return (
    enabled &&
    tenantOf(webhook) === tenantOf(session) &&
    (type === undefined || events.includes(type)) &&
    (apps === undefined || apps.includes(session.appName)) &&
    (userId === undefined || userId === session.userId)
  );
}
