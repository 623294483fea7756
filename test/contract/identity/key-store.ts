import { describe, expect, it } from "vitest";
import { inTenant } from "#kit/names/tenant.ts";
import type { KeyRecord, KeyStore } from "#ports/api-keys/key-store.ts";

export interface KeyStoreContract {
  /** Creates a separate store for each call. */
  readonly create: () => Promise<{ readonly store: KeyStore; readonly dispose: () => Promise<void> }>;
}

const DIGEST = "ab".repeat(32);

function keyOf(id: string, members: Partial<KeyRecord> = {}): KeyRecord {
  return { id, name: "the ci", digest: DIGEST, scopes: ["runs:write"], createdAtMs: 1000, ...members };
}

export function keyStoreContract({ create }: KeyStoreContract): void {
  const withStore = (test: (store: KeyStore) => Promise<void>) => async () => {
    const { store, dispose } = await create();
    try {
      await test(store);
    } finally {
      await dispose();
    }
  };

  it(
    "returns keys as they were created, and undefined for others",
    withStore(async (store) => {
      const full = keyOf("b1", {
        name: "ünïcode",
        scopes: ["ops", "users:all"],
        apps: ["weather", "a/b"],
        userId: "ada@example.com",
        createdBy: "key:a0",
        expiresAtMs: 9_007_199_254_740_991,
      });
      await store.create(full);
      await store.create(keyOf("a1"));
      expect(await Promise.all(["b1", "a1", "c1", "B1"].map((id) => store.get(id)))).toEqual([
        full,
        keyOf("a1"),
        undefined,
        undefined,
      ]);
    }),
  );

  it(
    "refuses a second key with the same id",
    withStore(async (store) => {
      await store.create(keyOf("a1"));
      await expect(store.create(keyOf("a1", { digest: "cd".repeat(32) }))).rejects.toMatchObject({
        reason: "INTERNAL",
      });
      expect(await store.get("a1")).toEqual(keyOf("a1"));
    }),
  );

  it(
    "lists keys in the order of their ids, in parts",
    withStore(async (store) => {
      for (const id of ["d1", "b1", "e1", "a1", "c1"]) await store.create(keyOf(id));
      const idsOf = async (...[listing]: Parameters<KeyStore["list"]>) =>
        (await store.list(listing)).map(({ id }) => id);
      expect(await idsOf({ limit: 2 })).toEqual(["a1", "b1"]);
      expect(await idsOf({ after: "b1", limit: 2 })).toEqual(["c1", "d1"]);
      expect(await idsOf({ after: "d1", limit: 2 })).toEqual(["e1"]);
      expect(await idsOf({ after: "bz", limit: 9 })).toEqual(["c1", "d1", "e1"]);
      expect(await idsOf({ after: "e1", limit: 2 })).toEqual([]);
    }),
  );

  it(
    "lists the keys of one tenant, in parts",
    withStore(async (store) => {
      const tenants = { a1: undefined, b1: "acme", c1: "acme", d1: undefined, e1: "other", f1: "acme", g1: undefined };
      for (const [id, tenantId] of Object.entries(tenants)) await store.create(keyOf(id, inTenant(tenantId)));
      const idsOf = async (...[listing]: Parameters<KeyStore["list"]>) =>
        (await store.list(listing)).map(({ id }) => id);
      expect(await store.list({ tenantId: "acme", limit: 1 })).toEqual([keyOf("b1", { tenantId: "acme" })]);
      expect(await idsOf({ tenantId: "acme", after: "b1", limit: 2 })).toEqual(["c1", "f1"]);
      expect(await idsOf({ tenantId: "acme", after: "d1", limit: 2 })).toEqual(["f1"]);
      expect(await idsOf({ tenantId: "default", limit: 2 })).toEqual(["a1", "d1"]);
      expect(await idsOf({ tenantId: "default", after: "a1", limit: 2 })).toEqual(["d1", "g1"]);
      expect(await idsOf({ tenantId: "default", after: "d1", limit: 2 })).toEqual(["g1"]);
      expect(await idsOf({ tenantId: "none", limit: 2 })).toEqual([]);
      expect(await idsOf({ limit: 9 })).toEqual(Object.keys(tenants));
    }),
  );

  it(
    "deletes the keys of a tenant, or of its user, in parts, and no others",
    withStore(async (store) => {
      const acme = { tenantId: "acme" };
      for (const id of ["a1", "b1", "c1"]) await store.create(keyOf(id, acme));
      await store.create(keyOf("d1", { ...acme, userId: "ada" }));
      await store.create(keyOf("e1", { userId: "ada" }));
      expect(await store.deleteOf({ ...acme, userId: "ada" }, 9)).toEqual(["d1"]);
      expect(await store.deleteOf(acme, 2)).toHaveLength(2);
      expect(await store.deleteOf(acme, 2)).toHaveLength(1);
      expect(await store.deleteOf(acme, 2)).toEqual([]);
      expect(await store.list({ limit: 9 })).toEqual([keyOf("e1", { userId: "ada" })]);
    }),
  );

  it(
    "revokes a key once",
    withStore(async (store) => {
      await store.create(keyOf("a1"));
      await store.create(keyOf("b1"));
      const revoked = keyOf("a1", { revokedAtMs: 5000 });
      expect(await store.revoke("a1", 5000)).toEqual(revoked);
      expect(await store.revoke("a1", 6000)).toEqual(revoked);
      expect(await store.revoke("c1", 6000)).toBeUndefined();
      expect(await store.list({ limit: 9 })).toEqual([revoked, keyOf("b1")]);
    }),
  );

  describe("the last use", () => {
    it(
      "is the latest time that was recorded",
      withStore(async (store) => {
        for (const id of ["a1", "b1", "c1"]) await store.create(keyOf(id));
        await store.recordUses(
          new Map([
            ["a1", 2000],
            ["b1", 3000],
            ["unknown", 3000],
          ]),
        );
        await store.recordUses(
          new Map([
            ["a1", 2500],
            ["b1", 2900],
          ]),
        );
        await store.recordUses(new Map());
        expect(await store.list({ limit: 9 })).toEqual([
          keyOf("a1", { lastUsedAtMs: 2500 }),
          keyOf("b1", { lastUsedAtMs: 3000 }),
          keyOf("c1"),
        ]);
      }),
    );

    it(
      "and a revocation do not replace each other",
      withStore(async (store) => {
        await store.create(keyOf("a1"));
        await Promise.all([store.revoke("a1", 5000), store.recordUses(new Map([["a1", 2000]]))]);
        expect(await store.get("a1")).toEqual(keyOf("a1", { lastUsedAtMs: 2000, revokedAtMs: 5000 }));
      }),
    );

    it(
      "is recorded for many keys together",
      withStore(async (store) => {
        const ids = Array.from({ length: 450 }, (_, index) => `k${String(index).padStart(3, "0")}`);
        await Promise.all(ids.map((id) => store.create(keyOf(id))));
        await store.recordUses(new Map(ids.map((id, index) => [id, 2000 + index])));
        const used = (await store.list({ limit: 500 })).map(({ lastUsedAtMs }) => lastUsedAtMs);
        expect(used).toEqual(ids.map((_, index) => 2000 + index));
      }),
    );
  });
}
