import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { changeRows, type RowChange } from "#ports/rows/change-rows.ts";
import { listDueRows, takeDueRow } from "#ports/rows/due-rows.ts";
import type { RowTable } from "#ports/rows/row-table.ts";
import { decodePageToken, encodePageToken } from "#ports/sessions/page-token.ts";
import { DELIVERY_KEPT_MS, MAX_WAITING, type WebhookDelivery, type WebhookEvent } from "./webhook.ts";
import {
  aboutUserRow,
  deliveriesOf,
  deliveryIdOf,
  deliveryRow,
  isDeliveryId,
  isWebhookId,
  type KeptOf,
  messagesRow,
  runsRow,
  webhookRow,
  workIn,
  workOf,
  workRemoval,
  workWrites,
} from "./webhook-rows.ts";
import type {
  DeliveryPage,
  DueWork,
  ListDeliveriesRequest,
  SentMessage,
  TakenWork,
  WatchedRun,
  WebhookKey,
} from "./webhook-store.ts";

/** The first look at a run, after its start. */
const FIRST_LOOK_MS = 500;
/** A page of deliveries ends with the one that makes its JSON so long. */
export const DELIVERY_PAGE_CHARACTERS: number = 512 * 1024;

/** The work of webhooks over a table of rows: see `WebhookStore`, whose methods these are. */
export class WebhookOutbox {
  readonly #table: RowTable;

  constructor(table: RowTable) {
    this.#table = table;
  }

