import { expect, it } from "vitest";
import type { RowTable } from "#ports/rows/row-table.ts";
import { TabularWebhookStore } from "#ports/webhooks/tabular-webhook-store.ts";
import { DELIVERY_KEPT_MS, MAX_WAITING, type Webhook, type WebhookEvent } from "#ports/webhooks/webhook.ts";
import type { TakenWork } from "#ports/webhooks/webhook-store.ts";
import type { OpenedTable } from "#test/helpers/rows/row-tables.ts";
import { verifies } from "#test/helpers/verifies.ts";

export function newWebhook(id: string, members: Partial<Webhook> = {}): Webhook {
  const url = "https://hooks.example.com/";
  return { id, source: "user", url, events: ["run.succeeded"], enabled: true, createdMs: 1, updatedMs: 1, ...members };
}

export function newEvent(about: string, members: Partial<WebhookEvent> = {}): WebhookEvent {
  const session = { appName: "desk", userId: "ada", id: "s1" };
  return { type: "run.succeeded", timeMs: 1000, session, about, data: { about }, ...members };
}

const SESSION = newEvent("").session;
const SECRETS = { secret: "whsec_1" };

async function openStore(openTable: () => Promise<OpenedTable>) {
  const { table, dispose } = await openTable();
  return { table, store: new TabularWebhookStore({ table }), [Symbol.asyncDispose]: dispose };
}

async function takeFirst(store: TabularWebhookStore, untilMs: number): Promise<TakenWork> {
  const [due] = await store.listDue(1);
  const taken = due && (await store.take(due, untilMs));
  if (taken === undefined) throw new Error("There is nothing to take.");
  return taken;
}

const keysIn = (table: RowTable) => table.listKeys({ prefix: "", limit: 1000 });

