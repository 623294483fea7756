import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS_TABLE } from "./database/sqlite-database.ts";
import { type Disk, SqliteFile } from "./database/sqlite-file.ts";
import { WriteQueue, type WriteQueueOptions } from "./database/write-queue.ts";

const NOTES = "CREATE TABLE notes (text TEXT)";
const SCHEMA = [{ number: 1, name: "notes", oldest: 1, sql: NOTES }];
const UNAVAILABLE = { reason: "STORE_UNAVAILABLE" };

/**
 * A disk whose syncs end when the test says so. A power loss leaves the files as they were when the last completed sync
 * began: the disk has promised nothing of what was written later.
 */
class TestDisk implements Disk {
  readonly folder = mkdtempSync(join(tmpdir(), "fairlead-disk-"));
  readonly file = join(this.folder, "notes.sqlite");
  #syncs: ((error: Error | null) => void)[] = [];
  #onSync: (() => void) | undefined;
  #copies = 0;
  #durable = "";
  /** How many syncs have begun. */
  syncs = 0;

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  fdatasync(_descriptor: number, done: (error: Error | null) => void): void {
    const copy = this.#copy();
    this.syncs += 1;
    this.#syncs.push((error) => {
      if (error === null) this.#durable = copy;
      done(error);
    });
    this.#onSync?.();
  }

  fdatasyncSync(): void {
    this.syncs += 1;
    this.#durable = this.#copy();
  }

  /** Waits until a sync is in progress. */
  async syncStarts(): Promise<void> {
    if (this.#syncs.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#onSync = resolve;
    });
  }

  endSync(error: Error | null = null): void {
    this.#syncs.shift()?.(error);
  }

  /** The notes that a power loss leaves. */
  notesAfterPowerLoss(): readonly unknown[] {
    return this.#durable === "" ? [] : notesIn(join(this.#durable, "notes.sqlite"));
  }

  #copy(): string {
    this.#copies += 1;
    const copy = join(this.folder, `copy-${this.#copies}`);
    mkdirSync(copy);
    for (const name of ["notes.sqlite", "notes.sqlite-wal"]) copyFileSync(join(this.folder, name), join(copy, name));
    return copy;
  }
}

function notesIn(file: string): readonly unknown[] {
  const database = new DatabaseSync(file);
  const rows = database.prepare("SELECT text FROM notes ORDER BY rowid").all();
  database.close();
  return rows.map((row) => row["text"]);
}

function openQueue(disk: TestDisk, options: WriteQueueOptions = {}) {
  const file = new SqliteFile({ file: disk.file, schema: SCHEMA, disk });
  const queue = new WriteQueue(file, options);
  const insert = file.database.prepare("INSERT INTO notes VALUES (?)");
  const count = file.database.prepare("SELECT count(*) AS n FROM notes");
  return {
    file,
    queue,
    note: (text: string) => queue.write(() => insert.run(text)),
    commit: (text: string) => queue.commit(() => Number(insert.run(text).lastInsertRowid)),
    count: () => queue.read(() => count.get()?.["n"]),
  };
}

