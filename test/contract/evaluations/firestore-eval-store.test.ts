import { afterAll, beforeAll, describe } from "vitest";
import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreEvalStore } from "#adapters/firestore/firestore-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  type FirestoreEmulator,
  startFirestoreEmulator,
  whyNoFirestore,
} from "#tooling/emulators/firestore-emulator.ts";
import { CONTRACT_TIME_MS, evalStoreContract } from "./eval-store.ts";

const missing = whyNoFirestore();

describe.skipIf(missing !== undefined)("FirestoreEvalStore", { timeout: 30_000 }, () => {
  let emulator: FirestoreEmulator;
  let projects = 0;
  beforeAll(async () => {
    emulator = await startFirestoreEmulator();
  }, 90_000);
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
  });

  evalStoreContract({
    create: async () => {
      verifies("platform:firestore:evaluation");
      projects += 1;
      const database = new FirestoreDatabase({ projectId: `evals-${projects}`, emulatorHost: emulator.host });
      const service = new FirestoreEvalStore({ database, clock: new FixedClock(CONTRACT_TIME_MS) });
      return { service, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
