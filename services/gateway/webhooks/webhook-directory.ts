import type { WebhookEventType } from "#kit/core/app-settings/app-webhooks.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type Webhook, wants } from "#ports/webhooks/webhook.ts";
import type { WebhookKey, WebhookStore } from "#ports/webhooks/webhook-store.ts";

/** The webhooks of the server as this process knows them: a turn that nobody wants to hear of costs no call. */
export class WebhookDirectory {
  readonly #store: Pick<WebhookStore, "all">;
  readonly #logger: Logger;
  #webhooks: readonly Webhook[] = [];
  /** By the names of webhooks. */
  #hosts: ReadonlyMap<string, string | undefined> = new Map();
  #version: string | undefined;

  constructor(store: Pick<WebhookStore, "all">, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Reads what has changed. */
  async refresh(): Promise<void> {
    const changed = await this.#store.all(this.#version);
    if (changed === undefined) return;
    this.#webhooks = changed.webhooks;
    this.#hosts = new Map(
      changed.webhooks.map(({ id, tenantId, url }) => [nameOf({ tenantId, webhookId: id }), URL.parse(url)?.host]),
    );
    this.#version = changed.version;
  }

  /** The ones that want an event of this session. Reads them first if that never succeeded; throws if it does not now. */
  async wanting(session: SessionKey, type?: WebhookEventType): Promise<readonly Webhook[]> {
    if (this.#version === undefined) await this.#firstRead();
    return this.known(session, type);
  }

  /** Whether `known` can be asked. */
  get isRead(): boolean {
    return this.#version !== undefined;
  }

  /** The host of the webhook's receiver, if this process knows the webhook. */
  hostOf(webhook: WebhookKey): string | undefined {
    return this.#hosts.get(nameOf(webhook));
  }

  known(session: SessionKey, type?: WebhookEventType): readonly Webhook[] {
    return this.#webhooks.filter((webhook) => wants(webhook, session, type));
  }

  async #firstRead(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.#logger.warn({ error }, "webhooks cannot be read");
      throw error;
    }
  }
}

function nameOf({ webhookId, ...tenant }: WebhookKey): string {
  return JSON.stringify([tenantOf(tenant), webhookId]);
}
