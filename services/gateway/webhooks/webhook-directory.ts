import type { WebhookEventType } from "#kit/core/app-settings/app-webhooks.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type Webhook, wants } from "#ports/webhooks/webhook.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";

/** The webhooks of the server as this process knows them: a turn that nobody wants to hear of costs no call. */
export class WebhookDirectory {
  readonly #store: Pick<WebhookStore, "all">;
  readonly #logger: Logger;
  #webhooks: readonly Webhook[] = [];
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
