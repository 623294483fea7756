import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { FileEvalStore } from "#adapters/files/file-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { evalOldDataContract } from "./eval-old-data.ts";
import { evalStorageContract } from "./eval-storage.ts";
import { CONTRACT_TIME_MS, type EvalStoreContract, evalStoreContract } from "./eval-store.ts";
import { evalTenantsContract } from "./eval-tenants.ts";
import { evalWalkContract } from "./eval-walk.ts";

describe("FileEvalStore", () => {
  const contract: EvalStoreContract = {
    create: async () => {
      verifies("operations:session:embedded");
      const folder = await mkdtemp(join(tmpdir(), "fairlead-evals-"));
      const service = new FileEvalStore({ folder, clock: new FixedClock(CONTRACT_TIME_MS) });
      return { service, dispose: () => rm(folder, { recursive: true, force: true }) };
    },
  };
  evalStoreContract(contract);
  evalWalkContract(contract);
  evalTenantsContract(contract);
  evalOldDataContract(contract);
  evalStorageContract(async (storage) => {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-evals-"));
    const open = () => new FileEvalStore({ folder, storage, clock: new FixedClock(CONTRACT_TIME_MS) });
    return { store: open(), reopen: async () => open(), dispose: () => rm(folder, { recursive: true, force: true }) };
  });
});
