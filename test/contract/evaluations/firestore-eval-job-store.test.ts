import { describe, expect, it } from "vitest";
import { FirestoreEvalJobStore } from "#adapters/firestore/firestore-eval-job-store.ts";
import { FirestoreEvalJobTable } from "#adapters/firestore/firestore-eval-job-table.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { evalJobStoreContract } from "./eval-job-store.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreEvalJobStore", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  evalJobStoreContract({
    create: async (clock) => {
      const database = openDatabase();
      const open = () => new FirestoreEvalJobStore({ database, clock });
      return { store: open(), reopen: async () => open(), dispose: () => database[Symbol.asyncDispose]() };
    },
  });

  it("keeps no part of a long row that is removed, and those of its neighbours", async () => {
    await using database = openDatabase();
    const table = new FirestoreEvalJobTable({ database });
    const long = { text: "x".repeat(350_000) };
    const partsOf = async (key: string) =>
      (
        await database.query({
          parent: `fairlead/_evaluations/eval-jobs/${key}`,
          collection: "parts",
          where: [],
          orderBy: [["__name__", "ASCENDING"]],
          limit: 10,
        })
      ).length;
    const keys = ["a", "b"];
    for (const key of keys) await table.commit([{ key, value: long, expect: "missing" }]);
    expect(await Promise.all(keys.map(partsOf))).toEqual([1, 1]);
    // A commit that is refused removes nothing.
    const stale = (await table.read(["a"])).get("a")?.version ?? expect.unreachable();
    expect(await table.commit([{ key: "b", value: undefined, expect: stale }])).toBe(false);
    expect([(await table.read(["b"])).get("b")?.value, await partsOf("b")]).toEqual([long, 1]);
    expect(await table.commit([{ key: "a", value: undefined }])).toBe(true);
    expect(await Promise.all(keys.map(partsOf))).toEqual([0, 1]);
    expect((await table.read(keys)).get("b")?.value).toEqual(long);
  });
});
