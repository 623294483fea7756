import { describe } from "vitest";
import { FirestoreEvalJobStore } from "#adapters/firestore/firestore-eval-job-store.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { evalJobStoreContract } from "./eval-job-store.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreEvalJobStore", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  evalJobStoreContract({
    create: async (clock) => {
      const database = openDatabase();
      const open = () => new FirestoreEvalJobStore({ database, clock });
      return { store: open(), reopen: async () => open(), dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
