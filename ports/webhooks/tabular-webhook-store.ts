import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { CredentialPlace, CredentialSealer } from "#ports/credentials/credential-sealer.ts";
import { newRecordVersion } from "#ports/encryption/random-bytes.ts";
import { changeRows, type RowChange } from "#ports/rows/change-rows.ts";
import { MAX_COMMIT_ROWS, type Row, type RowTable, type RowWrite } from "#ports/rows/row-table.ts";
import { eachRow, removeRows } from "#ports/rows/walk-rows.ts";
import { decodePageToken, encodePageToken } from "#ports/sessions/page-token.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DataPage, DeleteDataRequest, DeleteDataResponse, ListDataRequest } from "#ports/tenants/tenant-data.ts";
import type { Webhook, WebhookSecrets } from "./webhook.ts";
import { WebhookOutbox } from "./webhook-outbox.ts";
import {
  aboutUser,
  deliveriesOf,
  deliveryRow,
  isWebhookId,
  type KeptWebhook,
  messagesOf,
  runsOf,
  VERSION_ROW,
  webhookRow,
  webhooksOf,
  workRemoval,
} from "./webhook-rows.ts";
import type { ListWebhooksRequest, WebhookKey, WebhookPage, WebhookStore } from "./webhook-store.ts";

export interface TabularWebhookStoreOptions {
  readonly table: RowTable;
  /** Seals secrets; they are stored as they are if absent. */
  readonly sealer?: CredentialSealer | undefined;
}

/** A piece of work is removed with the row of its time, and perhaps with the row that lists it for its user. */
const WORK_OF_COMMIT = Math.floor(MAX_COMMIT_ROWS / 3);

/**
 * Webhooks over a table of rows: `hook/{tenant}/{id}`, and what `WebhookOutbox` has: `runs/{tenant}/{user}/{session}`,
 * `messages/{tenant}/{id}/{session}` with the ids that wait, `delivery/{tenant}/{id}/{message}`, `about/{tenant}/{user}/…`,
 * which lists messages for the user whom they are about, and `due/{time}/…` for all of them.
 */
export class TabularWebhookStore extends WebhookOutbox implements WebhookStore {
  readonly #table: RowTable;
  readonly #sealer: CredentialSealer | undefined;

  constructor({ table, sealer }: TabularWebhookStoreOptions) {
    super(table);
    this.#table = table;
    this.#sealer = sealer;
  }

