import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";

/** The types of events that a webhook can report. */
export const WEBHOOK_EVENTS = [
  "run.started",
  "run.succeeded",
  "run.failed",
  "run.cancelled",
  "run.awaiting_input",
  "schedule.missed",
  "schedule.skipped",
  "evaluation.finished",
] as const;
/** The type of an event that a webhook can report. */
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/**
 * An address that hears of the app's events, on a server that keeps webhooks (`WEBHOOKS`). Servers without webhooks
 * ignore it.
 *
 * @example
 * ```ts
 * const alerts: AppWebhook = {
 *   name: "alerts",
 *   url: "https://hooks.example.com/fairlead",
 *   events: ["run.failed"],
 *   secret: "alerts",
 * };
 * ```
 */
export interface AppWebhook {
  /** Unique within the app. */
  readonly name: string;
  /** The address of its receiver. */
  readonly url: string;
  /** The types to send; all if absent. */
  readonly events?: readonly (typeof WEBHOOK_EVENTS)[number][];
  /** The user to hear of; all users of the tenant `default` if absent. */
  readonly userId?: string;
  /**
   * The name of the secret in the server's WEBHOOK_SECRETS_FILE, and never the secret itself. Absent: the server makes
   * one, which `POST /v1/webhooks/{id}/rotate` replaces and shows.
   */
  readonly secret?: string;
}

/** The most webhooks of one app. */
const MAX_APP_WEBHOOKS = 20;
const SECRET_PREFIX = "whsec_";

/** Throws `INVALID_FIELD` and `INVALID_IDENTIFIER` for webhooks that no server can use. Servers check the addresses. */
export function assertAppWebhooks(webhooks: readonly AppWebhook[]): void {
  if (webhooks.length > MAX_APP_WEBHOOKS)
    throw invalid("webhooks", `An app has at most ${MAX_APP_WEBHOOKS} webhooks, and this one has ${webhooks.length}.`);
  const names = new Set<string>();
  for (const { name, url, events = WEBHOOK_EVENTS, userId, secret } of webhooks) {
    assertIdentifier("webhooks.name", name);
    const place = `The webhook "${name}"`;
    if (names.has(name)) throw invalid("webhooks.name", `${place} is there twice: names are unique within an app.`);
    names.add(name);
    if (typeof url !== "string" || !/^https?:\/\/./.test(url))
      throw invalid("webhooks.url", `${place} needs \`url\`, an address of http or https.`);
    const unknown = events.find((event) => !WEBHOOK_EVENTS.includes(event));
    if (events.length === 0 || unknown !== undefined)
      throw invalid("webhooks.events", `${place}: \`events\` are some of ${WEBHOOK_EVENTS.join(", ")}.`);
    if (userId !== undefined) assertIdentifier("webhooks.userId", userId);
    if (secret === undefined) continue;
    if (String(secret).startsWith(SECRET_PREFIX))
      throw invalid(
        "webhooks.secret",
        `${place}: \`secret\` is the name of a secret in WEBHOOK_SECRETS_FILE, and not the secret itself.`,
      );
    assertIdentifier("webhooks.secret", secret);
  }
}

function invalid(field: string, message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message, { details: { field } });
}
