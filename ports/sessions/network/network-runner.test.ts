import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import type { SessionRead } from "#ports/sessions/session-reads.ts";
import {
  beginRequest,
  changing,
  KEY,
  LEASE_MS,
  NOW,
  record,
  started,
  storedIds,
} from "#test/contract/sessions/session-world.ts";
import { DelayedSqliteSessions } from "#test/helpers/sessions/delayed-sqlite-sessions.ts";
import { NetworkSessionStore } from "./network-session-store.ts";
import type { SessionChange } from "./session-database.ts";

/** Stores over one database, as in several processes, and the calls of the database. */
function startWorld(processes: number) {
  const database = new DelayedSqliteSessions();
  const calls: string[] = [];
  const before: {
    read?: (reads: readonly SessionRead[]) => Promise<void>;
    commit?: ((change: SessionChange<unknown> | undefined) => Promise<void>) | undefined;
  } = {};
  const observed = new Proxy(database, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return name === "attempt"
        ? () => observed
        : async (...values: unknown[]) => {
            calls.push(String(name));
            // The first argument of a read.
            if (name === "read") await before.read?.(values[0] as readonly SessionRead[]);
            // As of a commit.
            if (name === "commit") await before.commit?.(values[0] as SessionChange<unknown> | undefined);
            return value.apply(target, values);
          };
    },
  });
  const clock = new FixedClock(NOW);
  const stores = Array.from(
    { length: processes },
    (_, index) => new NetworkSessionStore({ database: observed, clock, ids: new SequentialIds(`id${index}`) }),
  );
  return { stores, before, takeCalls: () => calls.splice(0), [Symbol.dispose]: () => database[Symbol.dispose]() };
}

it("makes a turn of one read and two commits", async () => {
  using world = startWorld(1);
  const [store] = world.stores;
  await store!.createSession(KEY);
  world.takeCalls();
  const opening = { ...record("0"), invocationId: "invocation of run" };
  const { lease } = await started(store!, "run", { opening, idempotencyKey: "key" });
  expect(world.takeCalls()).toEqual(["read", "commit"]);
  await store!.append({ lease, leaseMs: LEASE_MS, afterRevision: 1, events: [record("1", { a: 1, "user:b": 2 })] });
  expect(world.takeCalls()).toEqual(["commit"]);
  await store!.finish({ lease, afterRevision: 2, events: [record("2")], status: "succeeded" });
  expect(world.takeCalls()).toEqual(["commit"]);
});

it("reads again once when another process has changed the session, and loses nothing", async () => {
  using world = startWorld(2);
  const [one, other] = world.stores;
  await one!.createSession(KEY);
  const { lease } = await started(one!, "run");
  await other!.applyStateDelta({ ...KEY, stateDelta: { a: 1 }, author: "user", invocationId: "i" });
  world.takeCalls();
  const appended = await one!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
  expect([appended.stored[0]?.sequence, appended.missed.map(({ sequence }) => sequence)]).toEqual([2, [1]]);
  expect(world.takeCalls()).toEqual(["commit", "read", "read", "commit"]);
});

