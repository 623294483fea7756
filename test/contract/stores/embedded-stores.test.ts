import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inMemoryStores, openFileStores, openSqliteStores } from "fairlead/stores";
import { describe } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { artifactServiceContract, CONTRACT_TIME_MS } from "../artifacts/artifact-service.ts";
import { CONTRACT_TIME_MS as EVAL_TIME_MS, evalStoreContract } from "../evaluations/eval-store.ts";
import { memoryServiceContract } from "../memory/memory-service.ts";
import { runJournalContract } from "../sessions/run-journal.ts";
import { runLeaseContract } from "../sessions/run-lease.ts";
import { sessionLimitsContract } from "../sessions/session-limits.ts";
import { sessionServiceContract } from "../sessions/session-service.ts";
import { sessionStateContract } from "../sessions/session-state.ts";
import { joinSessionStore, type SessionStoreContract } from "../sessions/session-world.ts";

const artifactClock = new FixedClock(CONTRACT_TIME_MS);
const evalClock = new FixedClock(EVAL_TIME_MS);

async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-stores-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

describe("openSqliteStores", () => {
  const contract: SessionStoreContract = {
    create: async (sources) => {
      const { folder, remove } = await temporaryFolder();
      const stores = await openSqliteStores({ folder, ...sources });
      const dispose = async () => {
        await stores[Symbol.asyncDispose]();
        await remove();
      };
      return { store: joinSessionStore(stores), dispose };
    },
  };
  sessionServiceContract(contract);
  sessionStateContract(contract);
  sessionLimitsContract(contract);
  runJournalContract(contract);
  runLeaseContract(contract);
  memoryServiceContract({
    create: async () => {
      const { folder, remove } = await temporaryFolder();
      const stores = await openSqliteStores({
        folder,
        clock: new FixedClock(CONTRACT_TIME_MS),
        ids: new SequentialIds(),
      });
      const dispose = async () => {
        await stores[Symbol.asyncDispose]();
        await remove();
      };
      return { service: stores.memoryService, dispose };
    },
  });
});

describe("openFileStores", () => {
  const open = async (clock: FixedClock) => {
    const { folder, remove } = await temporaryFolder();
    const stores = await openFileStores({ folder, clock });
    const dispose = async () => {
      await stores[Symbol.asyncDispose]();
      await remove();
    };
    return { stores, dispose };
  };
  artifactServiceContract({
    create: async () => {
      const { stores, dispose } = await open(artifactClock);
      return { service: stores.artifactService, dispose };
    },
  });
  evalStoreContract({
    create: async () => {
      const { stores, dispose } = await open(evalClock);
      return { service: stores.evalStore, dispose };
    },
  });
});

describe("inMemoryStores", () => {
  sessionServiceContract({
    create: async (sources) => {
      const stores = inMemoryStores(sources);
      return { store: joinSessionStore(stores), dispose: async () => stores[Symbol.asyncDispose]() };
    },
  });
});
