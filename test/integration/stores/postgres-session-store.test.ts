import { describe, expect, it } from "vitest";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import {
  beginRequest,
  changing,
  KEY,
  LEASE_MS,
  NOW,
  OWNER,
  record,
  said,
  started,
} from "#test/contract/sessions/session-world.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { PgBouncer, whyNoPgBouncer } from "#tooling/emulators/pg-bouncer.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";

const WIDE_LIMITS = { maxStateBytes: 2 ** 20, maxStateKeys: 1_000, maxImportedEvents: 10_000 };
const isMissing = whyNoPostgres() !== undefined;

describe.skipIf(isMissing)("PostgresSessionStore", { timeout: 120_000 }, () => {
  const { newSchema, openDatabase, server } = usePostgres();

  /** Stores over one schema, as in several processes, and their statements. */
  async function startWorld(stores = 1, url = server().url()) {
    const calls: string[] = [];
    const schema = newSchema();
    const clock = new FixedClock(NOW);
    const databases = await Promise.all(
      Array.from({ length: stores }, () =>
        openDatabase({ schema, pool: { url, maxConnections: 4 }, observeCall: (text) => calls.push(text) }),
      ),
    );
    return {
      clock,
      database: databases[0]!,
      stores: databases.map(
        (database, index) =>
          new PostgresSessionStore({ database, clock, limits: WIDE_LIMITS, ids: new SequentialIds(`id${index}`) }),
      ),
      /** Whether the statements since the last look read or write. */
      takeCalls: () => calls.splice(0).map((text) => (/INSERT|UPDATE|DELETE/.test(text) ? "write" : "read")),
      [Symbol.asyncDispose]: async () => {
        await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
      },
    };
  }

  it("makes a turn of one statement that reads and two that write, whatever the length of the history", async () => {
    verifies("postgres:round-trips");
    await using world = await startWorld();
    const [store] = world.stores;
    const history = Array.from({ length: 300 }, (_, index) => said(`h${index}`));
    await store!.createSession({ ...KEY, events: history, state: { "app:a": 1 } });
    world.takeCalls();
    const { lease } = await started(store!, "run", {
      haveRevision: 300,
      idempotencyKey: "key",
      opening: { ...record("0", { c: 3, "app:c": 3 }), invocationId: "invocation of run" },
    });
    expect(world.takeCalls()).toEqual(["read", "write"]);
    await store!.append({ lease, leaseMs: LEASE_MS, afterRevision: 301, events: [record("1", { a: 1, "user:b": 2 })] });
    expect(world.takeCalls()).toEqual(["write"]);
    await store!.renew(lease, LEASE_MS);
    expect(world.takeCalls()).toEqual(["write"]);
    await store!.finish({ lease, afterRevision: 302, events: [record("2")], status: "succeeded" });
    expect(world.takeCalls()).toEqual(["write"]);
    await store!.getHeads([KEY, { ...KEY, id: "a" }, KEY]);
    expect(world.takeCalls()).toEqual(["read"]);
    await store!.listSessions({ ...OWNER, pageSize: 50 });
    expect(world.takeCalls()).toEqual(["read", "read"]);
    await store!.deleteSession(KEY);
    expect(world.takeCalls()).toEqual(["write"]);
  });

  it("stores the changes of sessions that arrive together in one statement", async () => {
    verifies("postgres:shared-commits");
    await using world = await startWorld();
    const [store] = world.stores;
    const keys = Array.from({ length: 40 }, (_, index) => ({ ...KEY, id: `session ${index}` }));
    await Promise.all(keys.map((key) => store!.createSession(key)));
    const leases = await Promise.all(
      keys.map(async (session) => (await started(store!, `run of ${session.id}`, { session })).lease),
    );
    world.takeCalls();
    const events = [record("1", { own: 1, "user:shared": 1, "app:shared": 1 })];
    await Promise.all(leases.map((lease) => store!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events })));
    expect(world.takeCalls()).toEqual(["write"]);
    const sessions = await Promise.all(keys.map((key) => store!.getSession(key)));
    const state = { own: 1, "user:shared": 1, "app:shared": 1 };
    expect(sessions.map((session) => [session?.revision, session?.state])).toEqual(keys.map(() => [1, state]));
  });

  it("loses the precondition of one change of a statement, and stores the others", async () => {
    verifies("postgres:shared-commits");
    await using world = await startWorld(2);
    const [one, other] = world.stores;
    const keys = ["a", "b", "c"].map((id) => ({ ...KEY, id }));
    for (const key of keys) await one!.createSession(key);
    const runs = await Promise.all(keys.map((session) => started(one!, `run of ${session.id}`, { session })));
    // What `one` remembers of session b is out of date.
    await other!.applyStateDelta({ ...KEY, id: "b", stateDelta: { by: "other" }, author: "user", invocationId: "i" });
    world.takeCalls();
    const appended = await Promise.all(
      runs.map(({ lease }) =>
        one!.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1", { by: "one" })] }),
      ),
    );
    expect(appended.map(({ revision, missed }) => [revision, missed.length])).toEqual([
      [1, 0],
      [2, 1],
      [1, 0],
    ]);
    // The statement of all three, then the attempt that session b needs again.
    expect(world.takeCalls()).toEqual(["write", "read", "read", "write"]);
  });

  it("stores nothing of a change whose run exists, and everything of those beside it", async () => {
    verifies("postgres:shared-commits");
    await using world = await startWorld(2);
    const [one, other] = world.stores;
    for (const id of ["a", "b", "c"]) await one!.createSession({ ...KEY, id });
    const begin = (store: PostgresSessionStore, id: string, runId: string) =>
      store.begin(
        beginRequest(runId, {
          session: { ...KEY, id },
          opening: { ...record(`opening of ${runId}`, { [runId]: 1 }), invocationId: `invocation of ${runId}` },
        }),
      );
    // Both read that there is no run x; one of the two is too late.
    const results = await Promise.allSettled([
      begin(one!, "a", "run a"),
      begin(one!, "b", "x"),
      begin(other!, "c", "x"),
      begin(other!, "a", "run of other"),
    ]);
    const [taken] = results.filter(({ status }) => status === "rejected");
    expect(results.filter(({ status }) => status === "rejected").length).toBe(1);
    expect(taken).toMatchObject({ reason: { reason: "INVALID_FIELD" } });
    const sessions = await Promise.all(["a", "b", "c"].map((id) => one!.getSession({ ...KEY, id })));
    expect(sessions[0]?.events.length).toBe(1);
    const [b, c] = sessions.slice(1).map((session) => [session?.events.length, session?.state]);
    expect([b, c]).toContainEqual([1, { x: 1 }]);
    expect([b, c]).toContainEqual([0, {}]);
  });

  it("keeps every session whole while several processes write to many of them at the same time", async () => {
    await using world = await startWorld(3);
    const keys = Array.from({ length: 12 }, (_, index) => ({ ...KEY, id: `session ${index}` }));
    await Promise.all(keys.map((key) => world.stores[0]!.createSession(key)));
    const acknowledged = new Map(keys.map(({ id }) => [id, [] as string[]]));
    await Promise.all(
      world.stores.flatMap((store, process) =>
        keys.map(async (key, index) => {
          const session = { ...key, state: {}, events: [], lastUpdateTime: 0, revision: 0 };
          for (let n = 0; n < 6; n += 1) {
            const id = `${process}-${index}-${n}`;
            const delta = { last: id, [`by ${process}`]: n, "user:last": id, "app:last": id };
            await store.appendEvent(
              { ...session, events: [] },
              changing(id, n === 3 ? { ...delta, gone: null } : delta),
            );
            acknowledged.get(key.id)?.push(id);
          }
        }),
      ),
    );
    const last = new Set<unknown>();
    for (const key of keys) {
      const session = await world.stores[0]!.getSession(key);
      const ids = session?.events.map(({ id }) => id) ?? [];
      expect([...ids].sort()).toEqual([...(acknowledged.get(key.id) ?? [])].sort());
      expect(session?.revision).toBe(18);
      // The state is the one after the last event, of no other one.
      expect(session?.state).toMatchObject({ last: ids.at(-1), "by 0": 5, "by 1": 5, "by 2": 5 });
      last.add(session?.state["user:last"]).add(session?.state["app:last"]);
    }
    expect(last.size).toBeLessThanOrEqual(2);
    const [{ gaps } = { gaps: -1 }] = await world.database.read<{ readonly gaps: number }>(
      `SELECT count(*) AS gaps FROM fairlead.sessions AS s
       WHERE revision <> (SELECT max(sequence) FROM fairlead.events AS e WHERE e.sid = s.sid)
          OR revision <> (SELECT count(*) FROM fairlead.events AS e WHERE e.sid = s.sid)`,
    );
    expect(gaps).toBe(0);
  });

  it("lets no process starve that writes to one session with others", async () => {
    verifies("postgres:turns");
    await using world = await startWorld(4);
    await world.stores[0]!.createSession(KEY);
    const acknowledged: string[] = [];
    const overtaken: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        const session = await world.stores[writer % 4]!.getSession(KEY);
        for (let n = 0; n < 15; n += 1) {
          const before = acknowledged.length;
          await world.stores[writer % 4]!.appendEvent(session!, said(`${writer}-${n}`));
          overtaken.push(acknowledged.length - before);
          acknowledged.push(`${writer}-${n}`);
        }
      }),
    );
    const session = await world.stores[0]!.getSession(KEY);
    expect(session?.events.map(({ id }) => id).sort()).toEqual(acknowledged.sort());
    // Each of the other writers has a few turns while one waits for its own.
    expect(Math.max(...overtaken)).toBeLessThan(100);
    // Alone again, a process looks for the id of the event, and writes: it takes no turn.
    const alone = await world.stores[0]!.getSession(KEY);
    for (const id of ["a", "b", "c"]) await world.stores[0]!.appendEvent(alone!, said(id));
    world.takeCalls();
    await world.stores[0]!.appendEvent(alone!, said("d"));
    expect(world.takeCalls()).toEqual(["read", "write"]);
  });

  it("takes a session's row from a process that stands still in its turn", async () => {
    verifies("postgres:turns");
    await using world = await startWorld(1);
    const [store] = world.stores;
    await store!.createSession(KEY);
    const stopped = Promise.withResolvers<undefined>();
    const holds = Promise.withResolvers<undefined>();
    const frozen = world.database.transaction(async (run) => {
      await run("UPDATE fairlead.sessions SET version = version");
      holds.resolve(undefined);
      await stopped.promise;
      return run("UPDATE fairlead.sessions SET version = version + 1");
    }, 300);
    const ended = frozen.then(
      () => "stored",
      (error: unknown) => error,
    );
    await holds.promise;
    const session = await store!.getSession(KEY);
    await store!.appendEvent(session!, said("a"));
    stopped.resolve(undefined);
    expect(await ended).toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect((await store!.getSession(KEY))?.events.length).toBe(1);
  });

  it("deletes a session of many events in pages, and what a killed process has left", async () => {
    await using world = await startWorld();
    const [store] = world.stores;
    const events = Array.from({ length: 2_500 }, (_, index) => said(`e${index}`));
    await store!.createSession({ ...KEY, events });
    await world.database.write("INSERT INTO fairlead.removed_sessions VALUES (4711)");
    await world.database.write(
      `INSERT INTO fairlead.events SELECT 4711, n, '[]', 0, false, NULL, '{}' FROM generate_series(1, 1500) AS n`,
    );
    await store!.deleteSession(KEY);
    const left = await world.database.read(
      "SELECT sid FROM fairlead.events UNION SELECT sid FROM fairlead.removed_sessions",
    );
    expect(left).toEqual([]);
  });

  it.each(["a pass of retention", "a deletion of a user's data"])(
    "%s removes what a process has left that was killed while it deleted a session",
    async (what) => {
      verifies("retention:resumes");
      await using world = await startWorld();
      const [store] = world.stores;
      await store!.createSession(KEY);
      await world.database.write("INSERT INTO fairlead.removed_sessions VALUES (4711)");
      await world.database.write(
        `INSERT INTO fairlead.events SELECT 4711, n, '[]', 0, false, NULL, '{}' FROM generate_series(1, 1500) AS n`,
      );
      if (what === "a pass of retention") await store!.listIdleSessions({ updatedBefore: 0, pageSize: 10 });
      else await store!.deleteData({ tenantId: "default", userId: "other", limit: 10 });
      const left = await world.database.read(
        "SELECT sid FROM fairlead.events UNION SELECT sid FROM fairlead.removed_sessions",
      );
      expect([left, (await store!.getSession(KEY))?.id]).toEqual([[], KEY.id]);
    },
  );

  it("writes a head within its page while its time stays in a step of ten seconds", async () => {
    await using world = await startWorld();
    const [store] = world.stores;
    await store!.createSession(KEY);
    const { lease } = await started(store!, "run");
    for (let n = 0; n < 20; n += 1)
      await store!.append({ lease, leaseMs: LEASE_MS, afterRevision: n, events: [record(`${n}`)] });
    await expect
      .poll(async () => {
        const [row] = await world.database.read<{ readonly updates: number; readonly hot: number }>(
          `SELECT n_tup_upd AS updates, n_tup_hot_upd AS hot FROM pg_stat_user_tables
           WHERE schemaname = $1 AND relname = 'sessions'`,
          [world.database.schema],
        );
        return row;
      })
      .toEqual({ updates: 21, hot: 21 });
  });

  it("lists in the order of times whatever their steps, by pages", async () => {
    await using world = await startWorld();
    const [store] = world.stores;
    const times = [0, 1, 9_999, 10_000, 10_001, 25_000, 25_000, 25_001].map((time) => NOW + time);
    for (const [index, timestamp] of times.entries())
      await store!.createSession({ ...KEY, id: `s${index}`, events: [said("e", { timestamp })] });
    const listed: string[] = [];
    for (let pageToken: string | undefined; ; ) {
      const page = await store!.listSessions({ ...OWNER, pageSize: 3, pageToken });
      listed.push(...page.sessions.map(({ id }) => id));
      pageToken = page.nextPageToken;
      if (pageToken === undefined) break;
    }
    expect(listed).toEqual(["s7", "s5", "s6", "s4", "s3", "s2", "s1", "s0"]);
  });

  it.skipIf(isMissing || whyNoPgBouncer() !== undefined)("works through PgBouncer in transaction mode", async () => {
    verifies("postgres:pooler");
    await using bouncer = await PgBouncer.start(server(), 2);
    await using world = await startWorld(2, bouncer.url);
    const keys = Array.from({ length: 10 }, (_, index) => ({ ...KEY, id: `session ${index}` }));
    await Promise.all(keys.map((key) => world.stores[0]!.createSession(key)));
    await Promise.all(
      keys.flatMap((key) =>
        world.stores.map(async (store, process) => {
          const session = { ...key, state: {}, events: [], lastUpdateTime: 0, revision: 0 };
          for (let n = 0; n < 5; n += 1)
            await store.appendEvent({ ...session, events: [] }, changing(`${process}-${n}`, { "user:n": n }));
        }),
      ),
    );
    const sessions = await Promise.all(keys.map((key) => world.stores[1]!.getSession(key)));
    expect(new Set(sessions.map((session) => session?.events.length))).toEqual(new Set([10]));
  });
});
