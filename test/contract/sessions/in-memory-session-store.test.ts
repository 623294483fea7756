import { describe, expect, it } from "vitest";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
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
import { answersInMemory } from "./session-walk.ts";
import type { SessionStoreContract } from "./session-world.ts";

describe("InMemorySessionStore", () => {
  const contract: SessionStoreContract & SessionStorageContract = {
    create: async (sources) => {
      verifies("operations:session:in-memory");
      return { store: new InMemorySessionStore(sources), dispose: async () => {} };
    },
  };
  it.each([1, 2])("answers random calls as before, %i", async (seed) => {
    await expect(await answersInMemory(seed)).toMatchFileSnapshot(`answers-in-memory/${seed}.txt`);
  });
  sessionServiceContract(contract);
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
