import { expect, it } from "vitest";
import {
  MAX_TARGETS_OF_TASK,
  MAX_TARGETS_OF_USER,
  type PushState,
  type PushTarget,
  type PushTask,
} from "#ports/push/push-store.ts";
import { TabularPushStore } from "#ports/push/tabular-push-store.ts";
import type { RowTable } from "#ports/rows/row-table.ts";
import type { OpenedTable } from "#test/helpers/rows/row-tables.ts";
import { keysNamed, sealerWith } from "#test/helpers/security/credential-keys.ts";

const SESSION = { appName: "desk", userId: "ada", id: "s/1" };
const TASK: PushTask = { taskId: "t1", session: SESSION };
const HOOK: PushTarget = {
  id: "h1",
  url: "https://hooks.example.com/a",
  token: "token-1",
  authentication: { scheme: "Bearer", credentials: "secret-1" },
};
const PLACE = { runId: "t1", sequence: 3, isBegun: false, isAtEnd: false };
const NEW = { version: "1.0", state: { place: PLACE, isOver: false }, dueMs: 1000, nowMs: 1000 } as const;
const WAITING: PushState = { place: { ...PLACE, sequence: 7, isAtEnd: true }, failures: 0, isOver: false };

/** Takes the only delivery that is due. */
async function takeOnly(store: TabularPushStore, untilMs: number) {
  const [due, ...others] = await store.listDue(10);
  expect(others).toEqual([]);
  const push = due && (await store.take(due, untilMs));
  if (push === undefined) throw new Error("There is no delivery to take.");
  return push;
}

async function keysIn(table: RowTable): Promise<readonly string[]> {
  return table.listKeys({ prefix: "", limit: 3000 });
}

async function openStore(openTable: () => Promise<OpenedTable>) {
  const { table, dispose } = await openTable();
  const store = new TabularPushStore({ table, sealer: sealerWith(keysNamed("one")) });
  return { table, store, [Symbol.asyncDispose]: dispose };
}

