import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { type Outcome, StepTransactions } from "./step-transactions.ts";

/** Notes, written in steps, of a database whose `ROLLBACK` fails as long as the test wants. */
function createNotes() {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE notes (text TEXT)");
  const faults = { rollback: false };
  const exec = database.exec.bind(database);
  database.exec = (sql) => {
    if (sql === "ROLLBACK" && faults.rollback) throw Object.assign(new Error("disk"), { errcode: 10 });
    exec(sql);
  };
  const events: string[] = [];
  const transactions = new StepTransactions(database, () => void events.push("rolled back"));
  const insert = database.prepare("INSERT INTO notes VALUES (?)");
  const step = (text: string, fails = false) => ({
    execute: (): Outcome => {
      insert.run(text);
      if (fails) throw new Error(`${text} fails`);
      return {
        committed: () => void events.push(`${text} committed`),
        settle: () => undefined,
        reject: () => undefined,
      };
    },
    reject: (error: unknown) => void events.push(`${text} rejected: ${error instanceof Error ? error.message : ""}`),
  });
  const notes = () =>
    database
      .prepare("SELECT text FROM notes")
      .all()
      .map((row) => row["text"]);
  return { database, transactions, step, notes, events, faults };
}

it("rolls a transaction back before the next one if that failed at first, and none of its writes are kept", () => {
  const { database, transactions, step, notes, events, faults } = createNotes();
  faults.rollback = true;
  expect(transactions.run([step("a", true)])).toEqual([]);
  expect([database.isTransaction, events]).toEqual([true, ["rolled back", expect.stringMatching("^a rejected")]]);
  // As long as it cannot be rolled back, nothing is written.
  expect(transactions.run([step("b")])).toEqual([]);
  expect(transactions.committed).toBe(0);
  faults.rollback = false;
  expect(transactions.run([step("c")])).toHaveLength(1);
  expect([notes(), database.isTransaction, transactions.committed]).toEqual([["c"], false, 1]);
  expect(events.at(-1)).toBe("c committed");
});

it("runs the neighbours of a step that fails again, each once and alone", () => {
  const { transactions, step, notes, events } = createNotes();
  expect(transactions.run([step("a"), step("b", true), step("c")])).toHaveLength(2);
  expect([notes(), transactions.committed]).toEqual([["a", "c"], 2]);
  expect(events.filter((event) => event !== "rolled back")).toEqual([
    "a committed",
    expect.stringMatching("^b rejected"),
    "c committed",
  ]);
});

it("runs nothing for no steps", () => {
  const { transactions } = createNotes();
  expect([transactions.run([]), transactions.committed]).toEqual([[], 0]);
});