  async create(webhook: Webhook, secrets: WebhookSecrets, limit: number): Promise<boolean> {
    const key = webhookRow({ ...webhook, webhookId: webhook.id });
    // The version is changed too, so that concurrent ones cannot exceed the limit.
    return changeRows(this.#table, [key, VERSION_ROW], async (rows): Promise<RowChange<boolean>> => {
      if (rows.has(key)) return { writes: [], result: false };
      if ((await this.#table.listKeys({ prefix: webhooksOf(webhook), limit })).length >= limit) throw tooMany(limit);
      return { writes: this.#writesOf(key, webhook, secrets), result: true };
    });
  }

  async get(key: WebhookKey): Promise<Webhook | undefined> {
    return (await this.#read(key))?.webhook;
  }

  async list({ pageSize, pageToken, ...tenant }: ListWebhooksRequest): Promise<WebhookPage> {
    const prefix = webhooksOf(tenant);
    const list = JSON.stringify(["webhooks", prefix]);
    const after = pageToken === undefined ? undefined : prefix + decodePageToken(list, pageToken).id;
    const { rows, hasMore } = await this.#table.list({ prefix, after, limit: pageSize });
    const id = rows.at(-1)?.key.slice(prefix.length) ?? "";
    return {
      webhooks: rows.map((row) => keptOf(row).webhook),
      nextPageToken: hasMore ? encodePageToken(list, { number: 0, id }) : undefined,
    };
  }

  update(key: WebhookKey, change: (webhook: Webhook) => Webhook | undefined): Promise<Webhook | undefined> {
    return this.#change(key, (kept) => {
      const webhook = change(kept.webhook);
      return webhook && { ...kept, webhook };
    });
  }

  async secretsOf(key: WebhookKey): Promise<WebhookSecrets | undefined> {
    const kept = await this.#read(key);
    return kept && this.#open(kept);
  }

  async changeSecrets(key: WebhookKey, change: (secrets: WebhookSecrets) => WebhookSecrets): Promise<boolean> {
    const changed = await this.#change(key, (kept) => this.#sealed(kept.webhook, change(this.#open(kept))));
    return changed !== undefined;
  }

  async delete(key: WebhookKey): Promise<boolean> {
    if (!isWebhookId(key.webhookId)) return false;
    const row = webhookRow(key);
    const isFound = await changeRows(this.#table, [row, VERSION_ROW], (rows): RowChange<boolean> => {
      if (!rows.has(row)) return { writes: [], result: false };
      return { writes: [{ key: row, value: undefined }, newVersion()], result: true };
    });
    // Also of one whose deletion was interrupted.
    for (const prefix of [messagesOf(key), deliveriesOf(key)]) while ((await this.#removeWork(prefix)) > 0);
    return isFound;
  }

  async all(version: string | undefined): Promise<{ version: string; webhooks: readonly Webhook[] } | undefined> {
    const current = String((await this.#table.read([VERSION_ROW])).get(VERSION_ROW)?.value["changed"] ?? "");
    if (current === version) return undefined;
    const webhooks: Webhook[] = [];
    for await (const row of eachRow(this.#table, { prefix: "hook/" })) webhooks.push(keptOf(row).webhook);
    return { version: current, webhooks };
  }

  async listData({ pageSize, pageToken, userId, ...owner }: ListDataRequest): Promise<DataPage> {
    assertDataOwner({ ...owner, userId });
    const { webhooks, nextPageToken } = await this.list({ ...inTenant(owner.tenantId), pageSize, pageToken });
    const items = webhooks
      .filter((webhook) => userId === undefined || webhook.userId === userId)
      .map(({ tenantId: _, keyId: __, secretName: ___, ...shown }) => ({
        kind: "webhook" as const,
        ...JSON.parse(JSON.stringify(shown)),
      }));
    return { items, nextPageToken };
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const { tenantId, userId } = owner;
    const most = Math.min(limit, WORK_OF_COMMIT);
    let deleted = 0;
    for await (const row of eachRow(this.#table, { prefix: webhooksOf(owner) })) {
      const { webhook } = keptOf(row);
      if (userId !== undefined && webhook.userId !== userId) continue;
      await this.delete({ ...inTenant(tenantId), webhookId: webhook.id });
      deleted += 1;
      if (deleted === most) return { deleted, isDone: false };
    }
    deleted += await this.#removeWork(runsOf(owner), most);
    if (userId === undefined) {
      for (const kind of ["messages", "delivery"]) deleted += await this.#removeWork(`${kind}/${tenantId}/`, most);
      if (deleted === 0) await removeRows(this.#table, `about/${tenantId}/`);
    } else deleted += await this.#removeAbout({ tenantId, userId }, most);
    return { deleted, isDone: deleted === 0 };
  }

  /** Removes the messages about the user; the ids that wait stay, and are skipped. */
  async #removeAbout(user: { readonly tenantId: string; readonly userId: string }, limit: number): Promise<number> {
    const prefix = aboutUser(user);
    const keys = await this.#table.listKeys({ prefix, limit });
    if (keys.length === 0) return 0;
    const messages = keys.map((key) => {
      const [webhookId = "", id = ""] = key.slice(prefix.length).split("/");
      return deliveryRow({ ...inTenant(user.tenantId), webhookId: decodeURIComponent(webhookId) }, id);
    });
    const rows = await this.#table.read(messages);
    const listed = keys.map((key): RowWrite => ({ key, value: undefined }));
    await this.#table.commit(onceEach([...listed, ...[...rows.values()].flatMap(workRemoval)]));
    return keys.length;
  }

  async #removeWork(prefix: string, limit = WORK_OF_COMMIT): Promise<number> {
    const { rows } = await this.#table.list({ prefix, limit });
    if (rows.length > 0) await this.#table.commit(rows.flatMap(workRemoval));
    return rows.length;
  }

  async #read(key: WebhookKey): Promise<KeptWebhook | undefined> {
    if (!isWebhookId(key.webhookId)) return undefined;
    const row = webhookRow(key);
    return keptOf((await this.#table.read([row])).get(row));
  }

  async #change(key: WebhookKey, decide: (kept: KeptWebhook) => KeptWebhook | undefined): Promise<Webhook | undefined> {
    if (!isWebhookId(key.webhookId)) return undefined;
    const row = webhookRow(key);
    return changeRows(this.#table, [row], (rows): RowChange<Webhook | undefined> => {
      const before = keptOf(rows.get(row));
      const after = before && decide(before);
      if (after === undefined) return { writes: [], result: before?.webhook };
      return { writes: [rowOf(row, after), newVersion()], result: after.webhook };
    });
  }

  #writesOf(key: string, webhook: Webhook, secrets: WebhookSecrets): readonly RowWrite[] {
    return [rowOf(key, this.#sealed(webhook, secrets)), newVersion()];
  }

  #sealed(webhook: Webhook, secrets: WebhookSecrets): KeptWebhook {
    const secretsVersion = newRecordVersion();
    const text = JSON.stringify(secrets);
    const sealed = this.#sealer?.seal({ authType: "apiKey", apiKey: text }, placeOf(webhook, secretsVersion));
    return { webhook, secrets: sealed ?? text, secretsVersion };
  }

  #open({ webhook, secrets, secretsVersion }: KeptWebhook): WebhookSecrets {
    const opened = this.#sealer?.open(secrets, placeOf(webhook, secretsVersion));
    // Written by `#sealed`.
    return JSON.parse(opened?.authType === "apiKey" ? (opened.apiKey ?? "") : secrets) as WebhookSecrets;
  }
}

function placeOf(webhook: Webhook, version: number): CredentialPlace {
  const owner = { tenantId: tenantOf(webhook), appName: "", userId: "" };
  return { owner, credentialKey: JSON.stringify(["webhook", webhook.id]), version };
}

function rowOf(key: string, kept: KeptWebhook): RowWrite {
  // Members without a value are not stored.
  return { key, value: JSON.parse(JSON.stringify(kept)) };
}

function newVersion(): RowWrite {
  return { key: VERSION_ROW, value: { changed: newRecordVersion() } };
}

/** A message's row in the list of its user is there twice. */
function onceEach(writes: readonly RowWrite[]): readonly RowWrite[] {
  return [...new Map(writes.map((write) => [write.key, write])).values()];
}

function tooMany(limit: number): PlatformError {
  return new PlatformError(
    "TOO_MANY_WEBHOOKS",
    `The tenant has ${limit} webhooks, which is the limit (MAX_WEBHOOKS_PER_TENANT). Delete some.`,
    { details: { limit: String(limit) } },
  );
}

function keptOf(row: Row): KeptWebhook;
function keptOf(row: Row | undefined): KeptWebhook | undefined;
function keptOf(row: Row | undefined): KeptWebhook | undefined {
  // Written by `rowOf`.
  return row?.value as unknown as KeptWebhook | undefined;
}