  async watch(session: SessionKey, run: WatchedRun): Promise<void> {
    const key = runsRow(session);
    await changeRows(this.#table, [key], (rows): RowChange<undefined> => {
      const before = workIn("runs", rows.get(key));
      const lookMs = run.sinceMs + FIRST_LOOK_MS;
      const fresh: KeptOf<"runs"> = { kind: "runs", session, runs: [run], dueMs: lookMs };
      if (before === undefined) return { writes: workWrites(key, fresh), result: undefined };
      if (before.runs.some(({ runId }) => runId === run.runId)) return { writes: [], result: undefined };
      // A process that has the session finds the run when it gives the session back.
      const dueMs = before.lease === undefined ? Math.min(before.dueMs, lookMs) : before.dueMs;
      return { writes: workWrites(key, { ...before, runs: [...before.runs, run], dueMs }, before), result: undefined };
    });
  }

  post(webhook: WebhookKey, event: WebhookEvent, nowMs: number): Promise<WebhookDelivery | undefined> {
    const { type, timeMs, session, about, data } = event;
    const id = deliveryIdOf(webhook, timeMs, about);
    const [key, lane] = [deliveryRow(webhook, id), messagesRow(webhook, session)];
    return changeRows(this.#table, [webhookRow(webhook), key, lane], (rows): RowChange<WebhookDelivery | undefined> => {
      const known = workIn("delivery", rows.get(key));
      if (known !== undefined) return { writes: [], result: known.delivery };
      if (!rows.has(webhookRow(webhook))) return { writes: [], result: undefined };
      const { tenantId, webhookId } = webhook;
      const body = JSON.stringify({ type, timestamp: toIsoTime(timeMs), data });
      const fresh = { id, tenantId, webhookId, type, session, body, attempts: 0, createdMs: nowMs } as const;
      const queue = workIn("messages", rows.get(lane));
      const isFull = (queue?.waiting.length ?? 0) >= MAX_WAITING;
      const delivery: WebhookDelivery = isFull
        ? { ...fresh, state: "dead", problem: `${MAX_WAITING} messages of the session wait` }
        : { ...fresh, state: "waiting" };
      const writes = [
        ...workWrites(key, { kind: "delivery", delivery, dueMs: nowMs + DELIVERY_KEPT_MS }),
        { key: aboutUserRow(delivery), value: {} },
        ...(isFull ? [] : withMessage({ lane, webhook, queue, id, nowMs })),
      ];
      return { writes, result: delivery };
    });
  }

  async getDelivery(key: WebhookKey, deliveryId: string): Promise<WebhookDelivery | undefined> {
    if (!isWebhookId(key.webhookId) || !isDeliveryId(deliveryId)) return undefined;
    const row = deliveryRow(key, deliveryId);
    return workIn("delivery", (await this.#table.read([row])).get(row))?.delivery;
  }

  async listDeliveries({ pageSize, pageToken, state, ...webhook }: ListDeliveriesRequest): Promise<DeliveryPage> {
    const prefix = deliveriesOf(webhook);
    const list = JSON.stringify(["deliveries", prefix, state]);
    const after = pageToken === undefined ? undefined : prefix + decodePageToken(list, pageToken).id;
    const range = { prefix, after, limit: pageSize, descending: true, maxCharacters: DELIVERY_PAGE_CHARACTERS };
    const { rows, hasMore } = await this.#table.list(range);
    const deliveries = rows.flatMap((row) => workIn("delivery", row)?.delivery ?? []);
    const last = rows.at(-1)?.key.slice(prefix.length) ?? "";
    return {
      deliveries: deliveries.filter((delivery) => state === undefined || delivery.state === state),
      nextPageToken: hasMore ? encodePageToken(list, { number: 0, id: last }) : undefined,
    };
  }

  async replay(webhook: WebhookKey, deliveryId: string, nowMs: number): Promise<WebhookDelivery | undefined> {
    const found = await this.getDelivery(webhook, deliveryId);
    if (found === undefined) return undefined;
    const [key, lane] = [deliveryRow(webhook, deliveryId), messagesRow(webhook, found.session)];
    return changeRows(this.#table, [key, lane], (rows): RowChange<WebhookDelivery | undefined> => {
      const before = workIn("delivery", rows.get(key));
      const queue = workIn("messages", rows.get(lane));
      if (before === undefined || queue?.waiting.includes(deliveryId) === true)
        return { writes: [], result: before?.delivery };
      const { nextMs: _, problem: __, ...kept } = before.delivery;
      const delivery: WebhookDelivery = { ...kept, state: "waiting", attempts: 0 };
      const writes = workWrites(key, { ...before, delivery, dueMs: nowMs + DELIVERY_KEPT_MS }, before);
      return {
        writes: [...writes, ...withMessage({ lane, webhook, queue, id: deliveryId, nowMs })],
        result: delivery,
      };
    });
  }

  listDue(limit: number): Promise<readonly DueWork[]> {
    return listDueRows(this.#table, limit);
  }

  async take(due: DueWork, untilMs: number): Promise<TakenWork | undefined> {
    const taken = await takeDueRow(this.#table, { due, untilMs, keptOf: workOf, writesOf: workWrites });
    if (taken === undefined) return undefined;
    const { lease, before } = taken;
    const { key } = due;
    switch (before.kind) {
      case "runs":
        return { kind: "runs", key, lease, session: before.session, runs: before.runs };
      case "messages":
        return { kind: "messages", key, lease, webhook: before.webhook, waiting: before.waiting };
      case "delivery": {
        await this.#endOfDelivery(key, lease, untilMs + DELIVERY_KEPT_MS);
        return undefined;
      }
    }
  }

  async postpone({ key, dueMs }: DueWork, toMs: number): Promise<void> {
    await changeRows(this.#table, [key], (rows): RowChange<undefined> => {
      const before = workOf(rows.get(key));
      if (before?.dueMs !== dueMs) return { writes: [], result: undefined };
      return { writes: workWrites(key, { ...before, lease: undefined, dueMs: toMs }, before), result: undefined };
    });
  }

  async giveBack({ key, lease }: TakenWork, dueMs: number): Promise<void> {
    await changeRows(this.#table, [key], (rows): RowChange<undefined> => {
      const before = workOf(rows.get(key));
      if (before?.lease !== lease) return { writes: [], result: undefined };
      return { writes: workWrites(key, { ...before, lease: undefined, dueMs }, before), result: undefined };
    });
  }

  async settleRuns({ key, lease, ...taken }: TakenWork, left: readonly WatchedRun[], dueMs: number): Promise<void> {
    const known = taken.kind === "runs" ? taken.runs : [];
    await changeRows(this.#table, [key], (rows): RowChange<undefined> => {
      const row = rows.get(key);
      const before = workIn("runs", row);
      if (before?.lease !== lease) return { writes: [], result: undefined };
      const added = before.runs.filter(({ runId }) => !known.some((run) => run.runId === runId));
      if (left.length + added.length === 0) return { writes: workRemoval(row), result: undefined };
      const lookMs = Math.min(dueMs, ...added.map(({ sinceMs }) => sinceMs + FIRST_LOOK_MS));
      const after = { ...before, runs: [...left, ...added], lease: undefined, dueMs: lookMs };
      return { writes: workWrites(key, after, before), result: undefined };
    });
  }

  settleMessage(taken: TakenWork, { delivery, untilMs }: SentMessage): Promise<readonly string[] | undefined> {
    const key = deliveryRow(delivery, delivery.id);
    return changeRows(this.#table, [taken.key, key], (rows): RowChange<readonly string[] | undefined> => {
      const queue = workIn("messages", rows.get(taken.key));
      const before = workIn("delivery", rows.get(key));
      if (queue?.lease !== taken.lease) return { writes: [], result: undefined };
      const kept = before === undefined ? [] : workWrites(key, { ...before, delivery }, before);
      if (before !== undefined && delivery.state === "waiting") {
        const dueMs = delivery.nextMs ?? untilMs;
        const back = workWrites(taken.key, { ...queue, lease: undefined, dueMs }, queue);
        return { writes: [...kept, ...back], result: undefined };
      }
      const [writes, waiting] = withoutMessage(taken, rows.get(taken.key), delivery.id, untilMs);
      return { writes: [...kept, ...writes], result: waiting };
    });
  }

  skipMessage(taken: TakenWork, deliveryId: string, untilMs: number): Promise<readonly string[] | undefined> {
    return changeRows(this.#table, [taken.key], (rows): RowChange<readonly string[] | undefined> => {
      const row = rows.get(taken.key);
      if (workOf(row)?.lease !== taken.lease) return { writes: [], result: undefined };
      const [writes, result] = withoutMessage(taken, row, deliveryId, untilMs);
      return { writes, result };
    });
  }

  /** Removes the delivery, unless its receiver still fails: then its end is later. */
  async #endOfDelivery(key: string, lease: string, laterMs: number): Promise<void> {
    await changeRows(this.#table, [key], (rows): RowChange<undefined> => {
      const row = rows.get(key);
      const before = workIn("delivery", row);
      if (before?.lease !== lease) return { writes: [], result: undefined };
      if (before.delivery.state !== "waiting") return { writes: workRemoval(row), result: undefined };
      return { writes: workWrites(key, { ...before, lease: undefined, dueMs: laterMs }, before), result: undefined };
    });
  }
}

interface NewMessage {
  readonly lane: string;
  readonly webhook: WebhookKey;
  readonly queue: KeptOf<"messages"> | undefined;
  readonly id: string;
  readonly nowMs: number;
}

function withMessage({ lane, webhook: { tenantId, webhookId }, queue, id, nowMs }: NewMessage) {
  const webhook = { tenantId, webhookId };
  if (queue === undefined) return workWrites(lane, { kind: "messages", webhook, waiting: [id], dueMs: nowMs });
  return workWrites(lane, { ...queue, waiting: [...queue.waiting, id] }, queue);
}

function withoutMessage(
  { key }: TakenWork,
  row: Parameters<typeof workOf>[0],
  deliveryId: string,
  untilMs: number,
): [ReturnType<typeof workWrites>, readonly string[]] {
  const queue = workIn("messages", row);
  const waiting = (queue?.waiting ?? []).filter((id) => id !== deliveryId);
  if (queue === undefined || waiting.length === 0) return [workRemoval(row), waiting];
  return [workWrites(key, { ...queue, waiting, dueMs: untilMs }, queue), waiting];
}
