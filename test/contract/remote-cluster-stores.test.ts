import { afterAll, describe } from "vitest";
import type { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { TabularEvalStore } from "#ports/evaluation/tabular-eval-store.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { createSessionServer } from "#services/session/server.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { joinStore, overLoopback } from "#test/helpers/servers/loopback.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { CONTRACT_TIME_MS as ARTIFACT_TIME_MS, artifactServiceContract } from "./artifacts/artifact-service.ts";
import { CONTRACT_TIME_MS as EVAL_TIME_MS, evalStoreContract } from "./evaluations/eval-store.ts";
import { CONTRACT_TIME_MS as MEMORY_TIME_MS, memoryServiceContract } from "./memory/memory-service.ts";
import { historyStartContract } from "./sessions/history-start.ts";
import { journalHeadsContract } from "./sessions/journal-heads.ts";
import { runAnswersContract } from "./sessions/run-answers.ts";
import { runJournalContract } from "./sessions/run-journal.ts";
import { runLeaseContract } from "./sessions/run-lease.ts";
import { runOpeningContract } from "./sessions/run-opening.ts";
import { runRecoveryContract } from "./sessions/run-recovery.ts";
import { sessionLimitsContract } from "./sessions/session-limits.ts";
import { sessionServiceContract } from "./sessions/session-service.ts";
import { sessionStateContract } from "./sessions/session-state.ts";
import type { SessionStoreContract } from "./sessions/session-world.ts";

const gcs = await findGcsEmulator();
const logger = silentLogger;

describe.skipIf(whyNoFirestore() !== undefined)("over gRPC on Firestore", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  const closing = (database: FirestoreDatabase, dispose: () => Promise<void>) => async () => {
    await dispose();
    await database[Symbol.asyncDispose]();
  };

  describe("RemoteSessionService and RemoteRunJournal in front of FirestoreSessionStore", () => {
    const contract: SessionStoreContract = {
      create: async (sources) => {
        const database = openDatabase();
        const store = new FirestoreSessionStore({ database, ...sources });
        const server = createSessionServer({ sessions: store, journal: store, logger });
        const { port, dispose } = await overLoopback(server, (options) =>
          joinStore(new RemoteSessionService(options), new RemoteRunJournal(options)),
        );
        return { store: port, dispose: closing(database, dispose) };
      },
    };
    sessionServiceContract(contract);
    sessionStateContract(contract);
    sessionLimitsContract(contract);
    historyStartContract(contract);
    runJournalContract(contract);
    journalHeadsContract(contract);
    runLeaseContract(contract);
    runRecoveryContract(contract);
    runAnswersContract(contract);
    runOpeningContract(contract);
  });

  describe("RemoteMemoryService in front of FirestoreMemoryService", () => {
    memoryServiceContract({
      create: async () => {
        const database = openDatabase();
        const sources = { clock: new FixedClock(MEMORY_TIME_MS), ids: new SequentialIds() };
        const server = createMemoryServer({ memory: new FirestoreMemoryService({ database, ...sources }), logger });
        const { port, dispose } = await overLoopback(server, (options) => new RemoteMemoryService(options));
        return { service: port, dispose: closing(database, dispose) };
      },
    });
  });

  describe("RemoteEvalStore in front of TabularEvalStore over rows in Firestore", () => {
    evalStoreContract({
      create: async () => {
        const database = openDatabase();
        const evaluations = new TabularEvalStore({
          table: new FirestoreRowTable({ database, name: "evaluations" }),
          clock: new FixedClock(EVAL_TIME_MS),
        });
        const server = createEvalServer({ evaluations, jobs: inMemoryEvalJobs(), logger });
        const { port, dispose } = await overLoopback(server, (options) => new RemoteEvalStore(options));
        return { service: port, dispose: closing(database, dispose) };
      },
    });
  });
});

if ("missing" in gcs) {
  describe.skip(`RemoteArtifactService in front of GcsArtifactService (${gcs.missing})`);
} else {
  const emulator = await GcsEmulator.start(gcs.program);
  afterAll(() => emulator.stop());

  describe("RemoteArtifactService in front of GcsArtifactService", () => {
    artifactServiceContract({
      create: async () => {
        const artifacts = createGcsArtifactService({
          bucketName: await emulator.createBucket(),
          apiEndpoint: emulator.url,
          clock: new FixedClock(ARTIFACT_TIME_MS),
          ids: new SequentialIds("save"),
        });
        const server = createArtifactServer({ artifacts, logger });
        const { port, dispose } = await overLoopback(server, (options) => new RemoteArtifactService(options));
        return { service: port, dispose };
      },
    });
  });
}
