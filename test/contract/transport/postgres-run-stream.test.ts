import { describe, expect, it } from "vitest";
import { PostgresRunStream } from "#adapters/postgres/streams/postgres-run-stream.ts";
import { PostgresSignals } from "#adapters/postgres/streams/signals.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import { MetricRegistry } from "#shared/metrics/metric-registry.ts";
import { addPostgresMetrics } from "#shared/transport/postgres-metrics.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { usePostgresEnds } from "../postgres-ends.ts";
import { end, event, events, type RunStreamContract, readAll, runStreamContract } from "../runs/run-stream.ts";
import { runStreamTenantsContract } from "../runs/run-stream-tenants.ts";

describe.skipIf(whyNoPostgres() !== undefined)("PostgresRunStream", { timeout: 60_000 }, () => {
  const { open, postgres } = usePostgresEnds((place) => new PostgresRunStream(place));
  const contract: RunStreamContract = {
    create: async () => {
      const { ends, dispose } = await open();
      return { service: ends[0], dispose };
    },
  };
  runStreamContract(contract);
  runStreamTenantsContract(contract);

  it("makes readers of another process look at the record, under the run's key alone", async () => {
    const { ends, dispose } = await open();
    const [publisher, other] = ends;
    const name = { streamKey: newStreamKey() };
    const controller = new AbortController();
    const reader = other.subscribe("r", { ...name, signal: controller.signal })[Symbol.asyncIterator]();
    await publisher.publish("r", [event(1)], name);
    expect((await reader.next()).value).toEqual([event(1)]);
    publisher.recheck("r");
    await publisher.publish("r", [event(2)], name);
    expect((await reader.next()).value).toEqual([event(2)]);
    publisher.recheck("r", name);
    expect((await reader.next()).value).toEqual([{ kind: "resync" }]);
    controller.abort();
    await dispose();
  });

  it("writes what all runs publish in the meantime by one statement, and notifies once", async () => {
    const { ends, places, dispose } = await open();
    const received: string[] = [];
    using _ = places[1].signals.add({ receive: (kind) => void received.push(kind), hear: () => {} });
    const runs = Array.from({ length: 50 }, (_, index) => `run-${index}`);
    const reading = runs.map((run) => readAll(ends[1], run));
    const [before] = await places[0].database.read<{ readonly xid: number }>("SELECT txid_current() AS xid");
    await Promise.all(runs.map((run) => ends[0].publish(run, events(1, 3))));
    await Promise.all(runs.map((run) => ends[0].publish(run, [end(4)])));
    const [after] = await places[0].database.read<{ readonly xid: number }>("SELECT txid_current() AS xid");
    expect(await Promise.all(reading)).toEqual(runs.map(() => [...events(1, 3), end(4)]));
    await expect.poll(() => received.length).toBe(100);
    // Of 100 batches: a few statements, as many notifications, and the ones that count them.
    expect((after?.xid ?? 0) - (before?.xid ?? 0)).toBeLessThan(15);
    await dispose();
  });

  it("counts its statements and signals, and shows its connections", async () => {
    const { ends, places, dispose } = await open();
    const [{ database, signals }, other] = places;
    const registry = new MetricRegistry();
    addPostgresMetrics(registry, { database, signals });
    const before = { ...database.load, ...signals.counts };
    const received = other.signals.counts.received;
    const reading = readAll(ends[1], "r");
    await ends[0].publish("r", [event(1), end(2)]);
    await reading;
    await expect(database.read("SELECT no_such_column")).rejects.toThrow();
    await expect.poll(() => other.signals.counts.received).toBeGreaterThan(received);
    await expect.poll(() => database.load.busy).toBe(0);
    const { statements, refused, idle, waiting } = database.load;
    expect([statements > before.statements, refused - before.refused, idle > 0, waiting]).toEqual([true, 1, true, 0]);
    expect(signals.counts.sent).toBeGreaterThan(before.sent);
    const values = new Map(
      [...registry.families].flatMap(({ name, read }) =>
        read().map((sample) => [`${name} ${Object.values(sample.labels)}`, sample.value]),
      ),
    );
    expect(values.get("fairlead_postgres_statements_total refused")).toBe(refused);
    expect(values.get("fairlead_postgres_signal_losses_total ")).toBe(0);
    const gone = places[1].signals.counts.losses;
    await other.database.read(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fairlead listen'",
    );
    await expect.poll(() => other.signals.counts.losses).toBeGreaterThan(gone);
    await dispose();
  });

  it("gives a reader that comes late the newest entries alone of a run that is over its limit", async () => {
    const { ends, places, dispose } = await open();
    await using publisher = new PostgresRunStream({ ...places[0], maxBytesPerRun: 3000 });
    const long = (n: number) => ({ ...event(n), json: JSON.stringify("x".repeat(1000)) });
    for (let n = 1; n <= 10; n += 1) await publisher.publish("r", [long(n)]);
    await publisher.publish("r", [end(11)]);
    const entries = await readAll(ends[1], "r");
    expect(entries.map((entry) => (entry.kind === "resync" ? "resync" : entry.n))).toEqual(["resync", 9, 10, 11]);
    await dispose();
  });

  it("reads a run of many megabytes in pages", async () => {
    const { places, dispose } = await open();
    const [publisher, reader] = places.map(
      (place) => new PostgresRunStream({ ...place, maxBytesPerRun: 20_000_000, maxPendingCharacters: 20_000_000 }),
    );
    const long = (n: number) => ({ ...event(n), json: JSON.stringify("x".repeat(200_000)) });
    await publisher?.publish("r", [...Array.from({ length: 30 }, (_, index) => long(index + 1)), end(31)]);
    const pages = reader?.subscribe("r", { signal: new AbortController().signal }) ?? [];
    const numbers = (await Array.fromAsync(pages)).map((page) =>
      page.map((entry) => entry.kind !== "resync" && entry.n),
    );
    expect(numbers.flat()).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(1);
    for (const stream of [publisher, reader]) await stream?.[Symbol.asyncDispose]();
    await dispose();
  });

  it("gives readers what is published while no signal reaches them, and by signals again afterwards", async () => {
    const { ends, places, schema, dispose } = await open();
    const [publisher] = ends;
    const reconnecting = Promise.withResolvers<void>();
    const address = { connection: { url: postgres.server().url() }, name: "The address" };
    await using signals = await PostgresSignals.open(address, { schema, sleep: () => reconnecting.promise });
    await expect.poll(() => signals.isHearing).toBe(true);
    // No reader reads its log without a reason.
    await using stream = new PostgresRunStream({ database: places[1].database, signals, idleCheckMs: 3_600_000 });
    const reader = stream.subscribe("r", { signal: new AbortController().signal })[Symbol.asyncIterator]();
    await publisher.publish("r", [event(1)]);
    expect((await reader.next()).value).toEqual([event(1)]);
    await places[0].database.read(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fairlead listen'",
    );
    await expect.poll(() => signals.isHearing).toBe(false);
    await publisher.publish("r", [event(2)]);
    expect((await reader.next()).value).toEqual([event(2)]);
    reconnecting.resolve();
    await expect.poll(() => signals.isHearing).toBe(true);
    await publisher.publish("r", [end(3)]);
    expect((await reader.next()).value).toEqual([end(3)]);
    await dispose();
  });

  it("refuses what is published while too much waits already, and says so", async () => {
    const { places, dispose } = await open();
    await using stream = new PostgresRunStream({ ...places[0], maxPendingCharacters: 1000 });
    const first = stream.publish("a", [{ ...event(1), json: JSON.stringify("x".repeat(900)) }]);
    await expect(stream.publish("b", [{ ...event(1), json: JSON.stringify("x".repeat(900)) }])).rejects.toMatchObject({
      reason: "STORE_UNAVAILABLE",
    });
    await first;
    await dispose();
  });
});
