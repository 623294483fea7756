import type { WebhookEventType } from "#kit/core/app-settings/app-webhooks.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { apiPath, queryOf } from "../api-path.ts";
import { checkAnswer, pageOf, readNothing } from "../check-answer.ts";
import type { HttpClient } from "../http-client.ts";
import type { CallOptions } from "../wire-types.ts";

/** An address that hears of events. Times are milliseconds since the epoch. */
export interface WebhookData {
  readonly id: string;
  readonly url: string;
  readonly name?: string;
  /** `app`: the app's definition has it. */
  readonly source: "user" | "app";
  readonly events: readonly WebhookEventType[];
  readonly apps?: readonly string[];
  readonly userId?: string;
  readonly enabled: boolean;
  /** Why the server turned it off: `gone`, or `key_revoked`. */
  readonly disabledReason?: string;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** A webhook with its secret, which is shown this once: receivers verify signatures with it. */
export interface WebhookWithSecret extends WebhookData {
  readonly secret: string;
}

/** One page of webhooks. */
export interface WebhookPage {
  readonly webhooks: readonly WebhookData[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
}

/** A message to a webhook, with its attempts. */
export interface DeliveryData {
  /** The header `webhook-id` of the message. */
  readonly id: string;
  readonly webhookId: string;
  readonly type: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly state: "waiting" | "delivered" | "dead";
  readonly attempts: number;
  readonly createdTime: number;
  readonly lastTime?: number;
  readonly nextTime?: number;
  readonly status?: number;
  readonly problem?: string;
  readonly answer?: string;
  /** The JSON that is sent. */
  readonly payload: JsonValue;
}

/** One page of messages, the newest first. */
export interface DeliveryPage {
  readonly deliveries: readonly DeliveryData[];
  readonly nextPageToken?: string;
}

/** The members of a webhook that change: absent ones stay, and null removes one. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly name?: string | null | undefined;
  readonly events?: readonly WebhookEventType[] | null | undefined;
  readonly apps?: readonly string[] | null | undefined;
  readonly userId?: string | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

/** A new webhook. */
export interface NewWebhook extends WebhookChange {
  readonly url: string;
  /** `whsec_` and the base64 of 24 to 64 bytes; the server makes one if absent. */
  readonly secret?: string | undefined;
}

/** Which webhooks `webhooks.list` returns. */
export interface ListWebhooksOptions extends CallOptions {
  /** 50 if absent, 100 at most. */
  readonly pageSize?: number | undefined;
  /** The `nextPageToken` of the page before. */
  readonly pageToken?: string | undefined;
}

/** Which messages `webhooks.deliveries` returns. */
export interface ListDeliveriesOptions extends ListWebhooksOptions {
  /** All states if absent. */
  readonly state?: DeliveryData["state"] | undefined;
}

/** The secret that `webhooks.rotate` sets. */
export interface RotateOptions extends CallOptions {
  /** The server makes one if absent. */
  readonly secret?: string | undefined;
  /** How long messages also have a signature of the former secret; a day if absent. */
  readonly overlapSeconds?: number | undefined;
}

/**
 * Addresses that hear of events, on a server that keeps webhooks. Calls that create, rotate, test and replay are sent
 * once, because a repetition has another effect.
 */
export interface WebhookCalls {
  list(options?: ListWebhooksOptions): Promise<WebhookPage>;
  get(webhookId: string, options?: CallOptions): Promise<WebhookData>;
  create(webhook: NewWebhook, options?: CallOptions): Promise<WebhookWithSecret>;
  update(webhookId: string, change: WebhookChange, options?: CallOptions): Promise<WebhookData>;
  /** With its messages. */
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  rotate(webhookId: string, options?: RotateOptions): Promise<WebhookWithSecret>;
  /** Sends a message of the type `webhook.test`. */
  test(webhookId: string, options?: CallOptions): Promise<DeliveryData>;
  deliveries(webhookId: string, options?: ListDeliveriesOptions): Promise<DeliveryPage>;
  replay(webhookId: string, deliveryId: string, options?: CallOptions): Promise<DeliveryData>;
}

export function createWebhookCalls(http: HttpClient): WebhookCalls {
  const once = <Value>(path: string, body: object, signal: AbortSignal | undefined, read: (json: unknown) => Value) =>
    http.send({ method: "POST", path, body, signal, once: true }, read);
  return {
    list: async ({ signal, ...query } = {}) => http.get(`/v1/webhooks${queryOf(query)}`, signal, readWebhookPage),
    get: async (id, { signal } = {}) => http.get(apiPath`/v1/webhooks/${id}`, signal, readWebhook),
    create: async (body, { signal } = {}) => once("/v1/webhooks", body, signal, readWithSecret),
    update: async (id, body, { signal } = {}) =>
      http.send({ method: "PATCH", path: apiPath`/v1/webhooks/${id}`, body, signal }, readWebhook),
    delete: async (id, { signal } = {}) =>
      http.send({ method: "DELETE", path: apiPath`/v1/webhooks/${id}`, signal }, readNothing),
    rotate: async (id, { signal, ...body } = {}) =>
      once(apiPath`/v1/webhooks/${id}/rotate`, body, signal, readWithSecret),
    test: async (id, { signal } = {}) => once(apiPath`/v1/webhooks/${id}/test`, {}, signal, readDelivery),
    deliveries: async (id, { signal, ...query } = {}) =>
      http.get(apiPath`/v1/webhooks/${id}/deliveries` + queryOf(query), signal, readDeliveryPage),
    replay: async (id, deliveryId, { signal } = {}) =>
      once(apiPath`/v1/webhooks/${id}/deliveries/${deliveryId}/replay`, {}, signal, readDelivery),
  };
}

function readWebhook(value: unknown): WebhookData {
  return checkAnswer("The webhook", value, { id: "string", url: "string", events: "array" }) as unknown as WebhookData;
}

function readWithSecret(value: unknown): WebhookWithSecret {
  readWebhook(value);
  return checkAnswer("The webhook", value, { secret: "string" }) as unknown as WebhookWithSecret;
}

function readDelivery(value: unknown): DeliveryData {
  const members = { id: "string", type: "string", state: "string" } as const;
  return checkAnswer("The delivery", value, members) as unknown as DeliveryData;
}

const readWebhookPage = pageOf<WebhookPage>("The list of webhooks", "webhooks", readWebhook);
const readDeliveryPage = pageOf<DeliveryPage>("The list of deliveries", "deliveries", readDelivery);
