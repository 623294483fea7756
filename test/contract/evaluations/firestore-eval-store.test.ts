import { describe } from "vitest";
import { FirestoreEvalStore } from "#adapters/firestore/firestore-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { evalStorageContract } from "./eval-storage.ts";
import { CONTRACT_TIME_MS, type EvalStoreContract, evalStoreContract } from "./eval-store.ts";
import { evalTenantsContract } from "./eval-tenants.ts";
import { evalWalkContract } from "./eval-walk.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreEvalStore", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  const contract: EvalStoreContract = {
    create: async () => {
      verifies("platform:firestore:evaluation");
      const database = openDatabase();
      const service = new FirestoreEvalStore({ database, clock: new FixedClock(CONTRACT_TIME_MS) });
      return { service, dispose: () => database[Symbol.asyncDispose]() };
    },
  };
  evalStoreContract(contract);
  evalWalkContract(contract);
  evalTenantsContract(contract);
  evalStorageContract(async (storage) => {
    const database = openDatabase();
    const open = () => new FirestoreEvalStore({ database, storage, clock: new FixedClock(CONTRACT_TIME_MS) });
    return { store: open(), reopen: async () => open(), dispose: () => database[Symbol.asyncDispose]() };
  });
});
