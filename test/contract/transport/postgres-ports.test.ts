import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PostgresEndedSessions } from "#adapters/postgres/streams/postgres-ended-sessions.ts";
import { PostgresIdempotencyStore } from "#adapters/postgres/streams/postgres-idempotency-store.ts";
import { PostgresRunNotifications } from "#adapters/postgres/streams/postgres-run-notifications.ts";
import { PostgresRunQuota } from "#adapters/postgres/streams/postgres-run-quota.ts";
import { PostgresTraceStore } from "#adapters/postgres/streams/postgres-trace-store.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { usePostgresEnds } from "../postgres-ends.ts";
import { idempotencyStoreContract } from "../runs/idempotency-store.ts";
import { runNotificationsContract } from "../runs/run-notifications.ts";
import { runQuotaContract } from "../runs/run-quota.ts";
import { eventAttributes, span, traceId, traceStoreContract } from "../runs/trace-store.ts";

const whyNot = whyNoPostgres();
const SESSION = { appName: "app", userId: "user", id: "session" };
/** Renewed in time also when this process stands still for a second. */
const SHORT_MS = 1500;
const APP = { name: "app", max: 1 };
const TRY = { waits: false } as const;

describe.skipIf(whyNot !== undefined)("PostgresIdempotencyStore", { timeout: 60_000 }, () => {
  const { open } = usePostgresEnds(({ database }) => new PostgresIdempotencyStore({ database }));
  idempotencyStoreContract({
    create: async () => {
      const { ends, dispose } = await open();
      return { service: ends[0], dispose };
    },
  });

  it("lets a claim go that is never completed, and keeps an answer longer", async () => {
    const { ends, places, dispose } = await open();
    await ends[0].claim("lost", "print");
    await ends[0].claim("done", "print");
    await ends[0].complete("done", { fingerprint: "print", answer: "yes" });
    await places[0].database.write("UPDATE fairlead.idempotency_keys SET expires = expires - 60000");
    expect(await ends[1].claim("lost", "other")).toBeUndefined();
    expect(await ends[1].claim("done", "other")).toEqual({ fingerprint: "print", answer: "yes", isDone: true });
    await dispose();
  });
});

describe.skipIf(whyNot !== undefined)("PostgresRunNotifications", { timeout: 60_000 }, () => {
  const { open } = usePostgresEnds(({ signals }) => new PostgresRunNotifications({ signals }));
  runNotificationsContract({
    create: async () => ({ ...(await open()), settle: async () => {} }),
  });

  it("arrive in their order if they need many payloads, and one that no payload can have is left out", async () => {
    const { ends, dispose } = await open();
    const runIds = Array.from({ length: 3000 }, (_, index) => `run-${index}-${"ü".repeat(10)}`);
    const received: string[] = [];
    using _ = ends[1].onNotify(({ runId }) => void received.push(runId));
    ends[0].notify({ kind: "ended", runId: "x".repeat(8000) });
    for (const runId of runIds) ends[0].notify({ kind: "ended", runId });
    await expect.poll(() => received.length).toBe(runIds.length);
    expect(received).toEqual(runIds);
    await dispose();
  });
});

