import { PlatformError } from "#kit/errors/platform-error.ts";
import { isBlank } from "#kit/names/identifiers.ts";
import type { Webhook, WebhookDelivery, WebhookEvent } from "#ports/webhooks/webhook.ts";
import type { WebhookKey, WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { RouteDeps } from "../deps.ts";
import { isSecret, newSecret } from "./sign-webhook.ts";
import { changedWebhook, invalid } from "./webhook-settings.ts";
import type { NewWebhook, Rotation, WebhookChange } from "./wire-webhook.ts";

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
    const settings = changedWebhook(config, given);
    const chosen = secretOf(secret);
    const webhook: Webhook = { id: ids.next(), source: "user", ...settings, keyId, createdMs: nowMs, updatedMs: nowMs };
    await store.create(webhook, { secret: chosen }, config.MAX_WEBHOOKS_PER_TENANT);
    this.#deps.webhooks?.look();
    return { ...webhook, secret: chosen };
  }

  /** Throws `WEBHOOK_NOT_FOUND`, `WEBHOOK_OF_APP`, `INVALID_FIELD`, `INVALID_IDENTIFIER`. */
  async change(webhookId: string, change: WebhookChange, keyId: string | undefined): Promise<Webhook> {
    const { clock, config } = this.#deps;
    const updatedMs = clock.now();
    const webhook = await this.store.update({ webhookId }, (before) => {
      if (before.source === "app" && Object.keys(change).some((name) => name !== "enabled")) throw ofApp(before);
      const settings = changedWebhook(config, change, before);
      const disabledReason = settings.enabled ? undefined : before.disabledReason;
      const changedBy = before.source === "app" ? {} : { keyId };
      return { ...before, ...settings, ...changedBy, disabledReason, updatedMs };
    });
    this.#deps.webhooks?.look();
    return found(webhook);
  }

  /** Throws `WEBHOOK_NOT_FOUND`, `WEBHOOK_OF_APP`. */
  async delete(webhookId: string): Promise<void> {
    const webhook = await this.find(webhookId);
    if (webhook.source === "app") throw ofApp(webhook);
    await this.store.delete({ webhookId });
    this.#deps.webhooks?.look();
  }

  /** Throws `WEBHOOK_NOT_FOUND`, `WEBHOOK_OF_APP`, `INVALID_FIELD`. */
  async rotate(
    webhookId: string,
    { secret, overlapSeconds }: Rotation,
  ): Promise<Webhook & { readonly secret: string }> {
    const webhook = await this.find(webhookId);
    if (webhook.secretName !== undefined) throw ofApp(webhook);
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

function ofApp({ apps: [appName = ""] = [], name = "" }: Webhook): PlatformError {
  return new PlatformError(
    "WEBHOOK_OF_APP",
    `The app "${appName}" defines the webhook "${name}": change it there. It can be turned off, on and tested here.`,
  );
}
