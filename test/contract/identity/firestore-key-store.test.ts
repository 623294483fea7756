import { afterAll, beforeAll, describe } from "vitest";
import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreKeyStore } from "#adapters/firestore/firestore-key-store.ts";
import {
  type FirestoreEmulator,
  startFirestoreEmulator,
  whyNoFirestore,
} from "#tooling/emulators/firestore-emulator.ts";
import { keyStoreContract } from "./key-store.ts";

const missing = whyNoFirestore();

describe.skipIf(missing !== undefined)("FirestoreKeyStore", { timeout: 30_000 }, () => {
  let emulator: FirestoreEmulator;
  let projects = 0;
  beforeAll(async () => {
    emulator = await startFirestoreEmulator();
  }, 90_000);
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
  });

  keyStoreContract({
    create: async () => {
      projects += 1;
      const database = new FirestoreDatabase({ projectId: `keys-${projects}`, emulatorHost: emulator.host });
      return { store: new FirestoreKeyStore({ database }), dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
