import { describe } from "vitest";
import { NetworkSessionStore } from "#ports/sessions/network/network-session-store.ts";
import { SessionContent } from "#ports/sessions/session-content.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { DelayedSqliteSessions } from "#test/helpers/sessions/delayed-sqlite-sessions.ts";
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

describe.each([
  { title: "sessions in SQL tables behind a network" },
  { title: "sessions in SQL tables behind a network, with no remembered heads", maxRememberedSessions: 0 },
  { title: "encrypted sessions in SQL tables behind a network", encryption: createTenantKeys().start() },
])("$title", ({ maxRememberedSessions, encryption }) => {
  const contract: SessionStoreContract & SessionStorageContract = {
    create: async (sources) => {
      const database = new DelayedSqliteSessions(new SessionContent(encryption?.sealer));
      const store = new NetworkSessionStore({ database, maxRememberedSessions, ...sources });
      return { store: encryption?.withKeys(store) ?? store, dispose: async () => database[Symbol.dispose]() };
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