/** The contract of the `PushStore` over a table of rows, which each test opens anew. */
export function pushStoreContract(openTable: () => Promise<OpenedTable>): void {
  const open = () => openStore(openTable);

  it("keeps targets by task and id, with sealed secrets", async () => {
    await using world = await open();
    const { store, table } = world;
    await store.save({ ...NEW, task: TASK, target: HOOK });
    const plain: PushTarget = { id: "h2", url: "https://hooks.example.com/b" };
    await store.save({ ...NEW, task: TASK, target: plain });
    expect(await store.get(TASK, "h1")).toEqual(HOOK);
    expect((await store.list(TASK)).toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([HOOK, plain]);
    expect(await store.get({ ...TASK, taskId: "t2" }, "h1")).toBe(undefined);
    expect(await store.get({ ...TASK, session: { ...SESSION, userId: "bob" } }, "h1")).toBe(undefined);
    const { rows } = await table.list({ prefix: "", limit: 100 });
    expect(JSON.stringify(rows)).not.toMatch(/token-1|secret-1/);
    await store.delete(TASK, "h1");
    await store.delete(TASK, "h1");
    expect(await store.list(TASK)).toEqual([plain]);
  });

  it("gives a delivery to one of several processes, and after its lease to another one", async () => {
    await using world = await open();
    const { store } = world;
    await store.save({ ...NEW, task: TASK, target: HOOK });
    const [due] = await store.listDue(10);
    if (due === undefined) throw new Error("Nothing is due.");
    expect(due).toMatchObject({ payer: "ada", host: "hooks.example.com", dueMs: 1000 });
    const taken = (await Promise.all([1, 2, 3].map(() => store.take(due, 5000)))).filter((push) => push !== undefined);
    expect(taken).toHaveLength(1);
    const [first] = taken;
    if (first === undefined) throw new Error("Nobody has it.");
    expect(first).toMatchObject({ task: TASK, target: HOOK, version: "1.0", ...NEW.state });
    expect(await store.put(first, { ...first, failures: 2, failingSinceMs: 4000 }, 6000)).toBe(true);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 6000 }]);
    // The lease has ended without another word of its holder.
    const second = await takeOnly(store, 9000);
    expect(second).toMatchObject({ failures: 2, failingSinceMs: 4000 });
    expect(await store.put(first, first)).toBe(false);
    expect(await store.release(first, first, 1)).toBe(false);
    await store.remove(first);
    expect(await store.release(second, { ...WAITING, failures: 0 }, 12_000)).toBe(true);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 12_000 }]);
    await store.remove(await takeOnly(store, 20_000));
    expect(await store.list(TASK)).toEqual([]);
    expect(await store.listDue(10)).toEqual([]);
  });

  it("makes a task due that waits for its next run, and no other one", async () => {
    await using world = await open();
    const { store } = world;
    await store.save({ ...NEW, task: TASK, target: HOOK });
    await store.wake(TASK, 500);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 1000 }]);
    await store.release(await takeOnly(store, 2000), WAITING, 90_000);
    await store.wake({ ...TASK, taskId: "t2" }, 3000);
    await store.wake(TASK, 3000);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 3000 }]);
    await store.release(await takeOnly(store, 4000), { ...WAITING, failures: 1 }, 90_000);
    await store.wake(TASK, 5000);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 90_000 }]);
  });

  it("continues where it is when a target is set again, and tries one that was given up", async () => {
    await using world = await open();
    const { store } = world;
    await store.save({ ...NEW, task: TASK, target: HOOK });
    const first = await takeOnly(store, 2000);
    const other = { ...HOOK, url: "https://other.example.com/" };
    await store.save({ ...NEW, task: TASK, target: other, state: { place: WAITING.place, isOver: true }, nowMs: 1500 });
    expect(await store.put(first, first)).toBe(false);
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 1500, host: "other.example.com" }]);
    const second = await takeOnly(store, 2000);
    expect(second).toMatchObject({ target: other, place: PLACE, isOver: false });
    await store.release(second, { ...second, failures: 9, isOver: true }, 90_000);
    await store.save({ ...NEW, task: TASK, target: other, nowMs: 3000 });
    const third = await takeOnly(store, 4000);
    expect(third).toMatchObject({ place: PLACE, isOver: false, failures: 0 });
    await store.release(third, { ...WAITING, isOver: true }, 90_000);
    await store.save({ ...NEW, task: TASK, target: HOOK, nowMs: 5000 });
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 90_000 }]);
  });

  it("postpones what others have not changed", async () => {
    await using world = await open();
    const { store } = world;
    for (const id of ["a", "b", "c"]) await store.save({ ...NEW, task: TASK, target: { ...HOOK, id } });
    const due = await store.listDue(10);
    const [mine, ...others] = due;
    const push = mine && (await store.take(mine, 2000));
    await store.delete(TASK, "nothing");
    await store.postpone(due, 7000);
    expect((await store.listDue(10)).map(({ dueMs }) => dueMs)).toEqual([2000, 7000, 7000]);
    expect(push && (await store.put(push, push))).toBe(true);
    expect(others).toHaveLength(2);
  });

  it("keeps a number of targets of a task", async () => {
    await using world = await open();
    const save = (id: string) => world.store.save({ ...NEW, task: TASK, target: { id, url: HOOK.url } });
    const ids = Array.from({ length: MAX_TARGETS_OF_TASK + 4 }, (_, index) => `h${index}`);
    const saved = await Promise.allSettled(ids.map(save));
    expect(saved.filter(({ status }) => status === "fulfilled")).toHaveLength(MAX_TARGETS_OF_TASK);
    await expect(save("one-more")).rejects.toMatchObject({
      reason: "TOO_MANY_PUSH_TARGETS",
      details: { limit: String(MAX_TARGETS_OF_TASK) },
    });
  });

  it("deletes what belongs to a session, a user and a tenant", async () => {
    await using world = await open();
    const { store, table } = world;
    const other = { ...TASK, session: { ...SESSION, id: "s2" } };
    const bobs = { ...TASK, session: { ...SESSION, userId: "bob" } };
    const acme = { ...TASK, session: { ...SESSION, tenantId: "acme" } };
    for (const task of [TASK, other, bobs, acme]) await store.save({ ...NEW, task, target: HOOK });
    await store.deleteSession(SESSION);
    expect(await store.get(TASK, "h1")).toBe(undefined);
    expect(await store.get(other, "h1")).toEqual(HOOK);
    expect(await store.listDue(10)).toHaveLength(3);
    const deleteAll = async (owner: { tenantId: string; userId?: string }) => {
      while (!(await store.deleteData({ ...owner, limit: 1 })).isDone);
    };
    await deleteAll({ tenantId: "default", userId: "ada" });
    expect((await keysIn(table)).some((key) => key.includes("/ada"))).toBe(true);
    expect(await store.get(acme, "h1")).toEqual(HOOK);
    expect(await store.get(bobs, "h1")).toEqual(HOOK);
    await deleteAll({ tenantId: "acme" });
    await deleteAll({ tenantId: "default" });
    expect(await keysIn(table)).toEqual([]);
  });
}

/** The limit of a user, which takes a thousand commits to reach. */
export function pushUserLimitContract(openTable: () => Promise<OpenedTable>): void {
  it("keeps a number of targets of a user", async () => {
    await using world = await openStore(openTable);
    const save = (number: number) => {
      const task = { ...TASK, taskId: `t${number}` };
      return world.store.save({ ...NEW, task, target: { id: "h", url: HOOK.url } });
    };
    for (let number = 0; number < MAX_TARGETS_OF_USER; number += 1) await save(number);
    await expect(save(MAX_TARGETS_OF_USER)).rejects.toMatchObject({ details: { limit: String(MAX_TARGETS_OF_USER) } });
    // One that exists can be changed.
    await save(20);
  });
}
