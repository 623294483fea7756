import { join } from "node:path";
import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreEvalJobStore } from "#adapters/firestore/firestore-eval-job-store.ts";
import { SqliteEvalJobStore } from "#adapters/sqlite/sqlite-eval-job-store.ts";
import type { EvalJobStore } from "#kit/evaluation/jobs/eval-job-store.ts";
import { systemClock } from "#kit/platform/clock.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";

/** The jobs as they are stored, without links and services. */
export function openEvalJobs(rig: ChaosRig): { readonly store: EvalJobStore; readonly close: () => Promise<void> } {
  if (rig.firestoreHost !== undefined) {
    const database = new FirestoreDatabase({ projectId: "chaos", emulatorHost: rig.firestoreHost });
    const store = new FirestoreEvalJobStore({ database, clock: systemClock });
    return { store, close: () => database[Symbol.asyncDispose]() };
  }
  const store = new SqliteEvalJobStore({ file: join(rig.dataFolder("eval"), "eval-jobs.sqlite"), clock: systemClock });
  return { store, close: async () => store[Symbol.dispose]() };
}

export interface AskedCase {
  readonly evalId: string;
  readonly metricName: string;
  readonly samples: number;
}

/** How many of the answers to a case's questions are stored. */
export async function storedAnswers(
  store: Pick<EvalJobStore, "getAnswer">,
  jobId: string,
  { evalId, metricName, samples }: AskedCase,
): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: samples }, (_, sample) =>
      store.getAnswer({ jobId }, { evalId, metricName, invocation: 0, step: "answer", sample }),
    ),
  );
  return answers.filter((answer) => answer !== undefined).length;
}
