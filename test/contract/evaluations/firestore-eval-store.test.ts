import { describe } from "vitest";
import { FirestoreEvalStore } from "#adapters/firestore/firestore-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { CONTRACT_TIME_MS, evalStoreContract } from "./eval-store.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreEvalStore", { timeout: 30_000 }, () => {
  const { openDatabase } = useFirestore();

  evalStoreContract({
    create: async () => {
      verifies("platform:firestore:evaluation");
      const database = openDatabase();
      const service = new FirestoreEvalStore({ database, clock: new FixedClock(CONTRACT_TIME_MS) });
      return { service, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
