import { afterAll, describe } from "vitest";
import { FirestoreEvalStore } from "#adapters/firestore/firestore-eval-store.ts";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { completeStorageLimits } from "#kit/storage/given-storage-limits.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { tenantDataContract } from "./tenant-data.ts";

const storage = completeStorageLimits({ user: { sessions: 100 }, app: { sessions: 100 }, tenant: { sessions: 100 } });

const gcs = await findGcsEmulator();
const bucket = "missing" in gcs ? undefined : await GcsEmulator.start(gcs.program);
afterAll(() => bucket?.stop());

describe.skipIf(whyNoFirestore() !== undefined)("stores in Firestore and Cloud Storage", { timeout: 120_000 }, () => {
  const { openDatabase } = useFirestore();

  tenantDataContract({
    create: async () => {
      const database = openDatabase();
      const options = { database, clock: new FixedClock(), ids: new SequentialIds() };
      const stores = {
        sessions: new FirestoreSessionStore({ ...options, storage }),
        memory: new FirestoreMemoryService(options),
        evals: new FirestoreEvalStore(options),
        artifacts: bucket
          ? createGcsArtifactService({ ...options, bucketName: await bucket.createBucket(), apiEndpoint: bucket.url })
          : new InMemoryArtifactService(options),
      };
      return { stores, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
