import { WEBHOOK_EVENTS } from "#kit/core/app-settings/app-webhooks.ts";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier, isBlank } from "#kit/names/identifiers.ts";
import { readAllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import { checkUrl } from "#kit/outbound-http/check-url.ts";
import type { WebhookSettings } from "#ports/webhooks/webhook.ts";
import type { GatewayConfig } from "../config.ts";
import type { WebhookChange } from "./wire-webhook.ts";

const MAX_URL_LENGTH = 2_048;
const MAX_NAME_LENGTH = 200;
const MAX_APPS = 100;

type Config = Pick<GatewayConfig, "OUTBOUND_ALLOWED_HOSTS">;

/** The settings with a change. Throws `INVALID_FIELD`, `INVALID_IDENTIFIER`. */
export function changedWebhook(config: Config, change: WebhookChange, before?: WebhookSettings): WebhookSettings {
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
  assertUsable(config, settings, change);
  return { ...settings, events: [...new Set(settings.events)] };
}

function assertUsable(
  config: Config,
  { url, name = "", apps, userId, events }: WebhookSettings,
  change: WebhookChange,
): void {
  if (isBlank(url) || url.length > MAX_URL_LENGTH)
    throw invalid("url", `\`url\` is an address of at most ${MAX_URL_LENGTH} characters.`);
  if (change.url !== undefined) assertAddress(config, url);
  if (name.length > MAX_NAME_LENGTH) throw invalid("name", `\`name\` is over ${MAX_NAME_LENGTH} characters.`);
  if (events.length === 0) throw invalid("events", "`events` is empty: name types, or leave it out for all.");
  if (apps !== undefined && (apps.length === 0 || apps.length > MAX_APPS))
    throw invalid("apps", `\`apps\` has 1 to ${MAX_APPS} names; leave it out for all apps.`);
  for (const app of apps ?? []) assertIdentifier("apps", app);
  if (userId !== undefined) assertIdentifier("userId", userId);
}

/** The guard of addresses checks each message again, with what the name means then. */
function assertAddress({ OUTBOUND_ALLOWED_HOSTS }: Config, url: string): void {
  try {
    checkUrl(url, readAllowedHosts(OUTBOUND_ALLOWED_HOSTS));
  } catch (error) {
    throw invalid("url", `\`url\`: ${toPlatformError(error).message}`);
  }
}

export function invalid(field: string, message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message, { details: { field } });
}
