import type { AppWebhook } from "#kit/core/app-settings/app-webhooks.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { keyDigest } from "#ports/rows/row-table.ts";
import type { Webhook, WebhookSettings } from "#ports/webhooks/webhook.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { GatewayDeps } from "../deps.ts";
import { AppDefinitions, hasSameMembers } from "../due/app-definitions.ts";
import { newSecret } from "./sign-webhook.ts";
import { changedWebhook, invalid } from "./webhook-settings.ts";

export interface AppWebhooksOptions {
  readonly store: WebhookStore;
  /** The secrets of WEBHOOK_SECRETS_FILE, by their names. */
  readonly secrets: () => ReadonlyMap<string, string>;
  /** Called when webhooks have changed. */
  readonly onChange: () => void;
  readonly everyMs?: number;
}

type AppWebhooksDeps = Pick<GatewayDeps, "runnerService" | "clock" | "logger" | "config">;

const PAGE = 100;
/** The most webhooks of the tenant with the ones that apps define. */
const MAX_OF_APPS = 10_000;
/** After a change of the file, messages have signatures of both secrets for a day. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Keeps the webhooks that apps define in the store, marked as theirs; each hears of its app alone. One that is turned off stays
 * off when the definition changes.
 */
export function appWebhooks(deps: AppWebhooksDeps, options: AppWebhooksOptions): AppDefinitions<AppWebhook> {
  const { store, onChange, everyMs } = options;
  return new AppDefinitions<AppWebhook>(deps, {
    problem: "webhooks of apps cannot be used",
    definedIn: ({ webhooks = [] }) => webhooks,
    idOf,
    keep: (appName, definition) => keep(deps, options, { appName, definition }),
    stored: () => storedOfApps(store),
    remove: async (webhookId) => {
      await store.delete({ webhookId });
      onChange();
    },
    everyMs,
  });
}

async function* storedOfApps(store: WebhookStore): AsyncGenerator<{ id: string; appName: string }, void, undefined> {
  for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
    const page = await store.list({ ...inTenant(undefined), pageSize: PAGE, pageToken });
    for (const { id, source, apps: [appName = ""] = [] } of page.webhooks) if (source === "app") yield { id, appName };
    pageToken = page.nextPageToken;
  }
}

async function keep(
  { clock, config }: AppWebhooksDeps,
  { store, secrets, onChange }: AppWebhooksOptions,
  { appName, definition }: { readonly appName: string; readonly definition: AppWebhook },
): Promise<void> {
  const { secret: secretName, ...change } = definition;
  const key = { webhookId: idOf(appName, definition) };
  const given = secretName === undefined ? undefined : secrets().get(secretName);
  if (secretName !== undefined && given === undefined)
    throw invalid("secret", `WEBHOOK_SECRETS_FILE has no secret of the name "${secretName}".`);
  const known = await store.get(key);
  const settings = changedWebhook(config, { ...change, apps: [appName] });
  const isChanged = known === undefined || !isSame(known, settings, secretName);
  if (isChanged) {
    const nowMs = clock.now();
    const fresh = { ...settings, secretName, updatedMs: nowMs };
    const webhook: Webhook = { ...fresh, id: key.webhookId, source: "app", createdMs: nowMs };
    const isMade = await store.create(webhook, { secret: given ?? newSecret() }, MAX_OF_APPS);
    if (!isMade)
      await store.update(key, (before) =>
        isSame(before, settings, secretName) ? undefined : { ...before, ...fresh, enabled: before.enabled },
      );
  }
  const isReplaced = given !== undefined && (await replaceSecret(store, key.webhookId, given, clock.now()));
  if (isChanged || isReplaced) onChange();
}

/** Whether the secret was another one. */
async function replaceSecret(store: WebhookStore, webhookId: string, secret: string, nowMs: number): Promise<boolean> {
  if ((await store.secretsOf({ webhookId }))?.secret === secret) return false;
  return store.changeSecrets({ webhookId }, (before) =>
    before.secret === secret ? before : { secret, former: before.secret, formerUntilMs: nowMs + OVERLAP_MS },
  );
}

function idOf(appName: string, { name }: Pick<AppWebhook, "name">): string {
  return `app-${keyDigest([appName, name]).slice(0, 32)}`;
}

/** Whether the webhook is as its definition says, whatever is turned off. */
function isSame(webhook: Webhook, settings: WebhookSettings, secretName: string | undefined): boolean {
  const { name, url, events, apps, userId } = webhook;
  const { enabled: _, ...wanted } = settings;
  return hasSameMembers({ name, url, events, apps, userId, secretName: webhook.secretName }, { ...wanted, secretName });
}
