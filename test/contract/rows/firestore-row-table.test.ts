import { describe, expect, it } from "vitest";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { rowTableContract } from "./row-table.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreRowTable", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  rowTableContract({
    create: async () => {
      verifies("platform:firestore:credentials", "platform:firestore:evaluation");
      const database = openDatabase();
      return {
        table: new FirestoreRowTable({ database, name: "test" }),
        dispose: () => database[Symbol.asyncDispose](),
      };
    },
  });

  it("keeps no part of a long row that is replaced or removed, nor of a commit that was refused", async () => {
    await using database = openDatabase();
    const table = new FirestoreRowTable({ database, name: "test" });
    const long = (letter: string) => ({ text: letter.repeat(350_000) });
    const parts = async () => (await database.query({ parent: "", collection: "parts", allDescendants: true })).length;
    for (const key of ["a", "b"]) await table.commit([{ key, value: long("x"), expect: "missing" }]);
    expect(await parts()).toBe(4);
    const stale = (await table.read(["a"])).get("a")?.version ?? expect.unreachable();
    expect(await table.commit([{ key: "b", value: long("y"), expect: stale }])).toBe(false);
    expect(await table.commit([{ key: "b", value: undefined, expect: stale }])).toBe(false);
    expect(await parts()).toBe(4);
    expect((await table.read(["b"])).get("b")?.value).toEqual(long("x"));
    expect(await table.commit([{ key: "b", value: long("z") }])).toBe(true);
    expect(await table.commit([{ key: "a", value: {}, expect: stale }])).toBe(true);
    expect(await parts()).toBe(2);
    await Promise.all(["p", "q", "r"].map((letter) => table.commit([{ key: "b", value: long(letter) }])));
    expect(await parts()).toBe(2);
    expect(await table.commit([{ key: "b", value: undefined }])).toBe(true);
    expect(await parts()).toBe(0);
  });
});
