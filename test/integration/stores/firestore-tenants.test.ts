import { describe, expect, it } from "vitest";
import type { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { changing, KEY, LEASE_MS, NOW, started } from "#test/contract/sessions/session-world.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";

const ACME_ROOT = "fairlead/_/tenants/acme/data/";

describe.skipIf(whyNoFirestore() !== undefined)("tenants in Firestore", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();
  const openStore = (database: FirestoreDatabase, root?: string) =>
    new FirestoreSessionStore({
      database,
      rootCollection: root,
      clock: new FixedClock(NOW),
      ids: new SequentialIds(root),
    });

  /** One document of each kind. */
  async function fill(database: FirestoreDatabase, tenantId: string): Promise<void> {
    const store = openStore(database);
    const session = { ...KEY, tenantId };
    const created = await store.createSession(session);
    await store.appendEvent(created, changing("e", { "app:x": 1, "user:y": 1 }));
    await started(store, "run", { session, idempotencyKey: "key" });
    const sources = { database, clock: new FixedClock(NOW), ids: new SequentialIds() };
    const memory = new FirestoreMemoryService(sources);
    await memory.addMemoryEntries(session, [{ id: "m", content: { parts: [{ text: "tea" }] } }]);
  }

  it("have the same documents, each below a document of its tenant", async () => {
    await using database = openDatabase();
    for (const tenantId of ["default", "acme"]) await fill(database, tenantId);
    const documents = await database.query({ parent: "", collection: "", allDescendants: true });
    const paths = documents.map(({ path }) => path);
    const ofAcme = paths.filter((path) => path.startsWith(ACME_ROOT));
    const ofDefault = paths.filter((path) => !path.startsWith(ACME_ROOT));
    expect(ofDefault).toHaveLength(7);
    expect(ofAcme).toEqual(ofDefault.map((path) => path.replace("fairlead/", ACME_ROOT)));
  });

  it("are all searched for runs without a holder, and no other platform of the database", async () => {
    await using database = openDatabase();
    const lost = [
      { root: "fairlead", tenantId: "acme" },
      { root: "fairlead", tenantId: "globex" },
      { root: "other", tenantId: "default" },
      { root: "other", tenantId: "acme" },
    ];
    for (const { root, tenantId } of lost) {
      const session = { ...KEY, tenantId };
      const store = openStore(database, root);
      await store.createSession(session);
      await started(store, "run", { session });
    }
    const clock = new FixedClock(NOW + LEASE_MS + 1);
    const found = async (rootCollection: string) => {
      const store = new FirestoreSessionStore({ database, rootCollection, clock });
      const runs = await store.listAbandoned({ minAgeMs: 0, limit: 10 });
      return runs.map(({ session }) => session.tenantId ?? "default").sort();
    };
    expect([await found("fairlead"), await found("other")]).toEqual([
      ["acme", "globex"],
      ["acme", "default"],
    ]);
  });
});
