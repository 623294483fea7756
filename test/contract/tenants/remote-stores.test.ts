import { describe } from "vitest";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteEvalJobs } from "#adapters/grpc/remote-eval-jobs.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { silentLogger as logger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { limitNamesOf, SESSION_LIMIT_NAMES } from "#ports/storage-limits/storage-limits.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { createSessionServer } from "#services/session/server.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { joinStore, overLoopback } from "#test/helpers/servers/loopback.ts";
import { countingLimits, tenantDataContract } from "./tenant-data.ts";

const limits = {
  sessions: countingLimits(SESSION_LIMIT_NAMES),
  artifacts: countingLimits(limitNamesOf("artifacts")),
  memory: countingLimits(limitNamesOf("memory")),
  evals: countingLimits(limitNamesOf("evaluations")),
};

describe("stores over gRPC", () => {
  tenantDataContract({
    create: async () => {
      const sources = { clock: new FixedClock(), ids: new SequentialIds() };
      const store = new InMemorySessionStore({ ...sources, storage: limits.sessions });
      const sessions = await overLoopback(
        createSessionServer({ sessions: store, journal: store, logger }),
        (options) => {
          const remote = new RemoteSessionService(options);
          return {
            ...joinStore(remote, new RemoteRunJournal(options)),
            listData: (request: Parameters<typeof remote.listData>[0]) => remote.listData(request),
            deleteData: (request: Parameters<typeof remote.deleteData>[0]) => remote.deleteData(request),
            beginDeletion: (owner: Parameters<typeof remote.beginDeletion>[0]) => remote.beginDeletion(owner),
            endDeletion: (owner: Parameters<typeof remote.endDeletion>[0]) => remote.endDeletion(owner),
            listDeletions: () => remote.listDeletions(),
          };
        },
      );
      const artifacts = await overLoopback(
        createArtifactServer({
          artifacts: new InMemoryArtifactService({ ...sources, storage: limits.artifacts }),
          logger,
        }),
        (options) => new RemoteArtifactService(options),
      );
      const memory = await overLoopback(
        createMemoryServer({ memory: new InMemoryMemoryService({ ...sources, storage: limits.memory }), logger }),
        (options) => new RemoteMemoryService(options),
      );
      const jobs = await overLoopback(
        createEvalServer({ evaluations: new InMemoryEvalStore(sources), jobs: inMemoryEvalJobs(), logger }),
        (options) => new RemoteEvalJobs(options),
      );
      const evals = await overLoopback(
        createEvalServer({
          evaluations: new InMemoryEvalStore({ ...sources, storage: limits.evals }),
          jobs: inMemoryEvalJobs(),
          logger,
        }),
        (options) => new RemoteEvalStore(options),
      );
      const stores = {
        sessions: sessions.port,
        artifacts: artifacts.port,
        memory: memory.port,
        evals: evals.port,
        jobs: jobs.port,
      };
      const opened = [sessions, artifacts, memory, evals, jobs];
      return {
        stores,
        dispose: async () => {
          await Promise.all(opened.map(({ dispose }) => dispose()));
        },
      };
    },
  });
});
