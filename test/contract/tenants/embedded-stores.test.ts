import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { FileEvalStore } from "#adapters/files/file-eval-store.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import { SqliteRowTable } from "#adapters/sqlite/sqlite-row-table.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { limitNamesOf, SESSION_LIMIT_NAMES } from "#ports/storage-limits/storage-limits.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { countingLimits, tenantDataContract } from "./tenant-data.ts";

const limits = {
  sessions: countingLimits(SESSION_LIMIT_NAMES),
  artifacts: countingLimits(limitNamesOf("artifacts")),
  memory: countingLimits(limitNamesOf("memory")),
  evals: countingLimits(limitNamesOf("evaluations")),
};

describe("stores in memory", () => {
  tenantDataContract({
    create: async () => {
      const sources = { clock: new FixedClock(), ids: new SequentialIds() };
      const stores = {
        sessions: new InMemorySessionStore({ ...sources, storage: limits.sessions }),
        artifacts: new InMemoryArtifactService({ ...sources, storage: limits.artifacts }),
        memory: new InMemoryMemoryService({ ...sources, storage: limits.memory }),
        evals: new InMemoryEvalStore({ ...sources, storage: limits.evals }),
        jobs: inMemoryEvalJobs(),
      };
      return { stores, dispose: async () => {} };
    },
  });
});

describe("stores in SQLite and files", () => {
  tenantDataContract({
    create: async () => {
      const folder = await mkdtemp(join(tmpdir(), "tenants-"));
      const sources = { clock: new FixedClock(), ids: new SequentialIds() };
      const sessions = new SqliteSessionStore({ folder, storage: limits.sessions, ...sources });
      const memory = new SqliteMemoryService({
        path: join(folder, "memory.sqlite"),
        storage: limits.memory,
        ...sources,
      });
      const artifacts = new FileArtifactService({
        root: join(folder, "artifacts"),
        storage: limits.artifacts,
        ...sources,
      });
      const evals = new FileEvalStore({ folder: join(folder, "evals"), storage: limits.evals, ...sources });
      const jobTable = new SqliteRowTable(join(folder, "jobs.sqlite"));
      const jobStore = new TabularEvalJobStore({ table: jobTable, clock: sources.clock });
      const dispose = async () => {
        jobTable[Symbol.dispose]();
        await sessions[Symbol.asyncDispose]();
        await memory[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      };
      return { stores: { sessions, memory, artifacts, evals, jobs: inMemoryEvalJobs(jobStore) }, dispose };
    },
  });
});
