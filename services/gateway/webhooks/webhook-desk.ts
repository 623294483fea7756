import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier, isBlank } from "#kit/names/identifiers.ts";
import { readAllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import { checkUrl } from "#kit/outbound-http/check-url.ts";
import {
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookSettings,
} from "#ports/webhooks/webhook.ts";
import type { WebhookKey, WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { RouteDeps } from "../deps.ts";
import { isSecret, newSecret } from "./sign-webhook.ts";
import type { NewWebhook, Rotation, WebhookChange } from "./wire-webhook.ts";

const MAX_URL_LENGTH = 2_048;
const MAX_NAME_LENGTH = 200;
const MAX_APPS = 100;
const OVERLAP_SECONDS = 86_400;

/** Webhooks for requests. Throws `WEBHOOKS_OFF` on a server that has none. */
export class WebhookDesk {
  readonly #deps: RouteDeps;

  constructor(deps: RouteDeps) {
    this.#deps = deps;
  }

  get store(): WebhookStore {
    const { webhookStore } = this.#deps;
    if (webhookStore !== undefined) return webhookStore;
    throw new PlatformError("WEBHOOKS_OFF", "This server has no webhooks: set WEBHOOKS, for example to sqlite.");
  }

  /** Throws `WEBHOOK_NOT_FOUND`. */
  async find(webhookId: string): Promise<Webhook> {
    return found(await this.store.get({ webhookId }));
  }

  /** Throws `INVALID_FIELD`, `INVALID_IDENTIFIER`, `TOO_MANY_WEBHOOKS`. */
  async create(
    { secret, ...given }: NewWebhook,
    keyId: string | undefined,
  ): Promise<Webhook & { readonly secret: string }> {
    const { store } = this;
    const { clock, ids, config } = this.#deps;
    const nowMs = clock.now();
    const settings = this.#settings(given);
    const chosen = secretOf(secret);
    const webhook: Webhook = { id: ids.next(), ...settings, keyId, createdMs: nowMs, updatedMs: nowMs };
    await store.create(webhook, { secret: chosen }, config.MAX_WEBHOOKS_PER_TENANT);
    this.#deps.webhooks?.look();
    return { ...webhook, secret: chosen };
  }

  /** Throws `WEBHOOK_NOT_FOUND`, `INVALID_FIELD`, `INVALID_IDENTIFIER`. */
  async change(webhookId: string, change: WebhookChange, keyId: string | undefined): Promise<Webhook> {
    const updatedMs = this.#deps.clock.now();
    const webhook = await this.store.update({ webhookId }, (before) => {
      const settings = this.#settings(change, before);
      const disabledReason = settings.enabled ? undefined : before.disabledReason;
      return { ...before, ...settings, keyId, disabledReason, updatedMs };
    });
    this.#deps.webhooks?.look();
    return found(webhook);
  }

  /** Throws `WEBHOOK_NOT_FOUND`. */
  async delete(webhookId: string): Promise<void> {
    await this.find(webhookId);
    await this.store.delete({ webhookId });
    this.#deps.webhooks?.look();
  }

  /** Throws `WEBHOOK_NOT_FOUND`, `INVALID_FIELD`. */
  async rotate(
    webhookId: string,
    { secret, overlapSeconds }: Rotation,
  ): Promise<Webhook & { readonly secret: string }> {
    const webhook = await this.find(webhookId);
    const fresh = secretOf(secret);
    const formerUntilMs = this.#deps.clock.now() + (overlapSeconds ?? OVERLAP_SECONDS) * 1000;
    const isFound = await this.store.changeSecrets({ webhookId }, ({ secret: former }) => ({
      secret: fresh,
      former,
      formerUntilMs,
    }));
    return { ...found(isFound ? webhook : undefined), secret: fresh };
  }

  /** Sends a message of the type `webhook.test`. Throws `WEBHOOK_NOT_FOUND`. */
  async test(webhookId: string, userId: string): Promise<WebhookDelivery> {
    const { clock, ids, webhooks } = this.#deps;
    const webhook = await this.find(webhookId);
    const timeMs = clock.now();
    const name = ids.next();
    const { tenantId, apps = [] } = webhook;
    const event: WebhookEvent = {
      ...{ type: "webhook.test", timeMs, about: `test/${name}` },
      session: { tenantId, appName: apps[0] ?? "", userId: webhook.userId ?? userId, id: `test-${name}` },
      data: { webhookId },
    };
    const delivery = await this.store.post(keyOf(webhook), event, timeMs);
    webhooks?.look();
    if (delivery === undefined) throw notFound();
    return delivery;
  }

  /** Throws `WEBHOOK_NOT_FOUND`, `DELIVERY_NOT_FOUND`. */
  async replay(webhookId: string, deliveryId: string): Promise<WebhookDelivery> {
    const webhook = await this.find(webhookId);
    const delivery = await this.store.replay(keyOf(webhook), deliveryId, this.#deps.clock.now());
    if (delivery === undefined)
      throw new PlatformError(
        "DELIVERY_NOT_FOUND",
        "The webhook has no delivery of that id. They are kept for a week.",
      );
    this.#deps.webhooks?.look();
    return delivery;
  }

  #settings(change: WebhookChange, before?: WebhookSettings): WebhookSettings {
    const own = <Name extends "name" | "apps" | "userId">(name: Name) =>
      change[name] === undefined ? before?.[name] : (change[name] ?? undefined);
    const settings: WebhookSettings = {
      url: change.url ?? before?.url ?? "",
      name: own("name") as string | undefined,
      apps: own("apps") as readonly string[] | undefined,
      userId: own("userId") as string | undefined,
      events: change.events === undefined ? (before?.events ?? WEBHOOK_EVENTS) : (change.events ?? WEBHOOK_EVENTS),
      enabled: change.enabled ?? before?.enabled ?? true,
    };
    this.#assertUsable(settings, change);
    return { ...settings, events: [...new Set(settings.events)] };
  }

  #assertUsable({ url, name = "", apps, userId, events }: WebhookSettings, change: WebhookChange): void {
    if (isBlank(url) || url.length > MAX_URL_LENGTH)
      throw invalid("url", `\`url\` is an address of at most ${MAX_URL_LENGTH} characters.`);
    if (change.url !== undefined) this.#assertAddress(url);
    if (name.length > MAX_NAME_LENGTH) throw invalid("name", `\`name\` is over ${MAX_NAME_LENGTH} characters.`);
    if (events.length === 0) throw invalid("events", "`events` is empty: name types, or leave it out for all.");
    if (apps !== undefined && (apps.length === 0 || apps.length > MAX_APPS))
      throw invalid("apps", `\`apps\` has 1 to ${MAX_APPS} names; leave it out for all apps.`);
    for (const app of apps ?? []) assertIdentifier("apps", app);
    if (userId !== undefined) assertIdentifier("userId", userId);
  }

  /** The guard of addresses checks each message again, with what the name means then. */
  #assertAddress(url: string): void {
    try {
      checkUrl(url, readAllowedHosts(this.#deps.config.OUTBOUND_ALLOWED_HOSTS));
    } catch (error) {
      throw invalid("url", `\`url\`: ${toPlatformError(error).message}`);
    }
  }
}

function secretOf(given: string | null | undefined): string {
  if (isBlank(given)) return newSecret();
  if (isSecret(given)) return given;
  throw invalid(
    "secret",
    "`secret` is `whsec_` and the base64 of 24 to 64 bytes. Leave it out, and the server makes one.",
  );
}

function keyOf({ id, tenantId }: Webhook): WebhookKey {
  return { tenantId, webhookId: id };
}

function found(webhook: Webhook | undefined): Webhook {
  if (webhook === undefined) throw notFound();
  return webhook;
}

function notFound(): PlatformError {
  return new PlatformError("WEBHOOK_NOT_FOUND", "There is no webhook of that id. `GET /v1/webhooks` lists them.");
}

function invalid(field: string, message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message, { details: { field } });
}
