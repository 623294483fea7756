import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { FileEvalStore } from "#adapters/files/file-eval-store.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { overLoopback } from "#test/helpers/servers/loopback.ts";
import { evalOldDataContract } from "./eval-old-data.ts";
import { evalStorageContract } from "./eval-storage.ts";
import { CONTRACT_TIME_MS, type EvalStoreContract, evalStoreContract } from "./eval-store.ts";
import { evalTenantsContract } from "./eval-tenants.ts";
import { evalWalkContract } from "./eval-walk.ts";

describe.each<[string, (folder: string) => EvalStore & MeteredStore]>([
  ["InMemoryEvalStore", () => new InMemoryEvalStore({ clock: new FixedClock(CONTRACT_TIME_MS) })],
  ["FileEvalStore", (folder) => new FileEvalStore({ folder, clock: new FixedClock(CONTRACT_TIME_MS) })],
])("RemoteEvalStore in front of %s", (_, open) => {
  const contract: EvalStoreContract = {
    create: async () => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-evals-"));
      const server = createEvalServer({ evaluations: open(folder), jobs: inMemoryEvalJobs(), logger: silentLogger });
      const { port, dispose } = await overLoopback(server, (options) => new RemoteEvalStore(options));
      const disposeAll = async (): Promise<void> => {
        await dispose();
        await rm(folder, { recursive: true });
      };
      return { service: port, dispose: disposeAll };
    },
  };
  evalStoreContract(contract);
  evalWalkContract(contract);
  evalTenantsContract(contract);
  evalOldDataContract(contract);
  evalStorageContract(async (storage) => {
    const evaluations = new InMemoryEvalStore({ clock: new FixedClock(CONTRACT_TIME_MS), storage });
    const server = createEvalServer({ evaluations, jobs: inMemoryEvalJobs(), logger: silentLogger });
    const { port, dispose } = await overLoopback(server, (options) => new RemoteEvalStore(options));
    return { store: port, dispose };
  });
});
