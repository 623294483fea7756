import { describe } from "vitest";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { idleSessionsContract } from "../tenants/idle-sessions.ts";
import { oldRunsContract } from "../tenants/old-runs.ts";
import { historyStartContract } from "./history-start.ts";
import { journalHeadsContract } from "./journal-heads.ts";
import { outsideEventsContract } from "./outside-events.ts";
import { runAnswersContract } from "./run-answers.ts";
import { runJournalContract } from "./run-journal.ts";
import { runLeaseContract } from "./run-lease.ts";
import { runOpeningContract } from "./run-opening.ts";
import { runRecoveryContract } from "./run-recovery.ts";
import { sessionImportsContract } from "./session-imports.ts";
import { sessionLimitsContract } from "./session-limits.ts";
import { sessionServiceContract } from "./session-service.ts";
import { sessionSizesContract } from "./session-sizes.ts";
import { sessionStateContract } from "./session-state.ts";
import { type SessionStorageContract, sessionStorageContract } from "./session-storage.ts";
import { sessionTenantsContract } from "./session-tenants.ts";
import { sessionWalkContract } from "./session-walk.ts";
import type { SessionStoreContract } from "./session-world.ts";

describe.skipIf(whyNoFirestore() !== undefined)("on the Firestore emulator", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  describe.each([
    { title: "FirestoreSessionStore", maxRememberedSessions: 1000 },
    { title: "FirestoreSessionStore that remembers nothing", maxRememberedSessions: 0 },
    {
      title: "FirestoreSessionStore that encrypts",
      maxRememberedSessions: 1000,
      encryption: createTenantKeys().start(),
    },
  ])("$title", ({ maxRememberedSessions, encryption }) => {
    const contract: SessionStoreContract & SessionStorageContract = {
      create: async (sources) => {
        verifies("operations:session:document-database");
        const database = openDatabase();
        const store = new FirestoreSessionStore({
          database,
          maxRememberedSessions,
          sealer: encryption?.sealer,
          ...sources,
        });
        return { store: encryption?.withKeys(store) ?? store, dispose: () => database[Symbol.asyncDispose]() };
      },
    };
    sessionServiceContract(contract);
    sessionWalkContract(contract);
    sessionStateContract(contract);
    sessionLimitsContract(contract);
    sessionSizesContract(contract);
    historyStartContract(contract);
    outsideEventsContract(contract);
    runJournalContract(contract);
    journalHeadsContract(contract);
    runLeaseContract(contract);
    runRecoveryContract(contract);
    runAnswersContract(contract);
    runOpeningContract(contract);
    idleSessionsContract(contract);
    oldRunsContract(contract);
    sessionImportsContract(contract);
    sessionTenantsContract(contract);
    sessionStorageContract(contract);
  });
});