describe.skipIf(whyNot !== undefined)("PostgresTraceStore", { timeout: 60_000 }, () => {
  const { open } = usePostgresEnds(({ database }) => new PostgresTraceStore({ database }));
  traceStoreContract({
    create: async () => {
      const { ends, dispose } = await open();
      return { service: ends[0], dispose };
    },
  });

  it("leaves out spans beyond a trace's limits, and traces beyond a session's", async () => {
    const { places, dispose } = await open();
    const { database } = places[0];
    const few = new PostgresTraceStore({ database, maxSpansPerTrace: 3 });
    await few.record(SESSION, [span(1), span(2)]);
    await few.record(SESSION, [span(3), span(4)]);
    expect((await few.bySession({}, "session")).map(({ name }) => name)).toEqual(["span 1", "span 2", "span 3"]);
    const small = new PostgresTraceStore({ database, maxBytesPerTrace: 400 });
    const other = { ...SESSION, id: "small" };
    await small.record(other, [span(1), span(2), span(3)]);
    expect((await small.bySession({}, "small")).length).toBe(2);
    const newest = new PostgresTraceStore({ database, maxTracesPerSession: 2 });
    const many = { ...SESSION, id: "many" };
    for (const number of [1, 2, 3]) await newest.record(many, [span(number, { traceId: traceId(number) })]);
    expect((await newest.bySession({}, "many")).map(({ name }) => name)).toEqual(["span 2", "span 3"]);
    await dispose();
  });

  it("finds no span after its time", async () => {
    const { places, dispose } = await open();
    const { database } = places[0];
    const store = new PostgresTraceStore({ database, ttlMs: 60_000 });
    await store.record(SESSION, [span(1, { attributes: eventAttributes("e-1") })]);
    expect(await store.byEvent({}, "e-1")).toBeDefined();
    await database.write("UPDATE fairlead.trace_spans SET written = written - 60000");
    expect([await store.byEvent({}, "e-1"), await store.bySession({}, "session")]).toEqual([undefined, []]);
    await dispose();
  });
});

describe.skipIf(whyNot !== undefined)("PostgresEndedSessions", { timeout: 60_000 }, () => {
  const { open } = usePostgresEnds(({ database }) => new PostgresEndedSessions({ database }));

  it("have ended for every process and in their tenant alone, until their time", async () => {
    const { ends, dispose } = await open();
    await ends[0].add({ id: "one" }, 60_000);
    await ends[0].add({ id: "short" }, 1);
    await expect.poll(() => ends[1].has({ id: "short" })).toBe(false);
    expect([
      await ends[1].has({ id: "one" }),
      await ends[1].has({ id: "one", tenantId: "acme" }),
      await ends[1].has({ id: "other" }),
    ]).toEqual([true, false, false]);
    // A shorter time given later does not end it sooner.
    await ends[0].add({ id: "one" }, 1);
    await pause(5);
    expect(await ends[1].has({ id: "one" })).toBe(true);
    await dispose();
  });
});

describe.skipIf(whyNot !== undefined)("PostgresRunQuota", { timeout: 60_000 }, () => {
  const { open } = usePostgresEnds((place) => new PostgresRunQuota(place));
  runQuotaContract({ create: async () => ({ ...(await open()), pass: (ms: number) => pause(ms) }) });

  it("lets the place of a lost process go with its lease, and keeps a place for as long as it is held", async () => {
    const { ends, dispose } = await open();
    const place = { limits: [APP], leaseMs: SHORT_MS };
    await ends[0].take({ ...place, id: "held" }, TRY);
    await pause(2 * SHORT_MS);
    expect(await ends[1].take({ ...place, id: "next" }, TRY)).toEqual({ kind: "full", limit: APP });
    await ends[0][Symbol.asyncDispose]();
    await expect.poll(async () => (await ends[1].take({ ...place, id: "next" }, TRY)).kind).toBe("taken");
    await dispose();
  });

  it("is not sure after the server has lost the places until all runners can have reported their places", async () => {
    const { ends, places, dispose } = await open();
    const place = { limits: [APP], leaseMs: SHORT_MS };
    await ends[0].take({ ...place, id: "held" }, TRY);
    // A crash of the server does the same to tables that are not logged.
    await places[0].database.write("TRUNCATE fairlead.run_places, fairlead.run_place_queue, fairlead.run_places_since");
    expect(await ends[1].take({ ...place, id: "too many" }, TRY)).toEqual({ kind: "taken", isSure: false });
    ends[1].leave({ ...place, id: "too many" });
    await expect.poll(() => ends[1].count({ names: ["app"] }), { timeout: 10_000 }).toEqual([1]);
    expect(await ends[1].take({ ...place, id: "next" }, TRY)).toEqual({ kind: "full", limit: APP });
    ends[0].leave({ ...place, id: "held" });
    await pause(SHORT_MS);
    expect(await ends[1].take({ ...place, id: "next" }, TRY)).toEqual({ kind: "taken", isSure: true });
    await dispose();
  });
});
