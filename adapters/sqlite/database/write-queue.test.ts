import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { SqliteFile } from "./sqlite-file.ts";
import { WriteQueue } from "./write-queue.ts";

const SCHEMA = `
  CREATE TABLE parents (id INTEGER PRIMARY KEY);
  CREATE TABLE notes (text TEXT, parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`;

function startQueue() {
  const file = new SqliteFile({ file: ":memory:", schema: [{ number: 1, name: "test", oldest: 1, sql: SCHEMA }] });
  const { database } = file;
  const rollbacks: number[] = [];
  const queue = new WriteQueue(file, { onRollback: () => rollbacks.push(1) });
  const note = (text: string, parent: number | null = null) => {
    database.prepare("INSERT INTO notes VALUES (?, ?)").run(text, parent);
    return text;
  };
  const notes = () =>
    database
      .prepare("SELECT text FROM notes")
      .all()
      .map((row) => row["text"]);
  return { database, queue, note, notes, rollbacks };
}

describe("WriteQueue", () => {
  it("settles its promises only after the commit", async () => {
    const { database, queue, note } = startQueue();
    const seen = await queue.write(() => note("a")).then(() => database.isTransaction);
    expect([seen, queue.transactions]).toEqual([false, 1]);
  });

  it("lets a step refuse without disturbing its neighbours", async () => {
    const { queue, note, notes, rollbacks } = startQueue();
    const refused = () => {
      throw new PlatformError("SESSION_CLOSED", "closed");
    };
    const results = await Promise.allSettled([
      queue.write(() => note("a")),
      queue.write(refused),
      queue.write(() => note("b")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect([notes(), queue.transactions, rollbacks.length]).toEqual([["a", "b"], 1, 0]);
  });

  it.each(["CONTENT_KEY_UNAVAILABLE", "CONTENT_UNREADABLE"] as const)(
    "undoes a step that fails half-way with %s, and runs its neighbours again without it",
    async (reason) => {
      const { queue, note, notes } = startQueue();
      const refused = () => {
        note("half");
        throw new PlatformError(reason, "The content cannot be encrypted.");
      };
      const results = await Promise.allSettled([
        queue.write(() => note("a")),
        queue.write(refused),
        queue.commit(() => note("b")),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(results[1]).toMatchObject({ reason: { reason } });
      expect(notes()).toEqual(["a", "b"]);
    },
  );

  it("undoes a step that fails half-way, and runs its neighbours again without it", async () => {
    const { queue, note, notes, rollbacks } = startQueue();
    const broken = () => {
      note("half");
      throw new TypeError("a fault");
    };
    const results = await Promise.allSettled([
      queue.write(() => note("a")),
      queue.write(broken),
      queue.write(() => note("b")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { message: "a fault" } });
    expect([notes(), rollbacks.length]).toEqual([["a", "b"], 2]);
  });

  it("fails all steps with STORE_UNAVAILABLE when the commit fails, and continues after it", async () => {
    const { queue, note, notes, rollbacks } = startQueue();
    const results = await Promise.allSettled([queue.write(() => note("a")), queue.write(() => note("orphan", 7))]);
    const unavailable = { status: "rejected", reason: { reason: "STORE_UNAVAILABLE" } };
    expect(results).toMatchObject([unavailable, unavailable]);
    await queue.write(() => note("later"));
    expect([notes(), rollbacks.length]).toEqual([["later"], 1]);
  });

  it("fails with STORE_UNAVAILABLE when the database refuses to begin", async () => {
    const { database, queue, note } = startQueue();
    database.close();
    const unavailable = { reason: "STORE_UNAVAILABLE" };
    await expect(queue.write(() => note("a"))).rejects.toMatchObject(unavailable);
    await expect(queue.read(() => database.prepare("SELECT 1").get())).rejects.toMatchObject(unavailable);
  });
});
