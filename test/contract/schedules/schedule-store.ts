import { expect, it } from "vitest";
import type { RowTable } from "#ports/rows/row-table.ts";
import type { Schedule, TickRecord } from "#ports/schedules/schedule.ts";
import { TabularScheduleStore } from "#ports/schedules/tabular-schedule-store.ts";
import type { OpenedTable } from "#test/helpers/rows/row-tables.ts";
import { verifies } from "#test/helpers/verifies.ts";

export function newSchedule(id: string, members: Partial<Schedule> = {}): Schedule {
  return {
    ...{ id, appName: "desk", userId: "ada", source: "user", owner: { groups: ["desk"], keyId: "k1" }, lastTicks: [] },
    timing: { kind: "cron", cron: "0 * * * *", timeZone: "UTC" },
    newMessage: { role: "user", parts: [{ text: "Hello" }] },
    ...{ overlap: "skip", catchUp: "one", enabled: true, createdMs: 1, updatedMs: 1, nextMs: 1000 },
    ...members,
  };
}

const STARTED: TickRecord = { tickMs: 1000, outcome: "started", runId: "r1", sessionId: "s", timeMs: 1001 };
const SKIPPED: TickRecord = { tickMs: 2000, outcome: "skipped", timeMs: 2001 };

async function openStore(openTable: () => Promise<OpenedTable>) {
  const { table, dispose } = await openTable();
  return { table, store: new TabularScheduleStore({ table }), [Symbol.asyncDispose]: dispose };
}

async function takeOnly(store: TabularScheduleStore, untilMs: number) {
  const [due, ...others] = await store.listDue(10);
  expect(others).toEqual([]);
  const taken = due && (await store.take(due, untilMs));
  if (taken === undefined) throw new Error("There is no schedule to take.");
  return taken;
}

const keysIn = (table: RowTable) => table.listKeys({ prefix: "", limit: 1000 });

