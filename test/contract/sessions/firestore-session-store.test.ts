import { afterAll, beforeAll, describe } from "vitest";
import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  type FirestoreEmulator,
  startFirestoreEmulator,
  whyNoFirestore,
} from "#tooling/emulators/firestore-emulator.ts";
import { journalHeadsContract } from "./journal-heads.ts";
import { loadBoundContract } from "./load-bound.ts";
import { runAnswersContract } from "./run-answers.ts";
import { runJournalContract } from "./run-journal.ts";
import { runLeaseContract } from "./run-lease.ts";
import { runOpeningContract } from "./run-opening.ts";
import { runRecoveryContract } from "./run-recovery.ts";
import { sessionLimitsContract } from "./session-limits.ts";
import { sessionServiceContract } from "./session-service.ts";
import { sessionStateContract } from "./session-state.ts";
import type { SessionStoreContract } from "./session-world.ts";

const missing = whyNoFirestore();

describe.skipIf(missing !== undefined)("on the Firestore emulator", { timeout: 30_000 }, () => {
  let emulator: FirestoreEmulator;
  let projects = 0;
  beforeAll(async () => {
    emulator = await startFirestoreEmulator();
  }, 90_000);
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
  });

  describe.each([
    { title: "FirestoreSessionStore", maxRememberedSessions: 1000 },
    { title: "FirestoreSessionStore that remembers nothing", maxRememberedSessions: 0 },
  ])("$title", ({ maxRememberedSessions }) => {
    const contract: SessionStoreContract = {
      create: async (sources) => {
        verifies("operations:session:document-database");
        projects += 1;
        const database = new FirestoreDatabase({ projectId: `project-${projects}`, emulatorHost: emulator.host });
        const store = new FirestoreSessionStore({ database, maxRememberedSessions, ...sources });
        return { store, dispose: () => database[Symbol.asyncDispose]() };
      },
    };
    sessionServiceContract(contract);
    sessionStateContract(contract);
    sessionLimitsContract(contract);
    loadBoundContract(contract);
    runJournalContract(contract);
    journalHeadsContract(contract);
    runLeaseContract(contract);
    runRecoveryContract(contract);
    runAnswersContract(contract);
    runOpeningContract(contract);
  });
});
