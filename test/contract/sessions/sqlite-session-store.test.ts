import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
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
  { title: "SqliteSessionStore", maxCachedSessions: 10_000 },
  { title: "SqliteSessionStore that remembers nothing", maxCachedSessions: 0 },
  { title: "SqliteSessionStore that encrypts", maxCachedSessions: 0, encryption: createTenantKeys().start() },
])("$title", ({ maxCachedSessions, encryption }) => {
  const contract: SessionStoreContract & SessionStorageContract = {
    create: async (sources) => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-"));
      const store = new SqliteSessionStore({ folder, maxCachedSessions, sealer: encryption?.sealer, ...sources });
      const dispose = async () => {
        await store[Symbol.asyncDispose]();
        await rm(folder, { recursive: true });
      };
      return { store: encryption?.withKeys(store) ?? store, dispose };
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
