import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { Version } from "#kit/version.ts";
import type { WebhookDelivery, WebhookSecrets } from "#ports/webhooks/webhook.ts";
import { callReceiver, type ReceiverOutcome } from "../push/call-receiver.ts";
import { signedHeaders } from "./sign-webhook.ts";

export interface MessageToSend {
  readonly delivery: Pick<WebhookDelivery, "id" | "body">;
  readonly secrets: WebhookSecrets;
  readonly signal: AbortSignal;
}

/** Sends signed messages to the addresses of webhooks. */
export class WebhookSender {
  readonly #outbound: Pick<OutboundAccess, "fetch">;
  readonly #clock: Pick<Clock, "now">;

  constructor(outbound: Pick<OutboundAccess, "fetch">, clock: Pick<Clock, "now">) {
    this.#outbound = outbound;
    this.#clock = clock;
  }

  /** Throws only the signal's reason. */
  send(url: string, { delivery: { id, body }, secrets, signal }: MessageToSend): Promise<ReceiverOutcome> {
    const headers = signedHeaders({ id, body, nowMs: this.#clock.now() }, secrets);
    headers.set("user-agent", `fairlead/${Version.FAIRLEAD_VERSION}`);
    return callReceiver(this.#outbound, { url, headers, body, signal });
  }
}
