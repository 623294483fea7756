import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { LEASE_MS, NOW, type SessionStore } from "#test/contract/sessions/session-world.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import {
  type FirestoreEmulator,
  firestoreEmulatorMissing,
  startFirestoreEmulator,
} from "#tooling/emulators/firestore-emulator.ts";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
import { withoutDedupe, withoutFence } from "./broken-stores.ts";
import { modelCommands } from "./model-commands.ts";
import { SessionModel } from "./session-model.ts";

interface Opened {
  readonly store: SessionStore;
  readonly close: () => Promise<void>;
}

type Open = (clock: FixedClock) => Promise<Opened>;

const openInMemory: Open = async (clock) => ({
  store: new InMemorySessionStore({ clock, ids: new SequentialIds() }),
  close: async () => {},
});

const openSqlite: Open = async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), "chaos-"));
  const store = new SqliteSessionStore({ folder, clock, ids: new SequentialIds() });
  const close = async () => {
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  };
  return { store, close };
};

/** Random histories against the store and the model, until they differ; reports the shortest such history. */
async function compareWithModel(open: Open, numRuns: number, weaken = (store: SessionStore) => store): Promise<void> {
  const property = fc.asyncProperty(modelCommands(), async (commands) => {
    const clock = new FixedClock(NOW);
    const { store, close } = await open(clock);
    try {
      const setup = () => ({
        model: new SessionModel(LEASE_MS),
        real: { store: weaken(store), clock, leases: new Map(), events: 0 },
      });
      await fc.asyncModelRun(setup, commands);
    } finally {
      await close();
    }
  });
  await fc.assert(property, { numRuns });
}

const missing = firestoreEmulatorMissing();

describe(`random histories (SEED=${TEST_SEED})`, { timeout: 60_000 }, () => {
  it("leave the in-memory store in the state that the model predicts", () => compareWithModel(openInMemory, 2000));

  it("leave the SQLite store in the state that the model predicts", () => compareWithModel(openSqlite, 60));

  describe.skipIf(missing !== undefined)("with the emulator", () => {
    let emulator: FirestoreEmulator;
    let projects = 0;
    beforeAll(async () => {
      emulator = await startFirestoreEmulator();
    }, 90_000);
    afterAll(() => emulator[Symbol.asyncDispose]());

    it("leave the Firestore store in the state that the model predicts", () =>
      compareWithModel(async (clock) => {
        projects += 1;
        const database = new FirestoreDatabase({ projectId: `model-${projects}`, emulatorHost: emulator.host });
        const store = new FirestoreSessionStore({ database, clock, ids: new SequentialIds() });
        return { store, close: () => database[Symbol.asyncDispose]() };
      }, 12));
  });

  describe.skipIf(postgresMissing() !== undefined)("with a server", () => {
    const { openDatabase } = usePostgres();

    it("leave the Postgres store in the state that the model predicts", () =>
      compareWithModel(async (clock) => {
        const database = await openDatabase();
        const store = new PostgresSessionStore({ database, clock, ids: new SequentialIds() });
        return { store, close: () => database[Symbol.asyncDispose]() };
      }, 40));
  });

  it("show a store without its fence", async () => {
    await expect(compareWithModel(openInMemory, 5000, withoutFence)).rejects.toMatchObject({
      cause: new Error("The store answered ok, and had to answer LEASE_LOST."),
    });
  });

  it("show a store that does not recognise repeated events", async () => {
    await expect(compareWithModel(openInMemory, 5000, withoutDedupe)).rejects.toMatchObject({
      cause: new Error("A repeat was not answered as the first request."),
    });
  });
});
