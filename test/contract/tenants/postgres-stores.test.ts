import { describe } from "vitest";
import { PostgresMemoryService } from "#adapters/postgres/postgres-memory-service.ts";
import { PostgresRowTable } from "#adapters/postgres/postgres-row-table.ts";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { TabularEvalStore } from "#ports/evaluation/tabular-eval-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { limitNamesOf, SESSION_LIMIT_NAMES } from "#ports/storage-limits/storage-limits.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { usePostgresDatabase } from "#test/helpers/servers/use-postgres-database.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { countingLimits, tenantDataContract } from "./tenant-data.ts";

const limits = {
  sessions: countingLimits(SESSION_LIMIT_NAMES),
  artifacts: countingLimits(limitNamesOf("artifacts")),
  memory: countingLimits(limitNamesOf("memory")),
  evals: countingLimits(limitNamesOf("evaluations")),
};

describe("stores in Postgres", { timeout: 60_000 }, () => {
  const { openDatabase } = usePostgresDatabase();

  tenantDataContract({
    create: async () => {
      verifies("postgres:tenants");
      const database = await openDatabase();
      const options = { database, clock: new FixedClock(), ids: new SequentialIds() };
      const tableOf = (name: string) => new PostgresRowTable({ database, name });
      const stores = {
        sessions: new PostgresSessionStore({ ...options, storage: limits.sessions }),
        memory: new PostgresMemoryService({ ...options, storage: limits.memory }),
        evals: new TabularEvalStore({ ...options, table: tableOf("evaluations"), storage: limits.evals }),
        jobs: inMemoryEvalJobs(new TabularEvalJobStore({ ...options, table: tableOf("eval-jobs") })),
        artifacts: new InMemoryArtifactService({ ...options, storage: limits.artifacts }),
      };
      return { stores, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
