import { describe, expect, it } from "vitest";
import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { assertSchema } from "#adapters/postgres/schema/migrate.ts";
import { createPostgresRunTransport } from "#adapters/postgres/streams/postgres-run-transport.ts";
import { runnerGrants } from "#test/helpers/servers/runner-grants.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { usePostgresEnds } from "../postgres-ends.ts";
import { end, event, readAll } from "../runs/run-stream.ts";
import { eventAttributes, span } from "../runs/trace-store.ts";

const SESSION = { appName: "app", userId: "user", id: "session" };
const PLACE = { id: "one", limits: [{ name: "app", max: 1 }], leaseMs: 60_000 };
const TOKENS = { id: "r", leaseMs: 60_000, charges: [{ name: "tokens", window: "day", max: 10, amount: 5 }] } as const;

describe.skipIf(whyNoPostgres() !== undefined)("the role of runners", { timeout: 60_000 }, () => {
  const { open, postgres } = usePostgresEnds((place) => createPostgresRunTransport(place));

  it("publishes, reads streams that it knows, counts and traces, and can read no table", async () => {
    const { ends, places, schema, dispose } = await open();
    await places[0].database.write(runnerGrants("careful", schema));
    await using database = await PostgresDatabase.open({
      pool: { url: postgres.server().url().replace("postgres@", "careful@") },
      schema,
      prepare: assertSchema,
    });
    const runner = createPostgresRunTransport({ database, signals: places[1].signals });
    await runner.runStream.publish("r", [event(1), end(2)]);
    expect(await readAll(ends[0].runStream, "r")).toEqual([event(1), end(2)]);
    expect(await readAll(runner.runStream, "r")).toEqual([event(1), end(2)]);
    await runner.traceStore.record(SESSION, [span(1, { attributes: eventAttributes("e-1") })]);
    expect((await ends[0].traceStore.byEvent({}, "e-1"))?.name).toBe("span 1");
    expect(await runner.runQuota.take(PLACE, { waits: false })).toMatchObject({ kind: "taken" });
    runner.runQuota.leave(PLACE);
    await expect.poll(() => ends[0].runQuota.count({ names: ["app"] })).toEqual([0]);
    expect(await runner.quotaLedger.reserve(TOKENS)).toMatchObject({ kind: "taken" });
    runner.quotaLedger.settle(TOKENS, [3]);
    await expect
      .poll(async () => (await ends[0].quotaLedger.read({ counts: TOKENS.charges }))[0])
      .toMatchObject({ used: 3, reserved: 0 });
    expect(await runner.quotaLedger.read({ counts: TOKENS.charges })).toMatchObject([{ used: 3 }]);
    await database.read("SELECT fairlead.empty_next_slots()");
    for (const table of [
      "stream_batches",
      "stream_batches_0",
      "trace_spans",
      "idempotency_keys",
      "sessions",
      "events",
      "rows",
    ])
      await expect(database.read(`SELECT FROM fairlead.${table}`)).rejects.toMatchObject({ cause: { code: "42501" } });
    await expect(runner.idempotencyStore.claim("k", "print")).rejects.toMatchObject({ cause: { code: "42501" } });
    await runner[Symbol.asyncDispose]();
    await dispose();
  });

  it("learns from no signal what a stream is called", async () => {
    const { ends, places, dispose } = await open();
    const texts: string[] = [];
    using _ = places[1].signals.add({ receive: (_kind, text) => void texts.push(text), hear: () => {} });
    await ends[0].runStream.publish("r", [event(1), end(2)], { session: SESSION });
    await expect.poll(() => texts.length).toBe(2);
    const [{ streams }] = (await places[0].database.read(
      "SELECT array_agg(stream) AS streams FROM fairlead.stream_batches",
    )) as [{ readonly streams: readonly string[] }];
    expect(streams).toHaveLength(1);
    expect(texts).not.toContain(streams[0]);
    await dispose();
  });
});
