import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { SqliteKeyStore } from "#adapters/sqlite/sqlite-key-store.ts";
import { keyStoreContract } from "./key-store.ts";

const KEY = { id: "a1", name: "ci", digest: "ab", scopes: [], createdAtMs: 1 };

async function withFile<Result>(test: (file: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  try {
    return await test(join(folder, "keys.sqlite"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("SqliteKeyStore", () => {
  keyStoreContract({
    create: async () => {
      const store = new SqliteKeyStore(":memory:");
      return { store, dispose: async () => store[Symbol.dispose]() };
    },
  });

  it("lists the keys of a file that an earlier version wrote by tenant", () =>
    withFile(async (file) => {
      const earlier = new DatabaseSync(file);
      earlier.exec(`
        CREATE TABLE api_key (
          id TEXT PRIMARY KEY, json TEXT NOT NULL, last_used_ms INTEGER, revoked_ms INTEGER
        ) STRICT, WITHOUT ROWID;
        PRAGMA user_version = 1`);
      const insert = earlier.prepare("INSERT INTO api_key (id, json) VALUES (?, ?)");
      const foreign = { ...KEY, id: "b1", tenantId: "acme" };
      for (const key of [KEY, foreign]) insert.run(key.id, JSON.stringify(key));
      earlier.close();
      using store = new SqliteKeyStore(file);
      expect(await store.list({ tenantId: "default", limit: 9 })).toEqual([KEY]);
      expect(await store.list({ tenantId: "acme", limit: 9 })).toEqual([foreign]);
    }));

  it("shares its file with other stores, and keeps keys when it is closed", () =>
    withFile(async (file) => {
      const server = new SqliteKeyStore(file);
      const command = new SqliteKeyStore(file);
      await command.create(KEY);
      expect(await server.get("a1")).toEqual(KEY);
      await command.revoke("a1", 5);
      command[Symbol.dispose]();
      await server.recordUses(new Map([["a1", 9]]));
      server[Symbol.dispose]();
      using reopened = new SqliteKeyStore(file);
      expect(await reopened.get("a1")).toEqual({ ...KEY, lastUsedAtMs: 9, revokedAtMs: 5 });
    }));
});
