import { expect, it } from "vitest";
import { changeRows, MAX_ATTEMPTS, untilCommitted } from "./change-rows.ts";
import { InMemoryRowTable } from "./in-memory-row-table.ts";

const CONTENDED = { reason: "STORE_UNAVAILABLE" };

it("removes no row that another writer has created since it was missing", async () => {
  const table = new InMemoryRowTable();
  await changeRows(table, ["a"], async (rows) => {
    expect(rows.size).toBe(0);
    await table.commit([{ key: "a", value: { by: "other" } }]);
    return { writes: [{ key: "a", value: undefined }], result: undefined };
  });
  expect((await table.read(["a"])).get("a")?.value).toEqual({ by: "other" });
});

it("decides again on what another writer has changed, and returns that result", async () => {
  const table = new InMemoryRowTable();
  await table.commit([{ key: "n", value: { n: 1 } }]);
  let decisions = 0;
  const result = await changeRows(table, ["n"], async (rows) => {
    decisions += 1;
    const n = Number(rows.get("n")?.value["n"]);
    if (decisions === 1) await table.commit([{ key: "n", value: { n: 10 } }]);
    return { writes: [{ key: "n", value: { n: n + 1 } }], result: n };
  });
  expect([result, decisions, (await table.read(["n"])).get("n")?.value]).toEqual([10, 2, { n: 11 }]);
});

it("repeats the first lost attempt at once, the others after pauses, and gives up", async () => {
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => void pauses.push(milliseconds);
  let attempts = 0;
  const lose = async () => {
    attempts += 1;
    return attempts === MAX_ATTEMPTS ? { value: "last" } : undefined;
  };
  expect(await untilCommitted(lose, pause)).toBe("last");
  expect([attempts, pauses.length]).toEqual([MAX_ATTEMPTS, MAX_ATTEMPTS - 2]);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(250);
  pauses.length = 0;
  await expect(untilCommitted(async () => undefined, pause, 25)).rejects.toMatchObject(CONTENDED);
  expect([pauses.length, Math.max(...pauses) <= 25]).toEqual([10 * MAX_ATTEMPTS - 1, true]);
  await expect(untilCommitted(async () => undefined, pause)).rejects.toMatchObject(CONTENDED);
  expect(await untilCommitted(async () => ({ value: undefined }))).toBeUndefined();
});
