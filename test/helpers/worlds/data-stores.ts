import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";

/** The stores that a gateway of tests has none of by itself, for what works on all stores. */
export function createDataStores(): Pick<GatewayDeps, "memoryService" | "evalStore" | "userCredentials"> {
  const sources = { clock: new FixedClock(), ids: new SequentialIds() };
  return {
    memoryService: new InMemoryMemoryService(sources),
    evalStore: new InMemoryEvalStore(sources),
    userCredentials: new InMemoryCredentialService(sources),
  };
}
