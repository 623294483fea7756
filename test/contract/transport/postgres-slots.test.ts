import { describe, expect, it } from "vitest";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { usePostgresEnds } from "../postgres-ends.ts";

const HOUR_MS = 3_600_000;

describe.skipIf(whyNoPostgres() !== undefined)("the partitions of the transport", { timeout: 60_000 }, () => {
  const { open } = usePostgresEnds(() => undefined);

  it.each([
    ["the first half of the first hour", 0, [0, 2]],
    ["the second half of it", 0.75 * HOUR_MS, [0, 1, 2]],
    ["the first half of the third hour", 2.25 * HOUR_MS, [1, 2]],
    ["the first half of the fifth hour", 4.25 * HOUR_MS, [0, 1]],
  ])("are emptied before they are written again, and no earlier: in %s", async (_, now, left) => {
    const { places, dispose } = await open();
    const [{ database }] = places;
    await database.write(`INSERT INTO fairlead.trace_spans
      (slot, tenant_id, app_name, user_id, session_id, trace_id, start_time, written, place, json)
      SELECT slot, 't', 'a', 'u', 's', 'trace', 0, 0, 0, '{}' FROM generate_series(0, 2) AS slot`);
    // Several processes may do it at the same time.
    await Promise.all(places.map((place) => place.database.read("SELECT fairlead.empty_slots_after($1)", [now])));
    const kept = await database.read<{ readonly slot: number }>("SELECT slot FROM fairlead.trace_spans ORDER BY slot");
    expect(kept.map(({ slot }) => slot)).toEqual(left);
    await dispose();
  });

  it("are written by the hour of the server's clock", async () => {
    const { places, dispose } = await open();
    const [row] = await places[0].database.read<{ readonly slots: readonly number[] }>(
      "SELECT ARRAY[fairlead.slot(3600), fairlead.now_ms() / 3600000 % 3]::integer[] AS slots",
    );
    // Only at the end of an hour can they differ, by one.
    const [slot = 0, expected = 1] = row?.slots ?? [];
    expect([slot, (slot + 1) % 3]).toContain(expected);
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
