import { createHash } from "node:crypto";
import { MAX_IDENTIFIER_BYTES } from "#kit/names/identifiers.ts";
import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { dueRow, dueWrites } from "#ports/rows/due-rows.ts";
import { keyDigest, keyPart, type Row, type RowWrite } from "#ports/rows/row-table.ts";
import type { Webhook, WebhookDelivery } from "./webhook.ts";
import type { WatchedRun, WebhookKey } from "./webhook-store.ts";

/** The content of a webhook's row. */
export interface KeptWebhook {
  readonly webhook: Webhook;
  /** Sealed, or their JSON if there is no sealer. */
  readonly secrets: string;
  readonly secretsVersion: number;
}

/** The content of a row with a time: runs of a session, messages of a webhook and session, or one message. */
export type KeptWork = { readonly dueMs: number; readonly lease?: string | undefined } & (
  | { readonly kind: "runs"; readonly session: SessionKey; readonly runs: readonly WatchedRun[] }
  | { readonly kind: "messages"; readonly webhook: WebhookKey; readonly waiting: readonly string[] }
  | { readonly kind: "delivery"; readonly delivery: WebhookDelivery }
);

export type KeptOf<Kind extends KeptWork["kind"]> = Extract<KeptWork, { readonly kind: Kind }>;

/** A version of all webhooks, which each change of one changes. */
export const VERSION_ROW = "version";

export function webhooksOf(tenant: TenantScoped): string {
  return `hook/${tenantOf(tenant)}/`;
}

export function webhookRow(key: WebhookKey): string {
  return `${webhooksOf(key)}${keyPart(key.webhookId)}`;
}

export function runsOf(user: Pick<SessionKey, "tenantId"> & { readonly userId?: string | undefined }): string {
  const { userId } = user;
  return `runs/${tenantOf(user)}/${userId === undefined ? "" : `${keyPart(userId)}/`}`;
}

export function runsRow(session: SessionKey): string {
  return `${runsOf(session)}${keyDigest([session.appName, session.id])}`;
}

export function messagesOf(webhook: WebhookKey): string {
  return `messages/${tenantOf(webhook)}/${keyPart(webhook.webhookId)}/`;
}

export function messagesRow(webhook: WebhookKey, { appName, userId, id }: SessionKey): string {
  return `${messagesOf(webhook)}${keyDigest([appName, userId, id])}`;
}

export function deliveriesOf(webhook: WebhookKey): string {
  return `delivery/${tenantOf(webhook)}/${keyPart(webhook.webhookId)}/`;
}

export function deliveryRow(webhook: WebhookKey, deliveryId: string): string {
  return `${deliveriesOf(webhook)}${deliveryId}`;
}

/** Lists the messages about a user. */
export function aboutUser({ tenantId, userId }: Pick<SessionKey, "tenantId" | "userId">): string {
  return `about/${tenantOf({ tenantId })}/${keyPart(userId)}/`;
}

export function aboutUserRow({ session, webhookId, id }: WebhookDelivery): string {
  return `${aboutUser(session)}${keyPart(webhookId)}/${id}`;
}

const TIME_DIGITS = 9;
const DELIVERY_ID = /^msg_[0-9a-z]{9}_[0-9a-f]{32}$/;

/** The same for the same event and webhook. Ids sort by the times of their events. */
export function deliveryIdOf(webhook: WebhookKey, timeMs: number, about: string): string {
  const names = JSON.stringify([tenantOf(webhook), webhook.webhookId, about]);
  const digest = createHash("sha256").update(names).digest("hex").slice(0, 32);
  return `msg_${Math.round(timeMs).toString(36).padStart(TIME_DIGITS, "0")}_${digest}`;
}

/** Whether a delivery can have the id: a client may send any text. */
export function isDeliveryId(id: string): boolean {
  return DELIVERY_ID.test(id);
}

/** Whether a webhook can have the id. */
export function isWebhookId(id: string): boolean {
  return id !== "" && id.isWellFormed() && id.length <= MAX_IDENTIFIER_BYTES / 2;
}

/** The row with the row of its time, which is written only where it moves. */
export function workWrites(key: string, kept: KeptWork, before?: KeptWork): readonly RowWrite[] {
  // Members without a value are not stored.
  const write = { key, value: JSON.parse(JSON.stringify(kept)) };
  return [write, ...dueWrites(key, { fromMs: before?.dueMs, toMs: kept.dueMs })];
}

/** If the time has moved since the row was read, `take` removes its row when it is due. */
export function workRemoval(row: Row | undefined): readonly RowWrite[] {
  const kept = workOf(row);
  if (row === undefined || kept === undefined) return [];
  const about = kept.kind === "delivery" ? [aboutUserRow(kept.delivery)] : [];
  return [row.key, dueRow(kept.dueMs, row.key), ...about].map((key) => ({ key, value: undefined }));
}

export function workOf(row: Row | undefined): KeptWork | undefined {
  // Written by `workWrites`.
  return row?.value as unknown as KeptWork | undefined;
}

/** The content of a row of this kind. */
export function workIn<Kind extends KeptWork["kind"]>(kind: Kind, row: Row | undefined): KeptOf<Kind> | undefined {
  const kept = workOf(row);
  // Its `kind` has been compared.
  return kept?.kind === kind ? (kept as KeptOf<Kind>) : undefined;
}
