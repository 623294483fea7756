import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { FileEvalStore } from "#adapters/files/file-eval-store.ts";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sqlite-session-store.ts";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { InMemoryEvalStore } from "#kit/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#kit/memory/in-memory-memory-service.ts";
import { InMemorySessionStore } from "#kit/sessions/tables/in-memory-session-store.ts";
import { completeStorageLimits } from "#kit/storage/given-storage-limits.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { tenantDataContract } from "./tenant-data.ts";

const storage = completeStorageLimits({ user: { sessions: 100 }, app: { sessions: 100 }, tenant: { sessions: 100 } });

describe("stores in memory", () => {
  tenantDataContract({
    create: async () => {
      const sources = { clock: new FixedClock(), ids: new SequentialIds() };
      const stores = {
        sessions: new InMemorySessionStore({ ...sources, storage }),
        artifacts: new InMemoryArtifactService(sources),
        memory: new InMemoryMemoryService(sources),
        evals: new InMemoryEvalStore(sources),
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
      const sessions = new SqliteSessionStore({ folder, storage, ...sources });
      const memory = new SqliteMemoryService({ path: join(folder, "memory.sqlite"), ...sources });
      const artifacts = new FileArtifactService({ root: join(folder, "artifacts"), ...sources });
      const evals = new FileEvalStore({ folder: join(folder, "evals"), ...sources });
      const dispose = async () => {
        await sessions[Symbol.asyncDispose]();
        await memory[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      };
      return { stores: { sessions, memory, artifacts, evals }, dispose };
    },
  });
});
