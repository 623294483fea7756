import { describe, expect, it } from "vitest";
import type {
  CollectionQuery,
  FirestoreCall,
  FirestoreDatabase,
} from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreKeyStore } from "#adapters/firestore/firestore-key-store.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { keyStoreContract } from "./key-store.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreKeyStore", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();
  const KEY = { name: "ci", digest: "ab", scopes: [], createdAtMs: 1 };
  const idOf = (index: number) => `k${String(index).padStart(4, "0")}`;

  /** Documents as an earlier version wrote them: keys of the tenant `default` without the field, some others too. */
  async function writeOldKeys(database: FirestoreDatabase, count: number, tenantOf: (index: number) => string) {
    for (let start = 0; start < count; start += 400) {
      const indexes = Array.from({ length: Math.min(400, count - start) }, (_, offset) => start + offset);
      await database.commit(
        indexes.map((index) => ({
          kind: "create" as const,
          path: `fairlead/_identity/api-keys/${idOf(index)}`,
          fields: { key: JSON.stringify({ ...KEY, id: idOf(index), ...inTenant(tenantOf(index)) }) },
        })),
      );
    }
  }

  keyStoreContract({
    create: async () => {
      const database = openDatabase();
      return { store: new FirestoreKeyStore({ database }), dispose: () => database[Symbol.asyncDispose]() };
    },
  });

  it("reads the keys of a tenant alone, whatever other tenants have, after keys of earlier versions have got theirs", async () => {
    const queries: CollectionQuery[] = [];
    const observeCall = ({ query }: FirestoreCall) => query && queries.push(query);
    await using database = openDatabase({ observeCall });
    await writeOldKeys(database, 2_003, (index) => (index % 1_000 === 1 ? "default" : "acme"));
    const first = new FirestoreKeyStore({ database });
    const own = [idOf(1), idOf(1001), idOf(2001)];
    const idsOf = async (store: FirestoreKeyStore, tenantId: string, after?: string) =>
      (await store.list({ tenantId, after, limit: 2 })).map(({ id }) => id);
    expect(await idsOf(first, "default")).toEqual(own.slice(0, 2));
    expect(queries.splice(0)).toHaveLength(7);
    expect(await idsOf(first, "default", own[1])).toEqual(own.slice(2));
    expect(await idsOf(first, "acme")).toEqual([idOf(0), idOf(2)]);
    expect(queries.splice(0).map(({ limit, where }) => [limit, where?.length])).toEqual([
      [2, 1],
      [2, 1],
    ]);

    // Another process reads only the keys since then, such as one that an earlier version has just written.
    await database.commit([
      { kind: "create", path: "fairlead/_identity/api-keys/z1", fields: { key: JSON.stringify({ ...KEY, id: "z1" }) } },
    ]);
    const second = new FirestoreKeyStore({ database });
    expect(await idsOf(second, "default", own[2])).toEqual(["z1"]);
    expect(queries).toHaveLength(2);
  });
});
