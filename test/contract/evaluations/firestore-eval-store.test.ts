import { FirestoreEvalStore } from "#adapters/firestore/firestore-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { describeOnFirestore } from "#test/helpers/servers/on-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CONTRACT_TIME_MS, evalStoreContract } from "./eval-store.ts";

describeOnFirestore("FirestoreEvalStore", ({ openDatabase }) => {
  evalStoreContract({
    create: async () => {
      verifies("platform:firestore:evaluation");
      const database = openDatabase();
      const service = new FirestoreEvalStore({ database, clock: new FixedClock(CONTRACT_TIME_MS) });
      return { service, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
