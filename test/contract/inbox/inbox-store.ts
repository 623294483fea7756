import { expect, it } from "vitest";
import type { Expiry, InboxEntryKey } from "#ports/inbox/inbox-store.ts";
import { TabularInboxStore } from "#ports/inbox/tabular-inbox-store.ts";
import type { RowTable } from "#ports/rows/row-table.ts";
import type { OpenedTable } from "#test/helpers/rows/row-tables.ts";
import { verifies } from "#test/helpers/verifies.ts";

const ENTRY: InboxEntryKey = { runId: "r1", session: { appName: "desk", userId: "ada", id: "s" } };
const EXPIRY: Expiry = { sinceMs: 1000, afterMs: 60_000, onExpiry: "reject" };
const MINE = { by: "ada", nowMs: 2000, untilMs: 5000, takeOver: false };

async function openStore(openTable: () => Promise<OpenedTable>) {
  const { table, dispose } = await openTable();
  return { table, store: new TabularInboxStore({ table }), [Symbol.asyncDispose]: dispose };
}

const keysIn = (table: RowTable) => table.listKeys({ prefix: "", limit: 1000 });

/** The contract of the `InboxStore` over a table of rows, which each test opens anew. */
export function inboxStoreContract(openTable: () => Promise<OpenedTable>): void {
  const open = () => openStore(openTable);

  it("gives an entry to one process until its lease ends, and forgets it when its question is over", async () => {
    verifies("platform:inbox:expiry");
    await using world = await open();
    const { store, table } = world;
    await store.watch(ENTRY, EXPIRY);
    await store.watch(ENTRY, { ...EXPIRY, sinceMs: 9000 });
    const [due, ...others] = await store.listDue(10);
    expect([due?.dueMs, others]).toEqual([61_000, []]);
    if (due === undefined) throw new Error("Nothing is due.");
    const taken = await Promise.all([1, 2, 3].map(() => store.take(due, 90_000)));
    const [own, ...rest] = taken.filter((one) => one !== undefined);
    expect([own, rest]).toEqual([
      { key: due.key, lease: expect.any(String), entry: ENTRY, expiry: EXPIRY, wasLost: false },
      [],
    ]);
    const [leased] = await store.listDue(10);
    const second = leased && (await store.take(leased, 120_000));
    expect(second).toMatchObject({ wasLost: true, entry: ENTRY });
    if (own === undefined || second === undefined) throw new Error("Nothing was taken.");
    // The first process has lost it.
    await store.settle(own, undefined, 91_000);
    expect((await store.listDue(10))[0]?.dueMs).toBe(120_000);
    await store.settle(second, 150_000, 91_000);
    expect((await store.listDue(10))[0]?.dueMs).toBe(150_000);
    const [last] = await store.listDue(10);
    const third = last && (await store.take(last, 200_000));
    expect(third?.wasLost).toBe(false);
    if (third !== undefined) await store.settle(third, undefined, 160_000);
    expect(await keysIn(table)).toEqual([]);
  });

  it("keeps one claim of an entry, which its time does not change", async () => {
    verifies("platform:inbox:claims");
    await using world = await open();
    const { store, table } = world;
    const first = { by: "ada", sinceMs: 2000, untilMs: 5000 };
    expect(await store.claim(ENTRY, MINE)).toEqual(first);
    expect(await store.claim(ENTRY, { ...MINE, by: "bob", nowMs: 3000 })).toEqual(first);
    expect(await store.claim(ENTRY, { ...MINE, nowMs: 3000, untilMs: 6000 })).toEqual({ ...first, untilMs: 6000 });
    expect(await store.release(ENTRY, "bob", 3000)).toEqual({ ...first, untilMs: 6000 });
    await store.watch(ENTRY, EXPIRY);
    const bobs = { by: "bob", sinceMs: 4000, untilMs: 7000 };
    expect(await store.claim(ENTRY, { by: "bob", nowMs: 4000, untilMs: 7000, takeOver: true })).toEqual(bobs);
    expect(await store.read([ENTRY, { ...ENTRY, runId: "r2" }])).toEqual([{ expiry: EXPIRY, claim: bobs }, undefined]);
    // Looked at when the claim ends.
    const [due] = await store.listDue(10);
    const taken = due && (await store.take(due, 9000));
    expect(due?.dueMs).toBe(7000);
    if (taken !== undefined) await store.settle(taken, 61_000, 7000);
    expect(await store.read([ENTRY])).toEqual([{ expiry: EXPIRY, claim: undefined }]);
    // One that has ended is no obstacle.
    await store.claim(ENTRY, { ...MINE, nowMs: 8000, untilMs: 9000 });
    expect(await store.claim(ENTRY, { by: "bob", nowMs: 9000, untilMs: 9500, takeOver: false })).toMatchObject({
      by: "bob",
    });
    await store.drop(ENTRY);
    expect((await store.listDue(10)).map(({ dueMs }) => dueMs)).toEqual([61_000]);
    await store.claim({ ...ENTRY, runId: "r2" }, MINE);
    expect(await store.release({ ...ENTRY, runId: "r2" }, "ada", 3000)).toBe(undefined);
    expect(await keysIn(table)).toHaveLength(2);
  });

  it("keeps a claim that is made while a process decides about the entry", async () => {
    verifies("platform:inbox:claims");
    await using world = await open();
    const { store } = world;
    await store.watch(ENTRY, EXPIRY);
    const [due] = await store.listDue(10);
    const taken = due && (await store.take(due, 90_000));
    await store.claim(ENTRY, { ...MINE, nowMs: 61_000, untilMs: 99_000 });
    if (taken !== undefined) await store.settle(taken, undefined, 62_000);
    expect(await store.read([ENTRY])).toEqual([
      { expiry: undefined, claim: { by: "ada", sinceMs: 61_000, untilMs: 99_000 } },
    ]);
    expect((await store.listDue(10)).map(({ dueMs }) => dueMs)).toEqual([99_000]);
  });

  it("deletes the entries of a user, or of a tenant", async () => {
    verifies("platform:inbox:claims");
    await using world = await open();
    const { store, table } = world;
    const of = (session: Partial<InboxEntryKey["session"]>) => ({
      ...ENTRY,
      session: { ...ENTRY.session, ...session },
    });
    for (const entry of [ENTRY, of({ userId: "bob" }), of({ tenantId: "acme" })]) await store.watch(entry, EXPIRY);
    const remove = async (owner: { tenantId: string; userId?: string }) => {
      for (let isDone = false; !isDone; ) ({ isDone } = await store.deleteData({ ...owner, limit: 10 }));
      return (await keysIn(table)).length;
    };
    expect(await remove({ tenantId: "default", userId: "bob" })).toBe(4);
    expect(await remove({ tenantId: "acme" })).toBe(2);
    expect(await store.read([ENTRY])).toEqual([{ expiry: EXPIRY, claim: undefined }]);
  });
}
