import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import type { StorageLimits, StorageReader } from "#ports/storage-limits/storage-limits.ts";
import { createSessionServer } from "#services/session/server.ts";
import { joinStore, overLoopback } from "#test/helpers/servers/loopback.ts";
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
import { sessionLimitsContract } from "./session-limits.ts";
import { sessionServiceContract } from "./session-service.ts";
import { sessionSizesContract } from "./session-sizes.ts";
import { sessionStateContract } from "./session-state.ts";
import { type SessionStorageContract, sessionStorageContract } from "./session-storage.ts";
import { sessionTenantsContract } from "./session-tenants.ts";
import { sessionWalkContract } from "./session-walk.ts";
import type { SessionStore, SessionStoreContract } from "./session-world.ts";

type Sources = Parameters<SessionStoreContract["create"]>[0] & { readonly storage?: StorageLimits };

describe.each<[string, (folder: string, sources: Sources) => SessionStore & StorageReader & Partial<AsyncDisposable>]>([
  ["InMemorySessionStore", (_, sources) => new InMemorySessionStore(sources)],
  ["SqliteSessionStore", (folder, sources) => new SqliteSessionStore({ folder, ...sources })],
])("RemoteSessionService and RemoteRunJournal in front of %s", (_, open) => {
  const contract: SessionStoreContract & SessionStorageContract = {
    create: async (sources: Sources) => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-"));
      const store = open(folder, sources);
      const server = createSessionServer({ sessions: store, journal: store, logger: silentLogger });
      const { port, dispose } = await overLoopback(server, (options) =>
        joinStore(new RemoteSessionService(options), new RemoteRunJournal(options)),
      );
      const disposeAll = async (): Promise<void> => {
        await dispose();
        await store[Symbol.asyncDispose]?.();
        await rm(folder, { recursive: true });
      };
      return { store: port, dispose: disposeAll };
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
  sessionTenantsContract(contract);
  sessionStorageContract(contract);
});