/** The contract of the `ScheduleStore` over a table of rows, which each test opens anew. */
export function scheduleStoreContract(openTable: () => Promise<OpenedTable>): void {
  const open = () => openStore(openTable);

  it("keeps schedules by tenant and id, and lists them by user and app in pages", async () => {
    await using world = await open();
    const { store } = world;
    const made = [
      newSchedule("s1"),
      newSchedule("s2", { appName: "other" }),
      newSchedule("s3", { userId: "bob/1", nextMs: undefined }),
      newSchedule("s4", { tenantId: "acme" }),
    ];
    for (const schedule of made) expect(await store.create(schedule, 10)).toBe(true);
    expect(await store.create(newSchedule("s1", { name: "again" }), 10)).toBe(false);
    expect(await store.get({ scheduleId: "s1" })).toEqual(made[0]);
    expect(await store.get({ scheduleId: "s4" })).toBe(undefined);
    for (const scheduleId of ["", "s".repeat(5000), "\ud800"]) expect(await store.get({ scheduleId })).toBe(undefined);
    const ids = async (request: { userId?: string; appName?: string; tenantId?: string }) =>
      (await store.list({ ...request, pageSize: 10 })).schedules.map(({ id }) => id);
    expect(await ids({})).toEqual(["s1", "s2", "s3"]);
    expect(await ids({ userId: "ada" })).toEqual(["s1", "s2"]);
    expect(await ids({ appName: "desk" })).toEqual(["s1", "s3"]);
    expect(await ids({ userId: "ada", appName: "other" })).toEqual(["s2"]);
    expect(await ids({ tenantId: "acme" })).toEqual(["s4"]);
    const first = await store.list({ pageSize: 2 });
    expect(first.schedules.map(({ id }) => id)).toEqual(["s1", "s2"]);
    const second = await store.list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([second.schedules.map(({ id }) => id), second.nextPageToken]).toEqual([["s3"], undefined]);
    await expect(store.list({ userId: "ada", pageSize: 2, pageToken: first.nextPageToken })).rejects.toMatchObject({
      reason: "INVALID_CURSOR",
    });
    expect(await store.delete({ scheduleId: "s2" })).toBe(true);
    expect(await store.delete({ scheduleId: "s2" })).toBe(false);
    expect(await ids({ userId: "ada" })).toEqual(["s1"]);
  });

  it("refuses schedules of a user beyond the limit, also concurrent ones", async () => {
    verifies("schedules:limits");
    await using world = await open();
    const { store } = world;
    const made = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => store.create(newSchedule(`s${n}`), 3)));
    const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ reason: "TOO_MANY_SCHEDULES", details: { limit: "3" } });
    expect((await store.list({ userId: "ada", pageSize: 10 })).schedules).toHaveLength(3);
    expect(await store.create(newSchedule("s9", { userId: "bob" }), 3)).toBe(true);
  });

  it("gives a due schedule to one of several processes, and after its lease to another one", async () => {
    verifies("schedules:once");
    await using world = await open();
    const { store } = world;
    await store.create(newSchedule("s1"), 10);
    const [due] = await store.listDue(10);
    if (due === undefined) throw new Error("Nothing is due.");
    expect(due.dueMs).toBe(1000);
    const taken = (await Promise.all([1, 2, 3].map(() => store.take(due, 5000)))).filter((one) => one !== undefined);
    expect(taken).toHaveLength(1);
    const [first] = taken;
    if (first === undefined) throw new Error("Nobody has it.");
    expect(first).toMatchObject({ wasLost: false, schedule: newSchedule("s1") });
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 5000 }]);
    const second = await takeOnly(store, 9000);
    expect(second.wasLost).toBe(true);
    // The first one was slow: its run counts, and its decision does not.
    await store.settle(first, { records: [STARTED, SKIPPED], nextMs: 77 });
    expect(await store.get({ scheduleId: "s1" })).toMatchObject({ nextMs: 1000, lastTicks: [STARTED] });
    await store.settle(second, { records: [STARTED, SKIPPED], nextMs: 3000 });
    expect(await store.get({ scheduleId: "s1" })).toMatchObject({ nextMs: 3000, lastTicks: [SKIPPED, STARTED] });
    expect(await store.listDue(10)).toMatchObject([{ dueMs: 3000 }]);
    expect((await takeOnly(store, 9000)).wasLost).toBe(false);
  });

  it("takes a schedule from a process whose next tick was changed, and leaves it one that was not", async () => {
    await using world = await open();
    const { store } = world;
    await store.create(newSchedule("s1"), 10);
    const taken = await takeOnly(store, 5000);
    await store.update({ scheduleId: "s1" }, (schedule) => ({ ...schedule, name: "named" }));
    await store.settle(taken, { records: [SKIPPED], nextMs: 2000 });
    expect(await store.get({ scheduleId: "s1" })).toMatchObject({ name: "named", nextMs: 2000, lastTicks: [SKIPPED] });
    const again = await takeOnly(store, 5000);
    await store.update({ scheduleId: "s1" }, (schedule) => ({ ...schedule, nextMs: undefined }));
    await store.settle(again, { records: [], nextMs: 3000 });
    expect((await store.get({ scheduleId: "s1" }))?.nextMs).toBe(undefined);
    expect(await store.listDue(10)).toEqual([]);
    expect(await store.update({ scheduleId: "none" }, (schedule) => schedule)).toBe(undefined);
  });

  it("keeps nothing of a schedule that is deleted while a process has it", async () => {
    await using world = await open();
    const { store, table } = world;
    await store.create(newSchedule("s1"), 10);
    const taken = await takeOnly(store, 5000);
    await store.delete({ scheduleId: "s1" });
    await store.settle(taken, { records: [STARTED], nextMs: 3000 });
    expect(await store.get({ scheduleId: "s1" })).toBe(undefined);
    for (const due of await store.listDue(10)) expect(await store.take(due, 9000)).toBe(undefined);
    expect((await keysIn(table)).filter((key) => !key.startsWith("room/"))).toEqual([]);
  });

  it("remembers the last ten ticks", async () => {
    await using world = await open();
    const { store } = world;
    await store.create(newSchedule("s1"), 10);
    const records = Array.from({ length: 12 }, (_, index) => ({ ...STARTED, runId: `r${index}`, tickMs: index }));
    await store.settle(await takeOnly(store, 5000), { records, nextMs: undefined });
    const { lastTicks = [] } = (await store.get({ scheduleId: "s1" })) ?? {};
    expect(lastTicks.map(({ runId }) => runId)).toEqual(
      records
        .slice(2)
        .reverse()
        .map(({ runId }) => runId),
    );
    expect(await store.listDue(10)).toEqual([]);
  });

  it("lists and deletes all schedules of a user, and of a tenant, and leaves other ones", async () => {
    verifies("schedules:data");
    await using world = await open();
    const { store, table } = world;
    for (let n = 0; n < 40; n += 1) await store.create(newSchedule(`a${n}`), 100);
    await store.create(newSchedule("b1", { userId: "bob" }), 100);
    await store.create(newSchedule("c1", { tenantId: "acme" }), 100);
    const ada = { tenantId: "default", userId: "ada" };
    const { items } = await store.listData({ ...ada, pageSize: 100 });
    expect(items).toHaveLength(40);
    expect(items[0]).toMatchObject({ kind: "schedule", id: "a0", userId: "ada", newMessage: { role: "user" } });
    expect(items[0]).not.toHaveProperty("owner");
    let deleted = 0;
    for (let isDone = false; !isDone; ) {
      const step = await store.deleteData({ ...ada, limit: 500 });
      deleted += step.deleted;
      isDone = step.isDone;
    }
    expect(deleted).toBe(40);
    expect((await store.list({ pageSize: 100 })).schedules.map(({ id }) => id)).toEqual(["b1"]);
    while (!(await store.deleteData({ tenantId: "default", limit: 500 })).isDone);
    expect((await keysIn(table)).every((key) => key.includes("/acme/") || key.startsWith("due/"))).toBe(true);
    expect(await store.listDue(10)).toHaveLength(1);
  });
}