it("does not refuse a writer for what only this process still remembers", async () => {
  using world = startWorld(2);
  const [one, other] = world.stores;
  await one!.createSession(KEY);
  const first = await started(one!, "first");
  await other!.finish({ lease: first.lease, afterRevision: 0, events: [], status: "succeeded" });
  const second = await started(other!, "second");
  await one!.append({ lease: second.lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
  await expect(one!.renew(first.lease, LEASE_MS)).rejects.toMatchObject({ reason: "LEASE_LOST" });
  await other!.deleteSession(KEY);
  await expect(one!.renew(second.lease, LEASE_MS)).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
});

it("gives the lease to exactly one of the runs that begin concurrently in several processes", async () => {
  using world = startWorld(4);
  await world.stores[0]!.createSession(KEY);
  const results = await Promise.all(
    world.stores.flatMap((store, process) =>
      [1, 2, 3].map((n) => store.begin(beginRequest(`run ${process} ${n}`, { holder: `runner ${process} ${n}` }))),
    ),
  );
  const behind = results.flatMap((result) => (result.kind === "queued" ? [result.behind] : []));
  expect([results.filter(({ kind }) => kind === "started").length, new Set(behind).size]).toEqual([1, 11]);
});

it("gives every event of writers in several processes its own place, without gaps", async () => {
  using world = startWorld(3);
  const [first] = world.stores;
  const session = await first!.createSession(KEY);
  await Promise.all(
    world.stores.map(async (store, writer) => {
      for (let n = 0; n < 8; n += 1)
        await store.appendEvent(
          { ...session, events: [], state: {} },
          changing(`${writer}-${n}`, { [`user:${n}`]: n }),
        );
    }),
  );
  const { events } = await first!.listEventRecords(KEY);
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(24);
});

it("makes no change superfluous by what only this process still remembers", async () => {
  using world = startWorld(2);
  const [one, other] = world.stores;
  await one!.createSession(KEY);
  await one!.closeSession(KEY);
  await other!.deleteSession(KEY);
  await other!.createSession(KEY);
  await one!.closeSession(KEY);
  expect(await other!.getSession(KEY)).toMatchObject({ closedTime: NOW });
});

it("lets the writers of one process wait for each other, so that none of them commits in vain", async () => {
  using world = startWorld(1);
  const [store] = world.stores;
  await store!.createSession(KEY);
  world.takeCalls();
  const change = (n: number) =>
    store!.applyStateDelta({ ...KEY, stateDelta: { n }, author: "user", invocationId: String(n) });
  await Promise.all([1, 2, 3, 4, 5, 6].map(change));
  expect(world.takeCalls().filter((call) => call === "commit")).toHaveLength(6);
});

it.each([{}, { numRecentEvents: 2 }])(
  "returns no part of a session that is deleted while it is read, with %j",
  async (config) => {
    using world = startWorld(2);
    const [one, other] = world.stores;
    const session = await one!.createSession(KEY);
    for (const n of [1, 2, 3]) await one!.appendEvent(session, changing(`${n}`, { n }));
    let deletions = 0;
    world.before.read = async (reads) => {
      if (!reads.some(({ kind }) => kind === "events") || deletions > 0) return;
      deletions += 1;
      await other!.deleteSession(KEY);
    };
    expect(await one!.getSession(KEY, config)).toBeUndefined();
    expect(deletions).toBe(1);
  },
);

it("stores the appends of many writers of one session together, in one read and one commit", async () => {
  using world = startWorld(1);
  const [store] = world.stores;
  const session = await store!.createSession(KEY);
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  const copies = await Promise.all(ids.map(() => store!.getSession(KEY)));
  world.takeCalls();
  await Promise.all(ids.map((id, index) => store!.appendEvent(copies[index] ?? session, changing(id, { [id]: 1 }))));
  expect(world.takeCalls()).toEqual(["read", "commit", "read", "commit"]);
  expect(await storedIds(store!)).toEqual(ids.map((id, index) => `${index + 1}:${id}`));
  // The first copies have not seen what came later.
  for (const [index, copy] of copies.entries())
    expect(copy?.events.map(({ id }) => id)).toEqual(index === 0 ? ["0"] : ids.slice(0, index + 1));
});

it("stores what fits into one commit, and the rest with the next ones", async () => {
  using world = startWorld(1);
  const [store] = world.stores;
  const session = await store!.createSession(KEY);
  const ids = Array.from({ length: 40 }, (_, index) => String(index));
  world.takeCalls();
  await Promise.all(ids.map((id) => store!.appendEvent({ ...session, events: [] }, changing(id, {}))));
  expect(world.takeCalls().filter((call) => call === "commit").length).toBe(3);
  const long = ids.slice(0, 3).map((id) => changing(`long ${id}`, { [id]: "x".repeat(200_000) }));
  await Promise.allSettled(long.map((event) => store!.appendEvent({ ...session, events: [] }, event)));
  expect((await storedIds(store!)).slice(0, 40)).toEqual(ids.map((id, index) => `${index + 1}:${id}`));
});

it("tries appends alone if the database does not take them together, and refuses only the one that it cannot take", async () => {
  using world = startWorld(1);
  const [store] = world.stores;
  const session = await store!.createSession(KEY);
  const append = (id: string) => store!.appendEvent({ ...session, events: [] }, changing(id, {}));
  world.before.commit = async (change) => {
    if (change?.events.some(({ id }) => id === "bad")) throw new PlatformError("EVENT_TOO_LARGE", "too large");
  };
  const outcomes = await Promise.allSettled(["1", "2", "bad", "3"].map(append));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  world.before.commit = async () => {
    throw new PlatformError("STORE_UNAVAILABLE", "away");
  };
  world.takeCalls();
  const unavailable = await Promise.allSettled(["4", "5", "6"].map(append));
  expect(unavailable.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  // One for the first, which came alone, and one for the others.
  expect(world.takeCalls().filter((call) => call === "commit").length).toBe(2);
  world.before.commit = undefined;
  await append("7");
  expect(await storedIds(store!)).toEqual(["1:1", "2:2", "3:3", "4:7"]);
});
