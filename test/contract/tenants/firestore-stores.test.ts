import { afterAll, describe } from "vitest";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { TabularEvalStore } from "#ports/evaluation/tabular-eval-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { limitNamesOf, SESSION_LIMIT_NAMES } from "#ports/storage-limits/storage-limits.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { countingLimits, tenantDataContract } from "./tenant-data.ts";

const limits = {
  sessions: countingLimits(SESSION_LIMIT_NAMES),
  artifacts: countingLimits(limitNamesOf("artifacts")),
  memory: countingLimits(limitNamesOf("memory")),
  evals: countingLimits(limitNamesOf("evaluations")),
};

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
        sessions: new FirestoreSessionStore({ ...options, storage: limits.sessions }),
        memory: new FirestoreMemoryService({ ...options, storage: limits.memory }),
        evals: new TabularEvalStore({
          ...options,
          table: new FirestoreRowTable({ database, name: "evaluations" }),
          storage: limits.evals,
        }),
        jobs: inMemoryEvalJobs(
          new TabularEvalJobStore({ ...options, table: new FirestoreRowTable({ database, name: "eval-jobs" }) }),
        ),
        artifacts: bucket
          ? createGcsArtifactService({
              ...options,
              storage: limits.artifacts,
              bucketName: await bucket.createBucket(),
              apiEndpoint: bucket.url,
            })
          : new InMemoryArtifactService({ ...options, storage: limits.artifacts }),
      };
      return { stores, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
