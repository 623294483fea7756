import { createHmac } from "node:crypto";
import { randomText } from "#kit/platform/random-text.ts";
import type { WebhookSecrets } from "#ports/webhooks/webhook.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 24;
/** The lengths that the form allows. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

export function newSecret(): string {
  return PREFIX + Buffer.from(randomText(SECRET_BYTES), "base64url").toString("base64");
}

/** Whether it has the form of the specification: `whsec_` and the base64 of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  const bytes = keyOf(text);
  return text === PREFIX + bytes.toString("base64") && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES;
}

export interface SignedMessage {
  readonly id: string;
  readonly body: string;
  readonly nowMs: number;
}

/** The headers of the Standard Webhooks form: one signature, or two while a secret is replaced. */
export function signedHeaders({ id, body, nowMs }: SignedMessage, secrets: WebhookSecrets): Headers {
  const { secret, former, formerUntilMs = 0 } = secrets;
  const timestamp = String(Math.floor(nowMs / 1000));
  const valid = former === undefined || formerUntilMs <= nowMs ? [secret] : [secret, former];
  const signatures = valid.map((key) => {
    const digest = createHmac("sha256", keyOf(key)).update(`${id}.${timestamp}.${body}`).digest("base64");
    return `v1,${digest}`;
  });
  return new Headers({
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  });
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}
