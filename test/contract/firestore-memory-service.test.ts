import { afterAll, beforeAll, describe } from "vitest";
import { FirestoreDatabase } from "#adapters/firestore/firestore-database.ts";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import {
  type FirestoreEmulator,
  firestoreEmulatorMissing,
  startFirestoreEmulator,
} from "#test/helpers/firestore-emulator.ts";
import { CONTRACT_TIME_MS, memoryServiceContract } from "./memory-service.ts";

const missing = firestoreEmulatorMissing();
if (missing !== undefined) process.stderr.write(`FirestoreMemoryService is not tested: ${missing}.\n`);

describe.skipIf(missing !== undefined)("FirestoreMemoryService", { timeout: 30_000 }, () => {
  let emulator: FirestoreEmulator;
  let projects = 0;
  beforeAll(async () => {
    emulator = await startFirestoreEmulator();
  }, 90_000);
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
  });

  memoryServiceContract({
    create: async () => {
      projects += 1;
      const database = new FirestoreDatabase({ projectId: `memory-${projects}`, emulatorHost: emulator.host });
      const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
      const service = new FirestoreMemoryService({ database, ...sources });
      return { service, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
