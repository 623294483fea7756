import { describe } from "vitest";
import { FirestoreKeyStore } from "#adapters/firestore/firestore-key-store.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { keyStoreContract } from "./key-store.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreKeyStore", { timeout: 30_000 }, () => {
  const { openDatabase } = useFirestore();

  keyStoreContract({
    create: async () => {
      const database = openDatabase();
      return { store: new FirestoreKeyStore({ database }), dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