/** Reports which of the promises have settled so far. */
function watch(promises: Readonly<Record<string, Promise<unknown>>>): Set<string> {
  const settled = new Set<string>();
  for (const [name, promise] of Object.entries(promises)) {
    const add = () => settled.add(name);
    promise.then(add, add);
  }
  return settled;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("durability of a SQLite file", () => {
  it("acknowledges a write, and a read that has seen it, only after the log was synced", async () => {
    const disk = new TestDisk();
    const { queue, note, count } = openQueue(disk);
    const write = note("a");
    await disk.syncStarts();
    const read = count();
    const settled = watch({ write, read });
    await nextTurn();
    expect([queue.transactions, [...settled], disk.notesAfterPowerLoss()]).toEqual([1, [], []]);
    disk.endSync();
    await write;
    expect([await read, disk.notesAfterPowerLoss()]).toEqual([1, ["a"]]);
  });

  it("syncs one or two steps on its own thread while the process is quiet, and more on another", async () => {
    const disk = new TestDisk();
    const { note } = openQueue(disk, { isQuiet: () => true });
    await note("a");
    expect(disk.notesAfterPowerLoss()).toEqual(["a"]);
    const several = [note("b"), note("c"), note("d")];
    await disk.syncStarts();
    expect(disk.notesAfterPowerLoss()).toEqual(["a"]);
    disk.endSync();
    await Promise.all(several);
    expect(disk.notesAfterPowerLoss()).toEqual(["a", "b", "c", "d"]);
  });

  it("passes on what is committed before the sync, if the caller accepts that, and acknowledges it after", async () => {
    const disk = new TestDisk();
    const { commit, count } = openQueue(disk);
    const { value, durable } = await commit("a");
    const read = count();
    const settled = watch({ durable, read });
    await disk.syncStarts();
    await nextTurn();
    expect([value, [...settled], disk.notesAfterPowerLoss()]).toEqual([1, [], []]);
    disk.endSync();
    await durable;
    expect([await read, disk.notesAfterPowerLoss()]).toEqual([1, ["a"]]);
  });

  it("syncs once for a commit and what follows it within a turn of the event loop", async () => {
    const disk = new TestDisk();
    const { queue, commit, note } = openQueue(disk, { isQuiet: () => true });
    const { durable } = await commit("a");
    await note("b");
    await durable;
    expect([queue.transactions, disk.syncs, disk.notesAfterPowerLoss()]).toEqual([2, 1, ["a", "b"]]);
  });

  it("passes on a commit during the transaction of others, whose answers wait for the sync", async () => {
    const disk = new TestDisk();
    const { commit, note } = openQueue(disk);
    const write = note("a");
    const committed = await commit("b");
    const settled = watch({ write, durable: committed.durable });
    await disk.syncStarts();
    await nextTurn();
    expect([...settled]).toEqual([]);
    disk.endSync();
    await Promise.all([write, committed.durable]);
    expect(disk.notesAfterPowerLoss()).toEqual(["a", "b"]);
  });

  it("syncs a commit before it closes", async () => {
    const disk = new TestDisk();
    const { queue, commit } = openQueue(disk, { isQuiet: () => true });
    const { durable } = await commit("a");
    const settled = watch({ durable });
    await queue[Symbol.asyncDispose]();
    expect([[...settled], notesIn(disk.file)]).toEqual([["durable"], ["a"]]);
  });

  it("rejects the durability of a commit whose sync fails", async () => {
    const disk = new TestDisk();
    const { commit, note } = openQueue(disk);
    const { durable } = await commit("a");
    await disk.syncStarts();
    disk.endSync(new Error("EIO"));
    await expect(durable).rejects.toMatchObject(UNAVAILABLE);
    await expect(commit("b")).rejects.toMatchObject(UNAVAILABLE);
    await expect(note("c")).rejects.toMatchObject(UNAVAILABLE);
  });

  it("answers a read without a sync if all commits are durable", async () => {
    const disk = new TestDisk();
    const { note, count } = openQueue(disk);
    const write = note("a");
    await disk.syncStarts();
    disk.endSync();
    await write;
    expect(await count()).toBe(1);
  });

  it("commits together what was queued during a sync", async () => {
    const disk = new TestDisk();
    const { queue, note } = openQueue(disk);
    const first = note("a");
    await disk.syncStarts();
    const others = [note("b"), note("c")];
    await nextTurn();
    expect(queue.transactions).toBe(1);
    disk.endSync();
    await first;
    await disk.syncStarts();
    const settled = watch({ b: others[0] as Promise<unknown> });
    await nextTurn();
    expect([queue.transactions, [...settled], disk.notesAfterPowerLoss()]).toEqual([2, [], ["a"]]);
    disk.endSync();
    await Promise.all(others);
    expect(disk.notesAfterPowerLoss()).toEqual(["a", "b", "c"]);
  });

  it("has every acknowledged write after a power loss, across checkpoints", async () => {
    const disk = new TestDisk();
    const { file, note } = openQueue(disk);
    const acknowledged: string[] = [];
    const sizes: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      // More steps than a checkpoint needs in every second round.
      const texts = Array.from({ length: 150 }, (_, index) => `${round}-${index}-${"x".repeat(1000)}`);
      const writes = texts.map(note);
      await disk.syncStarts();
      disk.endSync();
      await Promise.all(writes);
      acknowledged.push(...texts);
      expect(disk.notesAfterPowerLoss()).toEqual(acknowledged);
      sizes.push(statSync(`${disk.file}-wal`).size);
    }
    // The log of later rounds uses the pages of earlier ones.
    expect(sizes.at(-1)).toBe(sizes[3]);
    await file[Symbol.asyncDispose]();
    expect(notesIn(disk.file)).toEqual(acknowledged);
  });

  it("syncs what is queued before it closes", async () => {
    const disk = new TestDisk();
    const { queue, note } = openQueue(disk);
    const write = note("a");
    const closed = queue[Symbol.asyncDispose]();
    const settled = watch({ write, closed });
    await disk.syncStarts();
    await nextTurn();
    expect([...settled]).toEqual([]);
    disk.endSync();
    await write;
    await closed;
    await expect(note("b")).rejects.toMatchObject(UNAVAILABLE);
    expect(notesIn(disk.file)).toEqual(["a"]);
  });

  it("has in the database, as soon as it is open, what an earlier process left in the log", () => {
    const disk = new TestDisk();
    const killed = new DatabaseSync(join(disk.folder, "killed.sqlite"));
    killed.exec(
      `PRAGMA journal_mode = WAL; ${NOTES}; ${MIGRATIONS_TABLE}; INSERT INTO migrations (number, name, oldest) VALUES (1, 'notes', 1); INSERT INTO notes VALUES ('a')`,
    );
    for (const suffix of ["", "-wal"])
      copyFileSync(join(disk.folder, `killed.sqlite${suffix}`), `${disk.file}${suffix}`);
    killed.close();
    openQueue(disk);
    const alone = join(disk.folder, "alone.sqlite");
    copyFileSync(disk.file, alone);
    expect(notesIn(alone)).toEqual(["a"]);
  });

  it("refuses everything after a failed sync, and keeps the log for the next opening", async () => {
    const disk = new TestDisk();
    const { file, queue, note, count } = openQueue(disk);
    const first = note("a");
    await disk.syncStarts();
    disk.endSync();
    await first;
    const second = note("b");
    await disk.syncStarts();
    const pending = [second, count(), note("c")];
    disk.endSync(new Error("EIO"));
    const results = await Promise.allSettled([...pending, note("d"), count()]);
    const failure = { ...UNAVAILABLE, message: expect.stringContaining("restart the server") };
    expect(results).toMatchObject(Array.from({ length: 5 }, () => ({ status: "rejected", reason: failure })));
    await queue[Symbol.asyncDispose]();
    expect(file.database.isOpen).toBe(false);
    expect(statSync(`${disk.file}-wal`).size).toBeGreaterThan(0);

    const again = openQueue(disk);
    const after = again.note("e");
    await disk.syncStarts();
    disk.endSync();
    await after;
    // The disk of the test had "b": a write whose sync fails may be stored.
    expect(disk.notesAfterPowerLoss()).toEqual(["a", "b", "e"]);
    await again.queue[Symbol.asyncDispose]();
  });
});
