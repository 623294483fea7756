import { describe, expect, it } from "vitest";
import type { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { usePostgresEnds } from "../postgres-ends.ts";

const HOUR_S = 3600;

interface Moment {
  readonly slot: number;
  /** Whether the slot has passed less than half. */
  readonly isEarly: boolean;
}

async function momentOf(database: PostgresDatabase, seconds: number): Promise<Moment> {
  const [row] = await database.read<Moment>(
    `SELECT fairlead.slot($1) AS slot, fairlead.now_ms() % ($1::bigint * 1000) <= $1::bigint * 500 AS "isEarly"`,
    [seconds],
  );
  return row ?? { slot: -1, isEarly: false };
}

describe.skipIf(whyNoPostgres() !== undefined)("the partitions of the transport", { timeout: 60_000 }, () => {
  const { open } = usePostgresEnds(() => undefined);

  it("are emptied before they are written again, and no earlier", async () => {
    const { places, dispose } = await open();
    const [{ database }, other] = places;
    const insert = `INSERT INTO fairlead.trace_spans
      (slot, tenant_id, app_name, user_id, session_id, trace_id, start_time, written, place, json)
      SELECT slot, 't', 'a', 'u', 's', 'trace', 0, 0, 0, '{}' FROM generate_series(0, 2) AS slot`;
    let [before, after]: Moment[] = [];
    let kept: readonly { readonly slot: number }[] = [];
    // Again if an hour ends meanwhile.
    do {
      await database.write("TRUNCATE fairlead.trace_spans");
      await database.write(insert);
      before = await momentOf(database, HOUR_S);
      // Both may do it at the same time.
      await Promise.all(places.map((place) => place.database.read("SELECT fairlead.empty_next_slots()")));
      kept = await other.database.read("SELECT slot FROM fairlead.trace_spans ORDER BY slot");
      after = await momentOf(database, HOUR_S);
    } while (before.slot !== after.slot || before.isEarly !== after.isEarly);
    const next = (before.slot + 1) % 3;
    expect(kept.map(({ slot }) => slot)).toEqual([0, 1, 2].filter((slot) => !before.isEarly || slot !== next));
    await dispose();
  });

  it("leave no rows that have expired in the other tables", async () => {
    const { places, dispose } = await open();
    const [{ database }] = places;
    await database.write("INSERT INTO fairlead.run_places VALUES ('t', 'n', 'old', 1), ('t', 'n', 'new', 9e15)");
    await database.write("INSERT INTO fairlead.ended_sessions VALUES ('t', 'old', 1), ('t', 'new', 9e15)");
    await database.write(
      "INSERT INTO fairlead.quota_counts VALUES ('t', 'old', 'day', 0, 1, 5), ('t', 'new', 'day', 0, 9e15, 5)",
    );
    await database.read("SELECT fairlead.empty_next_slots()");
    const left = await database.read(
      `SELECT id AS name FROM fairlead.run_places UNION ALL SELECT id FROM fairlead.ended_sessions
       UNION ALL SELECT name FROM fairlead.quota_counts`,
    );
    expect(left).toEqual([{ name: "new" }, { name: "new" }, { name: "new" }]);
    await dispose();
  });

  it("are in no write-ahead log if a crash may empty them, and are in it otherwise", async () => {
    const { places, dispose } = await open();
    const tables = await places[0].database.read<{ readonly name: string; readonly kind: string }>(
      `SELECT relname AS name, relpersistence AS kind FROM pg_class
       WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'fairlead.run_places'::regclass)`,
    );
    const unlogged = tables.filter(({ kind }) => kind === "u").map(({ name }) => name.replace(/_\d$/, ""));
    expect([...new Set(unlogged)].toSorted()).toEqual([
      "quota_reservations",
      "run_place_queue",
      "run_places",
      "run_places_since",
      "stream_batches",
      "trace_spans",
    ]);
    await dispose();
  });
});
