import { FirestoreKeyStore } from "#adapters/firestore/firestore-key-store.ts";
import { describeOnFirestore } from "#test/helpers/servers/on-firestore.ts";
import { keyStoreContract } from "./key-store.ts";

describeOnFirestore("FirestoreKeyStore", ({ openDatabase }) => {
  keyStoreContract({
    create: async () => {
      const database = openDatabase();
      return { store: new FirestoreKeyStore({ database }), dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