/** The contract of the `WebhookStore` over a table of rows, which each test opens anew. */
export function webhookStoreContract(openTable: () => Promise<OpenedTable>): void {
  const open = () => openStore(openTable);

  it("keeps webhooks by tenant and id, in pages, with secrets apart", async () => {
    verifies("webhooks:calls");
    await using world = await open();
    const { store } = world;
    const made = [newWebhook("w1"), newWebhook("w2", { userId: "ada" }), newWebhook("w3", { tenantId: "acme" })];
    for (const webhook of made) await store.create(webhook, SECRETS, 10);
    expect(await store.get({ webhookId: "w1" })).toEqual(made[0]);
    expect(await store.get({ webhookId: "w3" })).toBe(undefined);
    for (const webhookId of ["", "w".repeat(5000), "\ud800"]) expect(await store.get({ webhookId })).toBe(undefined);
    const first = await store.list({ pageSize: 1 });
    const second = await store.list({ pageSize: 1, pageToken: first.nextPageToken });
    expect([...first.webhooks, ...second.webhooks]).toEqual(made.slice(0, 2));
    await expect(store.list({ tenantId: "acme", pageSize: 1, pageToken: first.nextPageToken })).rejects.toMatchObject({
      reason: "INVALID_CURSOR",
    });
    const all = await store.all(undefined);
    expect(all?.webhooks.map(({ id }) => id).toSorted()).toEqual(["w1", "w2", "w3"]);
    expect(await store.all(all?.version)).toBe(undefined);
    expect(await store.update({ webhookId: "w1" }, (now) => ({ ...now, enabled: false }))).toMatchObject({
      enabled: false,
    });
    expect(await store.update({ webhookId: "none" }, (now) => now)).toBe(undefined);
    expect(await store.changeSecrets({ webhookId: "w1" }, ({ secret }) => ({ secret: "new", former: secret }))).toBe(
      true,
    );
    expect(await store.secretsOf({ webhookId: "w1" })).toEqual({ secret: "new", former: "whsec_1" });
    expect((await store.all(all?.version))?.webhooks).toHaveLength(3);
    expect([await store.delete({ webhookId: "w2" }), await store.delete({ webhookId: "w2" })]).toEqual([true, false]);
  });

  it("refuses webhooks of a tenant beyond the limit, also concurrent ones", async () => {
    verifies("webhooks:limits");
    await using world = await open();
    const { store } = world;
    const made = await Promise.allSettled([1, 2, 3, 4].map((n) => store.create(newWebhook(`w${n}`), SECRETS, 2)));
    const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ reason: "TOO_MANY_WEBHOOKS", details: { limit: "2" } });
    await store.create(newWebhook("w9", { tenantId: "acme" }), SECRETS, 2);
  });

  it("keeps the runs of a session that are followed, and those that are added while a process has it", async () => {
    verifies("webhooks:durable");
    await using world = await open();
    const { store, table } = world;
    const [one, two] = [
      { runId: "r1", sinceMs: 1000 },
      { runId: "r2", sinceMs: 2000 },
    ];
    await store.watch(SESSION, one);
    await store.watch(SESSION, one);
    const taken = await takeFirst(store, 9000);
    expect(taken).toMatchObject({ kind: "runs", session: SESSION, runs: [one] });
    await store.watch(SESSION, two);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 9000 }]);
    await store.settleRuns(taken, [], 50_000);
    const [due] = await store.listDue(10);
    expect(due?.dueMs).toBeLessThan(9000);
    const next = await takeFirst(store, 9000);
    expect(next).toMatchObject({ runs: [two] });
    // A process that has lost it changes nothing.
    await store.settleRuns(taken, [], 60_000);
    await store.settleRuns(next, [{ ...two, isStarted: true }], 10_000);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 10_000 }]);
    await store.settleRuns(await takeFirst(store, 20_000), [], 30_000);
    expect(await keysIn(table)).toEqual([]);
  });

  it("adds a message once, and gives the messages of a session in their order to one process", async () => {
    verifies("webhooks:order");
    await using world = await open();
    const { store } = world;
    const hook = { webhookId: "w1" };
    expect(await store.post(hook, newEvent("a"), 1000)).toBe(undefined);
    await store.create(newWebhook("w1"), SECRETS, 10);
    const first = await store.post(hook, newEvent("a"), 1000);
    const second = await store.post(hook, newEvent("b"), 1000);
    expect(await store.post(hook, newEvent("a"), 9999)).toEqual(first);
    if (first === undefined || second === undefined) throw new Error("There are no messages.");
    expect(first).toMatchObject({ state: "waiting", attempts: 0, id: expect.stringMatching(/^msg_[0-9a-z]{9}_/) });
    expect(JSON.parse(first.body)).toEqual({
      type: "run.succeeded",
      timestamp: "1970-01-01T00:00:01.000Z",
      data: { about: "a" },
    });
    const [due] = await store.listDue(1);
    const takes = await Promise.all([1, 2].map(async () => due && store.take(due, 5000)));
    const [taken, ...others] = takes.filter((one) => one !== undefined);
    if (taken === undefined) throw new Error("Nobody has it.");
    expect([taken, others]).toMatchObject([{ kind: "messages", waiting: [first.id, second.id] }, []]);
    // The first fails, and everything waits for it.
    const failed = { ...first, attempts: 1, nextMs: 8000, problem: "it answered with the status 500" };
    expect(await store.settleMessage(taken, { delivery: failed, untilMs: 9000 })).toBe(undefined);
    expect(await store.listDue(1)).toMatchObject([{ dueMs: 8000 }]);
    const again = await takeFirst(store, 20_000);
    const delivered = { ...first, state: "delivered", attempts: 2 } as const;
    expect(await store.settleMessage(taken, { delivery: delivered, untilMs: 30_000 })).toBe(undefined);
    expect(await store.settleMessage(again, { delivery: delivered, untilMs: 30_000 })).toEqual([second.id]);
    expect(await store.settleMessage(again, { delivery: { ...second, state: "dead" }, untilMs: 1 })).toEqual([]);
    const { deliveries } = await store.listDeliveries({ ...hook, pageSize: 10 });
    expect(deliveries.map(({ id, state }) => [id, state]).toSorted()).toEqual(
      [
        [first.id, "delivered"],
        [second.id, "dead"],
      ].toSorted(),
    );
    expect((await store.listDeliveries({ ...hook, pageSize: 10, state: "dead" })).deliveries).toMatchObject([
      { id: second.id },
    ]);
    expect(await store.replay(hook, second.id, 40_000)).toMatchObject({ state: "waiting", attempts: 0 });
    expect(await takeFirst(store, 50_000)).toMatchObject({ waiting: [second.id] });
    for (const id of ["", "msg_000000000_x", "../x"]) expect(await store.replay(hook, id, 1)).toBe(undefined);
  });

  it("gives work back, and skips messages that are gone", async () => {
    await using world = await open();
    const { store } = world;
    await store.create(newWebhook("w1"), SECRETS, 10);
    await store.post({ webhookId: "w1" }, newEvent("a"), 1000);
    const taken = await takeFirst(store, 5000);
    await store.giveBack(taken, 2000);
    await store.giveBack(taken, 3000);
    const [due] = await store.listDue(1);
    expect(due?.dueMs).toBe(2000);
    if (due === undefined) throw new Error("Nothing is due.");
    await store.postpone(due, 4000);
    await store.postpone(due, 4500);
    expect(await store.listDue(1)).toMatchObject([{ dueMs: 4000 }]);
    const again = await takeFirst(store, 9000);
    const [id = ""] = again.kind === "messages" ? again.waiting : [];
    expect(await store.skipMessage(taken, id, 9000)).toBe(undefined);
    expect(await store.skipMessage(again, id, 9000)).toEqual([]);
  });

  it("lets no more messages of one session wait than a row can have", async () => {
    verifies("webhooks:limits");
    await using world = await open();
    const { store, table } = world;
    await store.create(newWebhook("w1"), SECRETS, 10);
    await store.post({ webhookId: "w1" }, newEvent("a"), 1000);
    const lane = (await keysIn(table)).find((key) => key.startsWith("messages/")) ?? "";
    const value = (await table.read([lane])).get(lane)?.value ?? {};
    const waiting = Array.from({ length: MAX_WAITING }, (_, index) => `msg_${index}`);
    await table.commit([{ key: lane, value: { ...value, waiting } }]);
    expect(await store.post({ webhookId: "w1" }, newEvent("b"), 1000)).toMatchObject({ state: "dead" });
  });

  it("removes messages after a week, and all of a webhook with it", async () => {
    verifies("webhooks:data");
    await using world = await open();
    const { store, table } = world;
    await store.create(newWebhook("w1"), SECRETS, 10);
    const sent = await store.post({ webhookId: "w1" }, newEvent("a"), 1000);
    if (sent === undefined) throw new Error("There is no message.");
    const taken = await takeFirst(store, 5000);
    await store.settleMessage(taken, { delivery: { ...sent, state: "delivered" }, untilMs: 5000 });
    const [due] = await store.listDue(10);
    expect(due?.dueMs).toBe(1000 + DELIVERY_KEPT_MS);
    if (due === undefined) throw new Error("Nothing is due.");
    expect(await store.take(due, due.dueMs + 5000)).toBe(undefined);
    expect(await keysIn(table)).toEqual(["hook/default/w1", "version"]);
    await store.post({ webhookId: "w1" }, newEvent("b"), 1000);
    await store.delete({ webhookId: "w1" });
    for (const left of await store.listDue(10)) expect(await store.take(left, 1)).toBe(undefined);
    expect((await keysIn(table)).filter((key) => !key.startsWith("about/"))).toEqual(["version"]);
  });

  it("exports and deletes the webhooks of a tenant or a user, and all messages about the user", async () => {
    verifies("webhooks:data");
    await using world = await open();
    const { store, table } = world;
    await store.create(newWebhook("w1"), SECRETS, 10);
    await store.create(newWebhook("w2", { userId: "ada" }), SECRETS, 10);
    await store.create(newWebhook("w3", { tenantId: "acme" }), SECRETS, 10);
    const bob = newEvent("b", { session: { appName: "desk", userId: "bob", id: "s2" } });
    for (const event of [newEvent("a"), bob]) await store.post({ webhookId: "w1" }, event, 1000);
    await store.watch(SESSION, { runId: "r1", sinceMs: 1 });
    const owner = { tenantId: "default", userId: "ada" };
    const { items } = await store.listData({ ...owner, pageSize: 10 });
    expect(items).toMatchObject([{ kind: "webhook", id: "w2" }]);
    expect(JSON.stringify(items)).not.toContain("whsec");
    let deleted = 0;
    for (let isDone = false; !isDone; ) {
      const step = await store.deleteData({ ...owner, limit: 10 });
      ({ isDone } = step);
      deleted += step.deleted;
    }
    expect(deleted).toBe(3);
    const left = (await store.listDeliveries({ webhookId: "w1", pageSize: 10 })).deliveries;
    expect(left.map(({ session }) => session.userId)).toEqual(["bob"]);
    const stored = JSON.stringify((await table.list({ prefix: "", limit: 1000 })).rows.map(({ value }) => value));
    expect(stored).toContain('"bob"');
    expect(stored).not.toContain('"ada"');
    while (!(await store.deleteData({ tenantId: "default", limit: 10 })).isDone);
    for (const due of await store.listDue(100)) await store.take(due, 1);
    expect(await keysIn(table)).toEqual(["hook/acme/w3", "version"]);
  });
}
